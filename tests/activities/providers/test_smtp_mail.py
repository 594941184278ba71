"""SMTP by phase: before DATA nothing was sent, after the final dot only a whole answer counts."""

import asyncio
import time
from typing import Any

import pytest

from saga.errors import NotSent, ProviderError, Refused, Unanswered
from tests.activities.outside import KEY, Outside, call
from tests.activities.paying import LETTER, mail_reader, smtp
from tests.activities.stub import Talk, closed_port, talking

TAGS = call(LETTER).tags


async def send(outside: Outside, **how: Any) -> ProviderError:
    """What becomes of a letter that is handed in so."""
    with pytest.raises(ProviderError) as error:
        await smtp(outside, **how).send(LETTER.letter, TAGS)
    return error.value


def server(**says: str | None) -> Talk:
    """A server that says this at that word, or `slow` does; None: it hangs up there; `never`: it says no more."""
    replies = {
        "GREET": "220 hi",
        "EHLO": "250 hi",
        "MAIL": "250 ok",
        "RCPT": "250 ok",
        "DATA": "354 go",
        "DOT": "250 ok",
    }
    replies |= says

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        word = "GREET"
        while True:
            reply = replies.get(word, "250 ok")
            if reply is None:
                return
            if reply == "never":
                await asyncio.sleep(60)
            if reply.startswith("slow "):
                await asyncio.sleep(1.2)
                reply = reply.removeprefix("slow ")
            writer.write(f"{reply}\r\n".encode())
            await writer.drain()
            if word == "DATA" and reply.startswith("354"):
                await reader.readuntil(b"\r\n.\r\n")
                word = "DOT"
                continue
            word = (await reader.readuntil(b"\r\n"))[:4].decode().strip().upper()

    return talk


async def test_a_letter_arrives_whole_with_the_key_in_its_headers(outside: Outside):
    letter = LETTER.model_copy(update={"subject": "Dein Päckchen", "body": "Grüße,\n.\nein Punkt, und Ende.\n"}).letter
    await smtp(outside).send(letter, TAGS)
    (seen,) = await mail_reader(outside).carrying("log", KEY, since=0)
    assert (seen.letter.to, seen.letter.subject) == (letter.to, letter.subject)
    assert seen.letter.text.split() == letter.text.split()
    assert seen.marks["message-id"] == f"<{KEY}@sandbox.test>"


@pytest.mark.parametrize("fault", ["refuse:550", "refuse:503", "refuse:400", "partial:1"])
async def test_t16_refused_before_data_is_a_refusal(outside: Outside, fault: str):
    outside.arm("mail", "send", fault)
    problem = await send(outside)
    assert isinstance(problem, Refused)
    assert outside.effects() == []


@pytest.mark.parametrize("fault", ["refuse:450", "refuse:451", "429:3", "in_use", "outage:30", "before:503"])
async def test_t16_not_now_before_data_was_not_sent(outside: Outside, fault: str):
    outside.arm("mail", "send", fault)
    problem = await send(outside)
    assert isinstance(problem, NotSent)
    assert not problem.lasting
    assert outside.effects() == []


async def test_t16_a_connection_lost_after_the_dot_is_unknown_though_nothing_was_done(outside: Outside):
    outside.arm("mail", "send", "before:reset")
    assert isinstance(await send(outside), Unanswered)
    assert outside.effects() == []


async def test_t16_an_answer_that_outlasts_the_time_limit_is_unknown(outside: Outside):
    outside.arm("mail", "send", "after:slow:20")
    assert isinstance(await send(outside, timeout_s=2), Unanswered)
    assert len(outside.effects()) == 1


async def test_delivered_twice_is_two_letters_and_both_are_seen(outside: Outside):
    outside.arm("mail", "send", "duplicate")
    await smtp(outside).send(LETTER.letter, TAGS)
    assert len(await mail_reader(outside).carrying("log", KEY, since=0)) == 2


async def test_nobody_listens_so_nothing_was_sent(outside: Outside):
    assert isinstance(await send(outside, port=await closed_port()), NotSent)


async def test_a_login_that_is_not_accepted_sent_nothing_and_waiting_does_not_mend_it(outside: Outside):
    problem = await send(outside, password="wrong")
    assert isinstance(problem, NotSent)
    assert problem.lasting


@pytest.mark.parametrize(
    ("says", "kind"),
    [
        ({"GREET": None}, NotSent),
        ({"GREET": "554 go away"}, NotSent),
        ({"GREET": "421 busy"}, NotSent),
        ({"EHLO": None}, NotSent),
        ({"MAIL": None}, NotSent),
        ({"MAIL": "550 not you"}, Refused),
        ({"MAIL": "451 later"}, NotSent),
        ({"RCPT": None}, NotSent),
        ({"RCPT": "550 nobody"}, Refused),
        ({"RCPT": "450 later"}, NotSent),
        ({"RCPT": "hello"}, NotSent),
        ({"DATA": "554 no"}, Refused),
        ({"DATA": "451 later"}, NotSent),
        ({"DATA": None}, Unanswered),
        ({"DOT": None}, Unanswered),
        ({"DOT": "554 spam"}, Refused),
        ({"DOT": "451 later"}, Unanswered),
        ({"DOT": "25"}, Unanswered),
        ({"DOT": ""}, Unanswered),
        ({"DOT": "<html>OK</html>"}, Unanswered),
        ({"DOT": "251 perhaps"}, Unanswered),
    ],
)
async def test_t16_what_an_answer_means_hangs_on_the_phase(outside: Outside, says, kind):
    async with talking(server(**says)) as port:
        assert isinstance(await send(outside, port=port), kind)


@pytest.mark.parametrize(("word", "kind"), [("GREET", NotSent), ("RCPT", NotSent), ("DOT", Unanswered)])
async def test_the_time_limit_is_one_of_the_whole_conversation(outside: Outside, word: str, kind):
    """T3."""
    began = time.monotonic()
    async with talking(server(**{word: "never"})) as port:
        assert isinstance(await send(outside, port=port, timeout_s=2), kind)
    assert time.monotonic() - began < 20


async def test_many_short_waits_are_one_long_one(outside: Outside):
    slow = dict.fromkeys(("EHLO", "MAIL", "RCPT"), "slow 250 ok")
    async with talking(server(**slow)) as port:
        assert isinstance(await send(outside, port=port, timeout_s=2), NotSent)


async def test_a_goodbye_is_not_waited_for(outside: Outside):
    async with talking(server(QUIT="never")) as port:
        await smtp(outside, port=port).send(LETTER.letter, TAGS)


async def test_there_are_no_drafts_over_smtp(outside: Outside):
    service = smtp(outside)
    for ask in (service.write, service.send_draft, service.delete_draft, service.draft):
        with pytest.raises(Refused) as refused:
            await ask("draft_1", TAGS)
        assert refused.value.code == "no_drafts"
    assert await service.carrying("drafts", KEY, since=0) == []


def test_what_it_can_promise_hangs_on_the_send_log(outside: Outside):
    assert smtp(outside).grade == "neither"
    assert smtp(outside, log=mail_reader(outside)).grade == "lookup"
    assert mail_reader(outside).grade == "key_and_lookup"
