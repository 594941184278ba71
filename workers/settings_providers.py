"""Where each outside system is, and with what it is asked: real services by settings, the sandbox by default.

Each has one credential that writes and one that only reads. They are read where they are needed, so that a process
that only looks never holds one that writes. An address without its credential, or a credential without its address,
is refused: a real secret must not go to the sandbox, nor the sandbox's to a real service.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal
from urllib.parse import urlsplit

from pydantic import SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from saga.errors import BadInput

PREFIXES = (
    *("SAGA_STRIPE_", "SAGA_JIRA_", "SAGA_MAIL_", "SAGA_SMTP_", "SAGA_WAREHOUSE_", "SAGA_ORDERS_"),
    *("SAGA_WORKSPACES_", "SAGA_SMS_", "SAGA_WEBHOOKS_"),
)
"""What these variables begin with."""


def _named(prefix: str) -> SettingsConfigDict:
    return SettingsConfigDict(env_prefix=prefix, env_ignore_empty=True, frozen=True, extra="ignore")


class Access(BaseSettings):
    """One outside system: an address, and a credential for each of the two ways of using it."""

    prefix: ClassVar[str] = ""
    path: ClassVar[str] = ""
    """What the sandbox's address is followed by for this system, where its client does not say so itself."""
    names: ClassVar[tuple[str, ...]] = ("key",)
    """What the provider's class calls the parts of a credential."""
    writes: ClassVar[tuple[str, ...]] = ("key",)
    """The fields of the credential that writes."""
    reads: ClassVar[tuple[str, ...]] = ("read_key",)
    sandbox_writes: ClassVar[tuple[str, ...]] = ()
    """What the sandbox takes for these fields; nobody's secret."""
    sandbox_reads: ClassVar[tuple[str, ...]] = ()
    may_lack: ClassVar[tuple[str, ...]] = ()
    """Parts of a credential that a real service may do without."""

    url: str | None = None

    @property
    def real(self) -> bool:
        """Whether this is somebody's real service."""
        return self.url is not None

    def arguments(self, sandbox: str, *, write: bool) -> dict[str, Any]:
        """Keyword arguments for the provider's class: `url`, the credential, and what else is set.

        BadInput names the variable that is missing.
        """
        fields = self.writes if write else self.reads
        given = {field: _plain(getattr(self, field)) for field in fields}
        if self.url is None:
            held = [field for field, value in given.items() if value]
            if held:
                raise BadInput(self._name("url"), f"is missing; {self._name(held[0])} would go to the sandbox")
            parts = self.sandbox_writes if write else self.sandbox_reads
        else:
            missing = [field for field, value in given.items() if not value and field not in self.may_lack]
            if missing:
                raise BadInput(self._name(missing[0]), f"is missing; {self._name('url')} names a real service")
            parts = tuple(given.values())
        url = self.url or f"{sandbox}{self.path}"
        return {"url": url, **dict(zip(self.names, parts, strict=True)), **self.more()}

    def more(self) -> dict[str, Any]:
        """What else the provider's class may be told."""
        return {}

    def _name(self, field: str) -> str:
        return f"{self.prefix}{field.upper()}"


class Stripe(Access):
    """Payments. SAGA_STRIPE_URL=https://api.stripe.com, SAGA_STRIPE_KEY, SAGA_STRIPE_READ_KEY (a restricted key)."""

    prefix = "SAGA_STRIPE_"
    sandbox_writes = ("sk_test_sandbox",)
    sandbox_reads = ("rk_test_sandbox",)
    model_config = _named(prefix)

    key: SecretStr | None = None
    read_key: SecretStr | None = None


class Jira(Access):
    """Tickets. SAGA_JIRA_URL, _USER and _TOKEN; _READ_USER and _READ_TOKEN for an account that only browses.

    A Server's access token needs no user. SAGA_JIRA_API: 2, or 3 for texts as documents. The desk: _PROJECT,
    _ISSUE_TYPE, _DRAFT_TYPE, _DRAFT_STATUS, and _RESOLUTIONS (JSON list) that a ticket taken back is closed as.
    """

    prefix = "SAGA_JIRA_"
    path = "/jira"
    names = ("user", "token")
    writes = ("user", "token")
    reads = ("read_user", "read_token")
    sandbox_writes = ("agent@sandbox.test", "jira-write-token")
    sandbox_reads = ("reader@sandbox.test", "jira-read-token")
    may_lack = ("user", "read_user")
    model_config = _named(prefix)

    user: str | None = None
    token: SecretStr | None = None
    read_user: str | None = None
    read_token: SecretStr | None = None
    api: Literal["2", "3"] = "2"
    project: str | None = None
    issue_type: str | None = None
    draft_type: str | None = None
    draft_status: str | None = None
    resolutions: tuple[str, ...] | None = None

    def more(self) -> dict[str, Any]:
        """The form of texts, and the desk where its own words are set."""
        desk = self.model_dump(include={"project", "issue_type", "draft_type", "draft_status", "resolutions"})
        return {"api": self.api, "desk": {name: value for name, value in desk.items() if value is not None}}


class Mail(Access):
    """The HTTP mail service. SAGA_MAIL_URL, SAGA_MAIL_KEY, SAGA_MAIL_READ_KEY; SAGA_MAIL_SENDER writes the letters."""

    prefix = "SAGA_MAIL_"
    path = "/mail"
    sandbox_writes = ("mail-write",)
    sandbox_reads = ("mail-read",)
    model_config = _named(prefix)

    key: SecretStr | None = None
    read_key: SecretStr | None = None
    sender: str = "support@sandbox.test"

    def more(self) -> dict[str, Any]:
        """Who the letters are from."""
        return {"sender": self.sender}


class Smtp(BaseSettings):
    """Letters by SMTP instead, once SAGA_SMTP_HOST is set: SAGA_SMTP_PORT, _USER, _PASSWORD, _SECURITY.

    SAGA_SMTP_HOST=sandbox is the sandbox's. Over SMTP there are no drafts. What was sent is looked up in the send log
    of the HTTP mail service, where SAGA_MAIL_URL names one.
    """

    SANDBOX: ClassVar[str] = "sandbox"
    model_config = _named("SAGA_SMTP_")

    host: str | None = None
    port: int = 587
    user: str = ""
    password: SecretStr = SecretStr("")
    security: Literal["none", "starttls", "tls"] = "starttls"

    def arguments(self, sandbox: str, sandbox_port: int, *, write: bool) -> dict[str, Any]:
        """Keyword arguments for the server's record. Who only looks is given no login."""
        if self.host == self.SANDBOX:
            address: dict[str, Any] = {
                "host": urlsplit(sandbox).hostname,
                "port": sandbox_port,
                "security": "none",
            }
            login = {"user": "agent", "password": "mail-write"}
        else:
            address = {"host": self.host, "port": self.port, "security": self.security}
            login = {"user": self.user, "password": self.password.get_secret_value()}
        return {**address, **login} if write else address


class Warehouse(Access):
    """The warehouse. SAGA_WAREHOUSE_URL, SAGA_WAREHOUSE_KEY, SAGA_WAREHOUSE_READ_KEY."""

    prefix = "SAGA_WAREHOUSE_"
    names = ("token",)
    sandbox_writes = ("warehouse-write",)
    sandbox_reads = ("warehouse-read",)
    model_config = _named(prefix)

    key: SecretStr | None = None
    read_key: SecretStr | None = None


class Workspaces(Access):
    """Workspaces, seats and billing. SAGA_WORKSPACES_URL, SAGA_WORKSPACES_KEY, SAGA_WORKSPACES_READ_KEY."""

    prefix = "SAGA_WORKSPACES_"
    names = ("token",)
    sandbox_writes = ("workspaces-write",)
    sandbox_reads = ("workspaces-read",)
    model_config = _named(prefix)

    key: SecretStr | None = None
    read_key: SecretStr | None = None


class Sms(Access):
    """The verification service. SAGA_SMS_URL, SAGA_SMS_KEY, SAGA_SMS_READ_KEY."""

    prefix = "SAGA_SMS_"
    names = ("token",)
    sandbox_writes = ("sms-write",)
    sandbox_reads = ("sms-read",)
    model_config = _named(prefix)

    key: SecretStr | None = None
    read_key: SecretStr | None = None


class Orders(Access):
    """The orders, which nothing of ours writes. SAGA_ORDERS_URL, SAGA_ORDERS_READ_KEY."""

    prefix = "SAGA_ORDERS_"
    names = ("token",)
    writes = ("read_key",)
    sandbox_writes = ("orders-read",)
    sandbox_reads = ("orders-read",)
    model_config = _named(prefix)

    read_key: SecretStr | None = None


def _plain(value: SecretStr | str | None) -> str:
    return value.get_secret_value() if isinstance(value, SecretStr) else value or ""
