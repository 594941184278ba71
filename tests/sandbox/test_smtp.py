"""SMTP: what a mail client sees of each fault, by phase, and what the world has afterwards."""

import asyncio
import smtplib
import time
from collections.abc import Callable
from email.message import EmailMessage
from typing import Any

import httpx
import pytest

from workers.sandbox.app import Sandbox
from workers.sandbox.faults import FaultPlan

KEY = "a" * 32
TO = ["mara.lindqvist@customers.test"]


def _letter(run: str = "run-7", to: list[str] | None = None) -> EmailMessage:
    letter = EmailMessage()
    letter["From"] = "Support <support@sandbox.test>"
    letter["To"] = ", ".join(to or TO)
    letter["Subject"] = "Größe und Preis"
    letter["X-Saga-Key"] = KEY
    letter["X-Saga-Run"] = run
    letter["X-Saga-Execution"] = "0a1b2c3d4e5f"
    letter.set_content("Une lampe arrive.\n.\nÀ bientôt\n")
    letter.add_alternative("<p>Une lampe arrive.</p>", subtype="html")
    return letter


def _deliver(port: int, letter: EmailMessage, password: str = "mail-write", timeout_s: float = 5) -> Any:
    with smtplib.SMTP("127.0.0.1", port, local_hostname="test", timeout=timeout_s) as client:
        client.login("agent", password)
        return client.send_message(letter)


async def _send(sandbox: Sandbox, letter: EmailMessage | None = None, **more: Any) -> Any:
    return await asyncio.to_thread(_deliver, sandbox.smtp_port, letter or _letter(), **more)


async def _talk(sandbox: Sandbox, talk: Callable[[smtplib.SMTP], Any]) -> Any:
    def work() -> Any:
        with smtplib.SMTP("127.0.0.1", sandbox.smtp_port, local_hostname="test", timeout=5) as client:
            return talk(client)

    return await asyncio.to_thread(work)


def _arm(sandbox: Sandbox, fault: str, **more: Any) -> None:
    sandbox.faults.arm(FaultPlan(system="mail", operation="send", fault=fault, **more))


def _lines(sandbox: Sandbox) -> list[tuple[Any, ...]]:
    return [(line["fault"], line["status"], line["key"]) for line in sandbox.world.calls()]


async def test_a_message_is_an_effect_and_stands_in_the_send_log(sandbox):
    assert await _send(sandbox) == {}
    [effect] = sandbox.world.effects()
    assert (effect.system, effect.kind, effect.state) == ("mail", "mail.send", "standing")
    assert (effect.key, effect.run, effect.execution) == (KEY, "run-7", "0a1b2c3d4e5f")
    assert (effect.audience, effect.about["to"]) == (["customer"], TO)
    assert _lines(sandbox) == [(None, 250, KEY)]
    headers = {"Authorization": "Bearer mail-read"}
    async with httpx.AsyncClient(base_url=sandbox.url, headers=headers) as client:
        query = {"header": "X-Saga-Key", "value": KEY}
        [entry] = (await client.get("/mail/log", params=query)).json()["data"]
    assert (entry["id"], entry["via"], entry["to"]) == (effect.ref, "smtp", TO)
    assert (entry["subject"], entry["from"]) == ("Größe und Preis", "Support <support@sandbox.test>")
    assert entry["text"] == "Une lampe arrive.\n.\nÀ bientôt\n"
    assert entry["html"] == "<p>Une lampe arrive.</p>\n"
    assert entry["headers"]["X-Saga-Run"] == "run-7"


async def test_nothing_is_deduplicated(sandbox):
    await _send(sandbox)
    await _send(sandbox)
    assert [effect.key for effect in sandbox.world.effects()] == [KEY, KEY]


async def test_the_recipients_are_those_of_the_envelope(sandbox):
    await _talk(sandbox, lambda c: (c.login("agent", "mail-write"), c.sendmail("a@b.test", TO, b"Hello\r\n")))
    [effect] = sandbox.world.effects()
    assert (effect.about["to"], effect.key) == (TO, None)


async def test_a_login_is_needed_and_only_the_writers_counts(sandbox):
    assert await _talk(sandbox, lambda c: (c.ehlo(), c.mail("a@b.test"))[1][0]) == 530
    assert await _talk(sandbox, lambda c: (c.ehlo(), c.rcpt(TO[0]))[1][0]) == 503
    for password in ("mail-read", "", "wrong"):
        with pytest.raises(smtplib.SMTPAuthenticationError) as caught:
            await _send(sandbox, password=password)
        assert caught.value.smtp_code == 535
    assert sandbox.world.effects() == []


async def test_a_malformed_recipient_is_refused(sandbox):
    with pytest.raises(smtplib.SMTPRecipientsRefused) as caught:
        await _send(sandbox, _letter(to=["mara@localhost"]))
    assert caught.value.recipients["mara@localhost"][0] == 553
    assert sandbox.world.effects() == []


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ("refuse:550", 550),
        ("refuse:552", 552),
        ("refuse:422", 550),
        ("refuse:451", 451),
        ("429:30", 451),
        ("in_use", 451),
    ],
)
async def test_a_refusal_comes_at_rcpt_and_nothing_is_sent(sandbox, fault, code):
    _arm(sandbox, fault)
    with pytest.raises(smtplib.SMTPRecipientsRefused) as caught:
        await _send(sandbox)
    assert caught.value.recipients[TO[0]][0] == code
    assert sandbox.world.effects() == []
    assert _lines(sandbox) == [(fault, code, None)]
    await _send(sandbox)
    assert len(sandbox.world.effects()) == 1


async def test_a_refused_message_is_refused_to_all_and_counts_once(sandbox):
    _arm(sandbox, "refuse:550", times=2)
    to = [*TO, "tom.okafor@customers.test"]
    for _ in range(2):
        with pytest.raises(smtplib.SMTPRecipientsRefused) as caught:
            await _send(sandbox, _letter(to=to))
        assert set(caught.value.recipients) == set(to)
    assert await _send(sandbox, _letter(to=to)) == {}
    assert len(sandbox.world.calls()) == 3


@pytest.mark.parametrize("fault", ["outage:60", "before:503"])
async def test_a_service_that_is_down_says_421_and_closes(sandbox, fault):
    _arm(sandbox, fault)

    def talk(client: smtplib.SMTP) -> int:
        client.login("agent", "mail-write")
        client.mail("a@b.test")
        code, _ = client.rcpt(TO[0])
        with pytest.raises(smtplib.SMTPServerDisconnected):
            client.docmd("NOOP")
        return code

    assert await _talk(sandbox, talk) == 421
    assert sandbox.world.effects() == []
    assert _lines(sandbox) == [(fault, 421, None)]


@pytest.mark.parametrize(
    ("fault", "sent"),
    [("before:reset", 0), ("after:reset", 1), ("after:504", 1), ("after:500", 1)],
)
async def test_a_dropped_connection_looks_the_same_whatever_was_done(sandbox, fault, sent):
    _arm(sandbox, fault)
    with pytest.raises(smtplib.SMTPServerDisconnected):
        await _send(sandbox)
    assert len(sandbox.world.effects()) == sent
    assert _lines(sandbox) == [(fault, None, KEY)]


@pytest.mark.parametrize("fault", ["after:truncate", "after:blank200", "after:204", "after:html200"])
async def test_an_answer_that_is_no_answer_leaves_the_message_sent(sandbox, fault):
    _arm(sandbox, fault)
    with pytest.raises((smtplib.SMTPDataError, smtplib.SMTPServerDisconnected)) as caught:
        await _send(sandbox)
    assert getattr(caught.value, "smtp_code", -1) < 200
    assert len(sandbox.world.effects()) == 1


async def test_a_slow_answer_is_done_before_it_is_given(sandbox):
    _arm(sandbox, "after:slow:5", times=2)
    began = time.monotonic()
    with pytest.raises((TimeoutError, smtplib.SMTPServerDisconnected)):
        await _send(sandbox, timeout_s=0.3)
    assert time.monotonic() - began < 3
    assert len(sandbox.world.effects()) == 1
    assert _lines(sandbox) == [("after:slow:5", 250, KEY)]
    sandbox.faults.disarm()
    _arm(sandbox, "after:slow:0.2")
    assert await _send(sandbox) == {}


async def test_delivered_twice_is_two_messages(sandbox):
    _arm(sandbox, "duplicate")
    assert await _send(sandbox) == {}
    assert len(sandbox.world.effects()) == 2


async def test_partial_refuses_the_first_recipients_only(sandbox):
    _arm(sandbox, "partial:1")
    to = [*TO, "tom.okafor@customers.test"]
    refused = await _send(sandbox, _letter(to=to))
    assert set(refused) == {to[0]}
    assert sandbox.world.effects()[0].about["to"] == to[1:]


async def test_skip_counts_messages_and_the_connection_serves_several(sandbox):
    _arm(sandbox, "after:reset", skip=2)

    def talk(client: smtplib.SMTP) -> None:
        client.login("agent", "mail-write")
        client.send_message(_letter())
        client.rset()
        client.send_message(_letter())
        with pytest.raises(smtplib.SMTPServerDisconnected):
            client.send_message(_letter())

    await _talk(sandbox, talk)
    assert len(sandbox.world.effects()) == 3


@pytest.mark.parametrize(
    ("fault", "error", "sent"),
    [
        ("refuse:550", smtplib.SMTPDataError, 0),
        ("429:5", smtplib.SMTPDataError, 0),
        ("before:503", smtplib.SMTPDataError, 0),
        ("before:reset", smtplib.SMTPServerDisconnected, 0),
        ("after:reset", smtplib.SMTPServerDisconnected, 1),
    ],
)
async def test_a_fault_for_one_run_strikes_when_the_headers_have_named_it(sandbox, fault, error, sent):
    _arm(sandbox, fault, run="run-7")
    assert await _send(sandbox, _letter(run="run-8")) == {}
    with pytest.raises(error):
        await _send(sandbox)
    assert len(sandbox.world.effects(run="run-7")) == sent
    assert [line["fault"] for line in sandbox.world.calls()] == [None, fault]
    assert sandbox.faults.armed() == []


async def test_faults_of_other_operations_leave_smtp_alone(sandbox):
    sandbox.faults.arm(FaultPlan(system="mail", operation="draft", fault="refuse:500"))
    sandbox.faults.arm(FaultPlan(system="mail", operation="search", fault="blind"))
    assert await _send(sandbox) == {}


async def test_many_at_once_are_all_recorded(sandbox):
    await asyncio.gather(*(_send(sandbox) for _ in range(20)))
    assert len(sandbox.world.effects()) == 20
