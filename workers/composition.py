"""The composition root: the one place that knows every part.

Tools, counter-actions and agents are found by walking their packages, so a new one is a new file and no edit here.
Providers are made when they are first asked for, with the credential that their use needs and no other.
"""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any, TypeVar

import activities.agents
import activities.tools
import compensations
from activities.models import scripted
from activities.providers.mail import HttpMail
from activities.providers.smtp_mail import SmtpMail, SmtpServer
from saga.agent import Agent, AnyAgent
from saga.draft import Grade, Pace
from saga.errors import BadInput
from saga.registry import Registry
from saga.tool import AnyTool, CounterTool, PureTool, Tool
from workers import settings_providers
from workers.settings import PaceChange, Settings
from workers.settings_providers import Access
from workers.settings_webhooks import WebhookEndpoints

_Part = TypeVar("_Part")


def registry(config: Settings) -> Registry:
    """Everything that there is, checked; RegistrationError says which part and what to write."""
    tools: list[AnyTool] = [
        *(paced(tool, config) for tool in found_in(activities.tools, Tool)),
        *found_in(activities.tools, PureTool),
    ]
    counters = [paced(counter, config) for counter in found_in(compensations, CounterTool)]
    agents: list[AnyAgent] = found_in(activities.agents, Agent)
    return Registry(tools=tools, counters=counters, agents=agents)


def writers(config: Settings) -> Providers:
    """Provider by system name, each able to write. Only for a worker of the queue `tools`."""
    return Providers(config, write=True)


def readers(config: Settings) -> Providers:
    """Provider by system name, each with a credential that only reads."""
    return Providers(config, write=False)


def model_of(name: str) -> Any:
    """The model of that name; BadInput lists those there are."""
    if not name.startswith(scripted.PREFIX):
        known = ", ".join(scripted.PREFIX + script for script in scripted.names())
        raise BadInput("model", f"no such model here; there are {known}")
    return scripted.script(name)


class Providers(Mapping[str, Any]):
    """The outside systems by name, each made when it is first asked for."""

    def __init__(self, config: Settings, *, write: bool) -> None:
        """Nothing is made yet, but BadInput where a setting is missing: at the start, not in the middle of a run."""
        self._config, self._write = config, write
        self._made: dict[str, Any] = {}
        for system in PROVIDERS:
            _arguments(system, config, write=write)

    def __getitem__(self, system: str) -> Any:
        """The provider; KeyError where there is no such system."""
        if system not in self._made:
            self._made[system] = _provider(system, self._config, write=self._write)
        return self._made[system]

    async def close(self) -> None:
        """Let go of the connections of those that were made."""
        for provider in self._made.values():
            await provider.close()
        self._made.clear()

    def __iter__(self) -> Iterator[str]:
        return iter(PROVIDERS)

    def __len__(self) -> int:
        return len(PROVIDERS)


def found_in(package: ModuleType, kind: type[_Part]) -> list[_Part]:
    """Every constant of that kind in the package's modules, each once, in the order of their names."""
    found: dict[int, _Part] = {}
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, kind):
                found.setdefault(id(value), value)
    return list(found.values())


_Paced = TypeVar("_Paced", bound=Tool[Any] | CounterTool[Any])


def paced(tool: _Paced, config: Settings) -> _Paced:
    """The tool with pace, index lag and grade as the settings say for its system."""
    change, grade = config.pace_of(tool.system), _grade_of(tool)
    if change == PaceChange() and grade == tool.grade:
        return tool
    lag_s = change.lag_s(tool.index_lag_s)
    return dataclasses.replace(tool, pace=change.pace(tool.pace), index_lag_s=lag_s, grade=grade)


PROVIDERS: Mapping[str, tuple[type[Access], str]] = {
    "payments": (settings_providers.Stripe, "Payments"),
    "tickets": (settings_providers.Jira, "Tickets"),
    "mail": (settings_providers.Mail, "HttpMail"),
    "warehouse": (settings_providers.Warehouse, "Warehouse"),
    "orders": (settings_providers.Orders, "Orders"),
    "workspaces": (settings_providers.Workspaces, "Workspaces"),
    "sms": (settings_providers.Sms, "Sms"),
    "webhooks": (WebhookEndpoints, "Webhooks"),
}
"""System → its settings, and its class in `activities/providers/<system>.py`."""

ASKING = Pace(request_s=10, attempt_s=30, patience_s=300, tries=1)
"""For a system that is only read and has no pace of its own: two requests fit into the 30 s that a read may take."""


def _arguments(system: str, config: Settings, *, write: bool) -> dict[str, Any]:
    access, _ = PROVIDERS[system]
    return access().arguments(config.sandbox, write=write)


def _provider(system: str, config: Settings, *, write: bool) -> Any:
    module = importlib.import_module(f"activities.providers.{system}")
    own: Pace = getattr(module, "PACE", ASKING)
    arguments = _arguments(system, config, write=write)
    arguments["timeout_s"] = config.pace_of(system).pace(own).request_s
    if "desk" in arguments:
        arguments["desk"] = module.Desk(**arguments["desk"])
    if system == "mail" and settings_providers.Smtp().host is not None:
        return _smtp(config, sender=arguments["sender"], timeout_s=arguments["timeout_s"], write=write)
    return getattr(module, PROVIDERS[system][1])(**arguments)


def _smtp(config: Settings, *, sender: str, timeout_s: float, write: bool) -> SmtpMail:
    """Mail by SMTP, with the send log that its letters can be found in, if there is one."""
    smtp = settings_providers.Smtp()
    server = smtp.arguments(config.sandbox, config.sandbox_smtp_port, write=write)
    log = HttpMail(**_arguments("mail", config, write=False), timeout_s=timeout_s) if _has_send_log(smtp) else None
    return SmtpMail(server=SmtpServer(**server), sender=sender, timeout_s=timeout_s, log=log)


def _has_send_log(smtp: settings_providers.Smtp) -> bool:
    return smtp.host == smtp.SANDBOX or settings_providers.Mail().real


def _grade_of(tool: Tool[Any] | CounterTool[Any]) -> Grade:
    """The grade of a mail tool is that of the way its letters go."""
    smtp = settings_providers.Smtp()
    if tool.system != "mail" or smtp.host is None:
        return tool.grade
    return "lookup" if _has_send_log(smtp) else "neither"
