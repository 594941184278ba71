"""Stripe's lists: newest first, by pages (`starting_after`, `ending_before`) and a `created` window."""

from workers.sandbox import payments_input as read
from workers.sandbox.documents import Comparison
from workers.sandbox.payments_error import Refusal, missing
from workers.sandbox.payments_record import SYSTEM, shown
from workers.sandbox.route import Ctx, Reply

_PAGE = 10
_LARGEST_PAGE = 100
_NAMES = {"intent": "payment_intent", "charge": "charge", "refund": "refund"}


def page(ctx: Ctx, kind: str, *, filters: tuple[str, ...], expandable: set[str]) -> Reply:
    """One page of what is kept under `kind`, by equality with `filters`."""
    query = ctx.query
    read.known(query, {"limit", "starting_after", "ending_before", "created", *filters})
    expand = read.expand(query, {f"data.{name}" for name in expandable})
    limit = read.integer(query, "limit", most=_LARGEST_PAGE) or _PAGE
    wanted: list[Comparison] = [(f"wire.{name}", "=", read.text(query, name)) for name in filters if name in query]
    wanted += read.window(query)
    after, before = read.text(query, "starting_after"), read.text(query, "ending_before")
    if after and before:
        raise Refusal("You may only specify one of these parameters: starting_after, ending_before.")
    for name, ref in (("starting_after", after), ("ending_before", before)):
        if ref and ctx.world.get(SYSTEM, kind, ref) is None:
            raise missing(_NAMES[kind], ref, param=name, status=400)
    found = ctx.world.page(SYSTEM, kind, wanted, limit=limit + 1, older_than=after, newer_than=before)
    more = len(found) > limit
    # Backwards the one too many is the newest, which stands first.
    found = (found[-limit:] if before else found[:limit]) if more else found
    if ctx.blind:
        found, more = [], False
    names = {name.removeprefix("data.") for name in expand}
    data = [shown(ctx.world, doc["wire"], names) for doc in found]
    return Reply(200, {"object": "list", "data": data, "has_more": more, "url": ctx.path})
