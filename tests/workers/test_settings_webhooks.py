"""The customers' endpoints as settings: the sandbox's by default, and no secret where none is needed."""

import json
import os
from typing import Any

import pytest

from saga.errors import BadInput
from workers.composition import readers, writers
from workers.settings import Settings, environment
from workers.settings_webhooks import WebhookEndpoints

SANDBOX = "http://127.0.0.1:8470"
NAME = "SAGA_WEBHOOKS_ENDPOINTS"
SECRET = "whsec_" + "YS1yZWFsLXNlY3JldC1vZi1zb21lYm9keS1pbmRlZWQ="
ACME = {"url": "https://hooks.acme.example/in?token=1", "secret": SECRET}


@pytest.fixture(autouse=True)
def clean(monkeypatch):
    for name in list(os.environ):
        if name.startswith("SAGA_WEBHOOKS_"):
            monkeypatch.delenv(name)


def test_the_sandbox_is_the_default_and_who_only_looks_has_no_secret():
    writing, reading = (WebhookEndpoints().arguments(SANDBOX, write=write) for write in (True, False))
    assert writing == {"url": f"{SANDBOX}/webhooks", "secret": writing["secret"], "endpoints": {}}
    assert writing["secret"]
    assert reading == {**writing, "secret": ""}


def test_real_endpoints_leave_nothing_to_the_sandbox(monkeypatch):
    monkeypatch.setenv(NAME, json.dumps({"acme": ACME}))
    assert WebhookEndpoints().real
    assert WebhookEndpoints().arguments(SANDBOX, write=True) == {"url": "", "secret": "", "endpoints": {"acme": ACME}}
    reading = WebhookEndpoints().arguments(SANDBOX, write=False)
    assert reading["endpoints"] == {"acme": {"url": ACME["url"]}}
    assert SECRET not in repr(reading) + repr(WebhookEndpoints())


async def test_only_the_named_clients_have_an_endpoint(monkeypatch):
    monkeypatch.setenv(NAME, json.dumps({"acme": ACME}))
    for providers, secret in ((writers(Settings()), SECRET), (readers(Settings()), "")):
        endpoint = providers["webhooks"].endpoint("acme")
        assert (endpoint.url, endpoint.secret) == (ACME["url"], secret)
        assert providers["webhooks"].endpoint("globex") is None
        await providers.close()


@pytest.mark.parametrize(
    ("client", "change", "where"),
    [
        ("Acme", {}, "Acme"),
        ("../acme", {}, "../acme"),
        ("acme", {"url": "http://hooks.acme.example/in"}, "acme.url"),
        ("acme", {"url": "http://10.0.0.1/in"}, "acme.url"),
        ("acme", {"url": "ftp://hooks.acme.example/in"}, "acme.url"),
        ("acme", {"url": "https://who:s3cret@hooks.acme.example/in"}, "acme.url"),
        ("acme", {"url": "https:///in"}, "acme.url"),
        ("acme", {"url": "hooks.acme.example"}, "acme.url"),
        ("acme", {"url": 7}, "acme.url"),
        ("acme", {"secret": ""}, "acme.secret"),
        ("acme", {"secret": "whsec_c2hvcnQ="}, "acme.secret"),
        ("acme", {"secret": "whsec_not base64 at all, however long it may be"}, "acme.secret"),
        ("acme", {"secret": "whsec_" + "QUFB" * 22}, "acme.secret"),
        ("acme", {"secrets": SECRET}, "acme.secrets"),
    ],
)
def test_what_does_not_fit_is_named_at_the_start_and_no_secret_is_told(monkeypatch, client, change, where):
    monkeypatch.setenv(NAME, json.dumps({client: {**ACME, **change}}))
    for make in (writers, readers):
        with pytest.raises(BadInput) as bad:
            make(Settings())
        assert bad.value.field.startswith(f"{NAME} {where}")
        assert not any(told in str(bad.value) for told in (SECRET, "s3cret"))


@pytest.mark.parametrize("text", ["acme", "[]", '{"acme": 7}', "{"])
def test_what_is_no_object_is_named_too(monkeypatch, text):
    monkeypatch.setenv(NAME, text)
    with pytest.raises(BadInput, match=NAME):
        writers(Settings())


@pytest.mark.parametrize("url", ["http://127.0.0.1:9000/in", "http://localhost/in", "http://[::1]:9000/in"])
def test_on_this_machine_http_will_do(monkeypatch, url):
    monkeypatch.setenv(NAME, json.dumps({"acme": {**ACME, "url": url}}))
    assert WebhookEndpoints().arguments(SANDBOX, write=True)["endpoints"]["acme"]["url"] == url


def test_there_is_no_one_address(monkeypatch):
    monkeypatch.setenv("SAGA_WEBHOOKS_URL", "https://hooks.example")
    with pytest.raises(BadInput, match=r"SAGA_WEBHOOKS_URL.*SAGA_WEBHOOKS_ENDPOINTS"):
        readers(Settings())


def test_no_secret_reaches_a_process_that_is_the_sandboxs(monkeypatch):
    monkeypatch.setenv(NAME, json.dumps({"acme": ACME}))
    kept: dict[str, Any] = {**environment({}, sandbox_only=True)}
    assert NAME not in kept
    assert NAME in environment({}, sandbox_only=False)
