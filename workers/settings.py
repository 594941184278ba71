"""Settings: with `settings_providers`, the only reader of the environment.

Ours are named SAGA_…; where the Temporal server is, Temporal's own names say (TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE,
TEMPORAL_PROFILE, TEMPORAL_TLS…). Read once, at the start of a process; a value that does not fit is BadInput.
"""

from __future__ import annotations

import os
import pwd
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict, SettingsError
from temporalio.envconfig import ClientConfig, ClientConnectConfig

from saga.decision import first_problem
from saga.draft import Pace
from saga.errors import BadInput
from workers.settings_providers import PREFIXES

LOOPBACK = "127.0.0.1"
"""Where everything that we start ourselves listens: nothing of it asks for a password."""

Port = Annotated[int, Field(ge=0, le=65_535)]
"""0: a free one."""
Seconds = Annotated[float, Field(gt=0)]


class PaceChange(BaseModel):
    """What to put in place of a tool's own pace and index lag; what is left out stays. Seconds, but for `tries`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    request_s: Seconds | None = None
    attempt_s: Seconds | None = None
    patience_s: Seconds | None = None
    tries: Annotated[int, Field(gt=0)] | None = None
    index_lag_s: Annotated[float, Field(ge=0)] | None = None

    def pace(self, own: Pace) -> Pace:
        """`own` with the changes in it."""
        return own.model_copy(update=self.model_dump(exclude_none=True, exclude={"index_lag_s"}))

    def lag_s(self, own: float | None) -> float | None:
        """The index lag, in place of `own`."""
        return own if self.index_lag_s is None else self.index_lag_s


class Settings(BaseSettings):
    """What every process of the house may be told. The field `ui_port` is read from SAGA_UI_PORT, and so on."""

    model_config = SettingsConfigDict(env_prefix="SAGA_", env_ignore_empty=True, frozen=True, extra="ignore")

    state_dir: Path = Path(".saga")
    """The server's file, the sandbox's memory, logs and process ids."""

    temporal_port: Port = 7233
    ui_port: Port = 8233
    sandbox_port: Port = 8470
    sandbox_smtp_port: Port = 8471
    """What `make up` listens on, and where clients look when nothing else is said."""

    sandbox_url: str = ""
    """Empty: the sandbox of `make up` on this machine."""

    workspaces_database: Annotated[str, Field(pattern=r"^((postgresql(\+pg8000)?|sqlite)://.+)?$")] = ""
    """Where the sandbox's workspace service keeps everything, as a SQLAlchemy URL: postgresql://user:word@host/name, or
    sqlite:///file. Empty: workspaces.db in the sandbox's own directory. One database for one sandbox."""

    max_cached_workflows: Annotated[int, Field(ge=0)] = 200
    """Runs that a worker keeps in memory between their workflow tasks; one that is not kept costs a replay of some
    milliseconds when it goes on. 80 small ones that wait for approval hold 6 MB together (measured); were all 200 of
    the largest kind, 500 rows of a kilobyte and a full transcript, they would stay below half a gigabyte."""

    fault_injection: bool = False
    """Whether a RunRequest may carry `faults`, and the doors fail where it says. For staging and tests alone."""

    log_level: Literal["debug", "info", "warning", "error"] = "warning"

    by: str = ""
    """Who asks for a cancel where nobody is named. Empty: the account's name."""

    request_s: Seconds | None = None
    attempt_s: Seconds | None = None
    patience_s: Seconds | None = None
    tries: Annotated[int, Field(gt=0)] | None = None
    index_lag_s: Annotated[float, Field(ge=0)] | None = None
    """These five stand in place of every tool's own (SAGA_REQUEST_S=2)."""

    pace: dict[str, PaceChange] = Field(default_factory=dict)
    """As JSON, by system, over the five above: SAGA_PACE={"payments": {"request_s": 2, "index_lag_s": 1}}."""

    def pace_of(self, system: str) -> PaceChange:
        """What the settings change for the tools of `system`."""
        names = PaceChange.model_fields
        everywhere = {name: getattr(self, name) for name in names}
        own = self.pace.get(system, PaceChange()).model_dump(exclude_none=True)
        return PaceChange(**{**everywhere, **own})

    @property
    def databases(self) -> dict[str, str]:
        """The URLs of databases that systems of the sandbox have to themselves, as far as they are said."""
        return {"workspaces": self.workspaces_database} if self.workspaces_database else {}

    @property
    def sandbox(self) -> str:
        """The sandbox's address, without a slash at its end."""
        return self.sandbox_url.rstrip("/") or f"http://{LOOPBACK}:{self.sandbox_port}"

    @property
    def person(self) -> str:
        """Who is typing."""
        return self.by or pwd.getpwuid(os.getuid()).pw_name

    def temporal(self) -> ClientConnectConfig:
        """Arguments of `Client.connect`, from Temporal's own environment names, profiles and files."""
        try:
            config = ClientConfig.load_client_connect_config()
        except (RuntimeError, ValueError, OSError) as error:
            raise BadInput("TEMPORAL_PROFILE", f"Temporal's client configuration cannot be read: {error}") from None
        config.setdefault("target_host", f"{LOOPBACK}:{self.temporal_port}")
        return config


def read() -> Settings:
    """The settings of this process; BadInput naming the variable that does not fit."""
    try:
        return Settings()
    except ValidationError as error:
        field, problem = first_problem(error)
        name, _, within = field.partition(".")
        raise BadInput(f"SAGA_{name.upper()}{within and f' {within}'}", problem) from None
    except SettingsError as error:
        raise BadInput("SAGA_PACE", f"expected a JSON object by system ({error})") from None


def environment(changes: Mapping[str, str], *, sandbox_only: bool) -> dict[str, str]:
    """The environment for a process that belongs to a server and a sandbox of ours.

    Nothing of it leads to another Temporal server, whatever the caller's shell has set up. `sandbox_only` also leaves
    out the providers' settings: no real credential reaches the process.
    """
    foreign = ("TEMPORAL_", *(PREFIXES if sandbox_only else ()))
    kept = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    # A file in the home directory could still name a server, or a certificate for one.
    return {**kept, "TEMPORAL_CONFIG_FILE": os.devnull, "TEMPORAL_NAMESPACE": "default", **changes}
