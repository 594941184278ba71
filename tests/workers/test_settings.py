"""Settings: what the environment says, and what it says wrongly."""

import os
import pwd

import pytest

from saga.draft import Pace
from saga.errors import BadInput
from workers.settings import PaceChange, environment, read

OWN = Pace(request_s=20, attempt_s=30, patience_s=600, tries=3)


@pytest.fixture(autouse=True)
def clean(monkeypatch):
    for name in list(os.environ):
        if name.startswith(("SAGA_", "TEMPORAL_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("TEMPORAL_CONFIG_FILE", os.devnull)


def test_nothing_set_means_the_house_of_make_up():
    config = read()
    assert config.sandbox == "http://127.0.0.1:8470"
    assert config.temporal() == {"target_host": "127.0.0.1:7233"}


def test_the_ports_of_make_up_are_where_clients_look(monkeypatch):
    monkeypatch.setenv("SAGA_TEMPORAL_PORT", "7300")
    monkeypatch.setenv("SAGA_SANDBOX_PORT", "8500")
    config = read()
    assert config.sandbox == "http://127.0.0.1:8500"
    assert config.temporal().get("target_host") == "127.0.0.1:7300"


def test_a_database_of_the_workspaces_is_one_that_the_sandbox_speaks_to(monkeypatch):
    assert read().databases == {}
    monkeypatch.setenv("SAGA_WORKSPACES_DATABASE", "postgresql://saga@db.example/workspaces")
    assert read().databases == {"workspaces": "postgresql://saga@db.example/workspaces"}
    monkeypatch.setenv("SAGA_WORKSPACES_DATABASE", "mysql://db.example/workspaces")
    with pytest.raises(BadInput, match="SAGA_WORKSPACES_DATABASE"):
        read()


def test_temporals_own_names_win(monkeypatch):
    monkeypatch.setenv("SAGA_TEMPORAL_PORT", "7300")
    monkeypatch.setenv("TEMPORAL_ADDRESS", "temporal.example:7233")
    monkeypatch.setenv("TEMPORAL_NAMESPACE", "support")
    assert read().temporal() == {"target_host": "temporal.example:7233", "namespace": "support"}


def test_a_profile_with_tls_is_read(monkeypatch, tmp_path):
    file = tmp_path / "temporal.toml"
    file.write_text('[profile.prod]\naddress = "t.example:7233"\n[profile.prod.tls]\nserver_name = "t.example"\n')
    monkeypatch.setenv("TEMPORAL_CONFIG_FILE", str(file))
    monkeypatch.setenv("TEMPORAL_PROFILE", "prod")
    config = read().temporal()
    assert config.get("target_host") == "t.example:7233"
    assert config.get("tls")


def test_an_unknown_profile_is_said_plainly(monkeypatch):
    monkeypatch.setenv("TEMPORAL_PROFILE", "nowhere")
    with pytest.raises(BadInput, match=r"TEMPORAL_PROFILE: .*nowhere"):
        read().temporal()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SAGA_UI_PORT", "many"),
        ("SAGA_REQUEST_S", "0"),
        ("SAGA_TRIES", "-1"),
        ("SAGA_PACE", "{"),
        ("SAGA_PACE", '{"payments": {"request": 1}}'),
        ("SAGA_LOG_LEVEL", "loud"),
    ],
)
def test_a_value_that_does_not_fit_names_its_variable(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    with pytest.raises(BadInput, match=name):
        read()


def test_an_empty_value_is_none(monkeypatch):
    monkeypatch.setenv("SAGA_UI_PORT", "")
    assert read().ui_port == 8233


def test_without_settings_a_pace_stays():
    config = read()
    assert config.pace_of("payments") == PaceChange()
    assert config.pace_of("payments").pace(OWN) == OWN
    assert config.pace_of("payments").lag_s(60) == 60


def test_a_systems_own_pace_goes_over_that_of_all(monkeypatch):
    monkeypatch.setenv("SAGA_REQUEST_S", "2")
    monkeypatch.setenv("SAGA_INDEX_LAG_S", "0")
    monkeypatch.setenv("SAGA_PACE", '{"payments": {"request_s": 1, "tries": 2}}')
    config = read()
    assert config.pace_of("payments").pace(OWN) == Pace(request_s=1, attempt_s=30, patience_s=600, tries=2)
    assert config.pace_of("tickets").pace(OWN) == Pace(request_s=2, attempt_s=30, patience_s=600, tries=3)
    assert config.pace_of("tickets").lag_s(60) == 0


def test_who_types_is_named_or_else_the_account(monkeypatch):
    assert read().person == pwd.getpwuid(os.getuid()).pw_name
    monkeypatch.setenv("SAGA_BY", "maria")
    assert read().person == "maria"


def test_a_process_of_the_house_is_led_to_no_other_server(monkeypatch):
    monkeypatch.setenv("TEMPORAL_PROFILE", "prod")
    monkeypatch.setenv("TEMPORAL_API_KEY", "secret")
    monkeypatch.setenv("SAGA_STRIPE_KEY", "secret")
    given = environment({"TEMPORAL_ADDRESS": "127.0.0.1:1"}, sandbox_only=True)
    temporal = {name: value for name, value in given.items() if name.startswith("TEMPORAL_")}
    assert temporal == {
        "TEMPORAL_ADDRESS": "127.0.0.1:1",
        "TEMPORAL_NAMESPACE": "default",
        "TEMPORAL_CONFIG_FILE": os.devnull,
    }
    assert "secret" not in given.values()
    assert environment({}, sandbox_only=False)["SAGA_STRIPE_KEY"] == "secret"
