"""The error tree: one class per decision that somebody takes on it.

A provider's file translates its vendor's errors into exactly three: `Refused` (a definite no), `NotSent`
(nothing can have happened) and `Unanswered` (no answer that counts). What nobody recognises is `Unanswered`.
"""

from __future__ import annotations


class SagaError(Exception):
    """Root of everything this project raises on purpose."""


class BadInput(SagaError):
    """What somebody typed does not fit. Nothing was written, nothing was sent."""

    def __init__(self, field: str, problem: str) -> None:
        """Name the `field` and say in `problem` what is allowed."""
        self.field, self.problem = field, problem
        super().__init__(f"{field}: {problem}" if field else problem)


class RegistrationError(SagaError):
    """A tool, counter-action or agent that must not be started with."""

    def __init__(self, tool: str, problem: str, mend: str) -> None:
        """Say which `tool`, what is the `problem`, and what to write as the `mend`."""
        self.tool, self.problem, self.mend = tool, problem, mend
        super().__init__(f"{tool}: {problem}. {mend}")


class IllegalTransition(SagaError):
    """A state change that the log does not allow: our own bug, so the workflow task fails and waits for a fix."""

    def __init__(self, step_idx: int, was: str, to: str) -> None:
        """Name the step and both states."""
        self.step_idx, self.was, self.to = step_idx, was, to
        super().__init__(f"step {step_idx}: {was} cannot become {to}")


class ProviderError(SagaError):
    """What became of one request to an outside system, when it did not simply succeed."""

    def __init__(self, message: str, *, code: str = "", status: int | None = None, remembered: bool = False) -> None:
        """`message` is short and clean: no headers, cookies or bodies (they would reach history and the model).

        `remembered`: the provider will replay this answer for ever under this key, so only another key can pass.
        """
        self.message, self.code, self.status, self.remembered = message, code, status, remembered
        super().__init__(message)


class Refused(ProviderError):
    """A definite no to this very write, in the provider's own error format: it did not happen."""


class NotSent(ProviderError):
    """Nothing of this request can have been done: connection refused, or turned away at the door (401, 403, 429).

    It speaks of this request only. Whether an earlier one landed is for the door to know.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str = "",
        status: int | None = None,
        retry_after_s: float | None = None,
        lasting: bool = False,
    ) -> None:
        """`retry_after_s` is the provider's wish; `lasting` (401, 403): waiting will not mend it."""
        super().__init__(message, code=code, status=status)
        self.retry_after_s, self.lasting = retry_after_s, lasting


class Unanswered(ProviderError):
    """No answer that counts: the effect may exist or not.

    Also an answer that speaks of another request (409 while the first runs, 400 for a re-used key).
    """
