"""Queues, timeouts and retries, each with the argument for its number. Nothing else names one."""

from __future__ import annotations

from datetime import timedelta

from temporalio.common import RetryPolicy

RUNS, TOOLS, LOOKUPS = "agent-runs", "tools", "lookups"

HEARTBEAT = timedelta(seconds=5)
"""Five missed beats: a killed worker is noticed, a busy one is not taken for dead."""

SEND_RETRY = RetryPolicy(
    initial_interval=timedelta(seconds=1), backoff_coefficient=2.0, maximum_interval=timedelta(seconds=30)
)
"""Without a limit on attempts: the door ends them (non-retryable) and the row's patience bounds them."""

LOOK_ATTEMPT = timedelta(seconds=120)
"""One look may page through lists: several requests, each with its own limit."""
LOOK_RETRY = RetryPolicy(
    initial_interval=timedelta(seconds=1), backoff_coefficient=2.0, maximum_interval=timedelta(seconds=60)
)
LOOK_PAUSE = timedelta(seconds=5)
"""Between two looks at what is not there yet, doubled each time, until the half's clock has passed."""
LOOK_LIMIT = timedelta(minutes=15)
"""After this a person is called. Longer than a provider's usual incident page takes to go up, short enough that the
customer has not noticed."""
PENDING_POLL = timedelta(minutes=5)
PENDING_LIMIT = timedelta(days=10)
"""A refund may be pending for days (Stripe: 5 to 10 business days to reach the card)."""

LOOK_AGAIN_LIMIT = timedelta(minutes=5)
"""A look at what is known already, as before the first commit: a provider that cannot be asked for that long is no
ground to commit on."""

UNDO_STALE = timedelta(minutes=10)
"""An undo that was confirmed so long before the unwind ends is looked at once more: a refund may fail days later."""

UNDO_TRIES = 3
"""Tries of a counter-action that the provider refuses, each under its own key, before a person is called."""
UNDO_PAUSE = timedelta(seconds=30)
"""Between those tries, doubled each time: long enough for a lock or a dependency to clear."""

READ_ATTEMPT = timedelta(seconds=30)
READ_LIMIT = timedelta(minutes=5)
READ_RETRY = RetryPolicy(initial_interval=timedelta(seconds=1), maximum_interval=timedelta(seconds=30))
CHECK_ATTEMPT = timedelta(seconds=15)
CHECK_LIMIT = timedelta(seconds=60)
"""A check only spares a call that would be refused anyway, so a provider that is down for longer is not waited for: the
call goes on, and has patience of its own."""
QUICK_ATTEMPT = timedelta(seconds=2)
"""A local activity holds up updates and queries; the worker warns at 5 s."""
QUICK_LIMIT = timedelta(seconds=10)
"""What talks to nobody mends itself at once or not at all, and meanwhile the run answers nobody."""

MODEL_ATTEMPT = timedelta(seconds=120)
MODEL_LIMIT = timedelta(hours=1)
"""An overloaded model is waited for; nothing is lost meanwhile."""
MODEL_RETRY = RetryPolicy(initial_interval=timedelta(seconds=2), maximum_interval=timedelta(seconds=60))

ADMIT_ATTEMPT = timedelta(seconds=30)
ADMIT_RETRY = RetryPolicy(initial_interval=timedelta(seconds=1), maximum_interval=timedelta(seconds=10))

CANCEL_FOLLOWS = timedelta(seconds=15)
"""`saga cancel` sends its reason first and Temporal's cancel after it; a run ends as Cancelled only with both."""
CANCEL_NOTED = timedelta(hours=1)
"""Nothing waits for it: it is the event that a cancel leaves. Longer than most unwinds, so that it seldom fires."""
NEED_NOTED = timedelta(days=1)
"""Nothing waits for it either: the event that a question to a person leaves. A wait of a month costs thirty of them."""
HOLD_MARGIN = timedelta(minutes=5)
"""The deadline lies this much before the first hold ends, so that a yes in the last second can still be carried out."""
