"""Idempotency keys: made from run and step, never from anything a model wrote."""

from __future__ import annotations

from hashlib import sha256

OPEN_KEY = "{key}"
"""Stands in a counter-action's arguments where the forward key goes, until the workflow has given the step its key."""


def step_key(run_id: str, step_idx: int, tool: str, attempt: int = 1) -> str:
    """The key of a step's call: 32 hex digits. `attempt` counts tries of the half; the first adds nothing."""
    return _key(f"{run_id}:{step_idx}:{tool}", attempt)


def compensation_key(run_id: str, step_idx: int, tool: str, attempt: int = 1) -> str:
    """The key of a step's counter-action; `tool` is the forward one.

    `attempt` above 1 only after the try before it is proven to have had no effect: an error that the provider
    remembers under a key would otherwise be replayed for ever.
    """
    return _key(f"{run_id}:{step_idx}:compensate:{tool}", attempt)


def correction_key(run_id: str, step_idx: int, tool: str, attempt: int = 1) -> str:
    """The key of the message that puts right what `tool` told somebody."""
    return _key(f"{run_id}:{step_idx}:correct:{tool}", attempt)


def run_tag(run_id: str) -> str:
    """12 hex digits that stand for a run where its id does not fit (Jira labels)."""
    return sha256(run_id.encode()).hexdigest()[:12]


def _key(text: str, attempt: int) -> str:
    suffix = "" if attempt == 1 else f":{attempt}"
    return sha256(f"{text}{suffix}".encode()).hexdigest()[:32]
