"""Providers' settings: the sandbox by default, real services by name, and never one's secret to the other."""

import os

import pytest

from saga.errors import BadInput
from saga.tool import Tool
from workers.composition import readers, registry, writers
from workers.settings import Settings
from workers.settings_providers import PREFIXES, Jira, Mail, Orders, Sms, Smtp, Stripe, Warehouse, Workspaces

ALL = [Stripe, Jira, Mail, Warehouse, Orders, Workspaces, Sms]
SANDBOX = "http://127.0.0.1:8470"


@pytest.fixture(autouse=True)
def clean(monkeypatch):
    for name in list(os.environ):
        if name.startswith(PREFIXES):
            monkeypatch.delenv(name)


@pytest.mark.parametrize("access", ALL)
@pytest.mark.parametrize("write", [True, False])
def test_the_sandbox_is_the_default(access, write):
    arguments = access().arguments(SANDBOX, write=write)
    assert arguments["url"].startswith(SANDBOX)
    assert all(arguments[name] for name in access.names)


@pytest.mark.parametrize("access", [Stripe, Jira, Mail, Warehouse, Workspaces, Sms])
def test_reading_and_writing_are_different_credentials(access):
    writes, reads = (access().arguments(SANDBOX, write=write) for write in (True, False))
    assert all(writes[name] != reads[name] for name in access.names)


def test_a_real_service_is_named_with_its_credential(monkeypatch):
    monkeypatch.setenv("SAGA_STRIPE_URL", "https://api.stripe.com")
    monkeypatch.setenv("SAGA_STRIPE_READ_KEY", "rk_test_1")
    assert Stripe().arguments(SANDBOX, write=False) == {"url": "https://api.stripe.com", "key": "rk_test_1"}
    with pytest.raises(BadInput, match="SAGA_STRIPE_KEY: is missing"):
        Stripe().arguments(SANDBOX, write=True)


def test_a_real_credential_never_goes_to_the_sandbox(monkeypatch):
    monkeypatch.setenv("SAGA_JIRA_TOKEN", "a-real-one")
    with pytest.raises(BadInput, match="SAGA_JIRA_URL: is missing"):
        Jira().arguments(SANDBOX, write=True)


def test_a_servers_access_token_needs_no_user(monkeypatch):
    monkeypatch.setenv("SAGA_JIRA_URL", "https://jira.example")
    monkeypatch.setenv("SAGA_JIRA_TOKEN", "t")
    arguments = Jira().arguments(SANDBOX, write=True)
    assert (arguments["user"], arguments["token"]) == ("", "t")


def test_a_desk_of_ones_own(monkeypatch):
    monkeypatch.setenv("SAGA_JIRA_PROJECT", "HELP")
    monkeypatch.setenv("SAGA_JIRA_RESOLUTIONS", '["Obsolete"]')
    assert Jira().arguments(SANDBOX, write=True)["desk"] == {"project": "HELP", "resolutions": ("Obsolete",)}


def test_a_secret_is_not_printed(monkeypatch):
    monkeypatch.setenv("SAGA_MAIL_KEY", "a-real-one")
    assert "a-real-one" not in repr(Mail())


async def test_every_provider_can_be_made_both_ways():
    config = Settings()
    for providers in (writers(config), readers(config)):
        for system in providers:
            assert providers[system] is providers[system]
        await providers.close()


def test_a_missing_setting_is_heard_of_at_the_start(monkeypatch):
    monkeypatch.setenv("SAGA_WAREHOUSE_URL", "https://warehouse.example")
    with pytest.raises(BadInput, match="SAGA_WAREHOUSE_KEY"):
        writers(Settings())


def test_a_lookups_worker_reads_no_writing_credential(monkeypatch):
    monkeypatch.setenv("SAGA_WAREHOUSE_URL", "https://warehouse.example")
    monkeypatch.setenv("SAGA_WAREHOUSE_READ_KEY", "r")
    readers(Settings())


async def test_letters_go_by_smtp_once_a_host_is_named(monkeypatch):
    monkeypatch.setenv("SAGA_SMTP_HOST", "sandbox")
    config = Settings()
    writing, reading = writers(config), readers(config)
    assert (writing["mail"].grade, reading["mail"].grade) == ("lookup", "lookup")
    assert grades(config) == {"lookup"}
    await writing.close()
    await reading.close()


async def test_without_a_send_log_nothing_of_smtp_can_be_looked_up(monkeypatch):
    monkeypatch.setenv("SAGA_SMTP_HOST", "smtp.example")
    config = Settings()
    assert writers(config)["mail"].grade == "neither"
    assert grades(config) == {"neither"}


def test_who_only_looks_has_no_smtp_login(monkeypatch):
    monkeypatch.setenv("SAGA_SMTP_HOST", "smtp.example")
    monkeypatch.setenv("SAGA_SMTP_PASSWORD", "a-real-one")
    assert "a-real-one" in Smtp().arguments(SANDBOX, 8471, write=True).values()
    assert "a-real-one" not in Smtp().arguments(SANDBOX, 8471, write=False).values()


def grades(config) -> set[str]:
    tools = registry(config).tools.values()
    return {tool.grade for tool in tools if isinstance(tool, Tool) and tool.system == "mail"}
