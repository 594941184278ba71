"""The report: what was measured, as tables, each with its sample and what its exceptions are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median

from rich.box import SIMPLE_HEAD
from rich.table import Table

from workers.bench import tally
from workers.bench.bed import CACHE
from workers.bench.effects import FEW, MANY, Effects
from workers.bench.memory import WAITING, Memory
from workers.bench.pairs import PAIRS, Pairs
from workers.bench.seats import CALLERS, LEAST, LEFT, Seats
from workers.bench.settlements import Settlement, Settlements
from workers.bench.toys import ANSWER_S
from workers.bench.turns import EARLY, LATE, Growth
from workers.bench.unwinds import MANY as MANY_UNDONE
from workers.bench.unwinds import MOST, Unwinds
from workers.bench.unwinds import PAIRS as PAIRS_UNDONE

_ROWS = (
    ("begin and end", "begin and end", "begin and end"),
    ("turns of the model", "propose", "bare_ask"),
    ("reads with a credential", "read", "bare_read"),
    ("quick reads (local activities)", "quick read", "quick read"),
    ("effects", "perform", "bare_send"),
    ("approval (its timer and update; a signal)", tally.APPROVAL, tally.APPROVAL),
    ("admission", "admit", ""),
    ("search attributes, as the phase changes", "search attributes", ""),
    ("looks before the first commit", "find", ""),
)
"""Row of the table → its cause in our history and in the bare one."""


def per_effect(found: Effects) -> Table:
    """Events and requests of one further effect."""
    table = _table(f"One effect more: ({MANY} effects less {FEW}) / {MANY - FEW}, one run of each", "ours", "bare")
    bare = found.further("bare")
    for what, number in found.further("ours").items():
        table.add_row(what, f"{number:g}", f"{bare[what]:g}")
    return table


def of_story(found: Effects) -> Table:
    """All events of a run that stages, is approved and commits."""
    ours, bare = found.story.ours.events, found.story.bare.events
    mine, theirs = tally.by_cause(ours), tally.by_cause(bare)
    effects, looks = tally.activities(ours)["perform"], tally.activities(ours)["find"]
    title = f"Events of a whole run, {effects} effects round one approval; workflow tasks counted to their cause"
    table = _table(title, "ours", "bare", "more")
    for what, our_cause, bare_cause in _ROWS:
        table.add_row(what, *_three(mine.pop(our_cause, 0), theirs.pop(bare_cause, 0)))
    for cause in sorted(mine | theirs):
        table.add_row(cause, *_three(mine[cause], theirs[cause]))
    table.add_section()
    table.add_row("all", *_three(len(ours), len(bare)))
    table.add_row("workflow tasks", *_three(tally.workflow_tasks(ours), tally.workflow_tasks(bare)))
    table.caption = (
        f"Once a run, not once an effect: admission, attributes, approval, and {looks} looks (side by side, so that "
        "answers that come together share a workflow task)."
    )
    return table


def of_calls(found: Effects) -> Table:
    """Requests to the world in the same run."""
    ours, bare = found.story.ours.calls, found.story.bare.calls
    table = _table("Requests to the world in the same run", "ours", "bare", "more")
    for name in sorted(ours | bare):
        table.add_row(name, *_three(ours[name], bare[name]))
    table.add_section()
    table.add_row("all", *_three(ours.total(), bare.total()))
    table.caption = "More only where the looks before the first commit ask: once for each staged effect."
    return table


def of_lost(found: Effects) -> Table:
    """What a lost answer costs."""
    lost = found.lost
    table = _table("A lost answer (504 after the ticket was created), against one that came", "more")
    table.add_row("events of the run", str(lost.events))
    table.add_row("workflow tasks of the run (three where there was one)", str(lost.tasks))
    table.add_row("events of its reconciler", str(lost.child_events))
    table.add_row("workflow tasks of its reconciler", str(lost.child_tasks))
    for name, number in sorted(lost.calls.items()):
        table.add_row(f"requests: {name}", str(number))
    table.caption = "Two of the run's events say in the search attributes that something is unsettled, and settled."
    return table


def of_settlements(found: Settlements) -> Table:
    """How long rows stay UNKNOWN."""
    sizes = f"{len(found.found)} whose effect was found, {len(found.absent)} that were never there"
    title = f"From UNKNOWN to settled: medians (and spread) of rows, {sizes}"
    table = _table(title, "found", "", "absent", "")
    rows: tuple[tuple[str, Callable[[Settlement], float]], ...] = (
        ("from silence to settled, s", lambda each: each.took_s),
        ("the tool's clock, s", lambda each: each.clock_s),
        ("settled after it could be, s", lambda each: each.late_s),
        ("  the look itself, s", lambda each: each.lookup_s),
        ("  the rest, s", lambda each: each.rest_s),
        ("    workflow tasks after it could be, s", lambda each: each.tasks_s),
        ("    lateness of the timer, s", lambda each: each.timer_s),
        ("the rest, timer apart, by such tasks", lambda each: (each.rest_s - each.timer_s) / each.tasks_s),
    )
    for what, of in rows:
        table.add_row(what, *_spread(found.found, of), *_spread(found.absent, of))
    table.add_section()
    for what, of_kind in (("the run", "run_tasks"), ("its reconciler", "child_tasks")):
        counts = (sorted({getattr(each, of_kind) for each in kind}) for kind in (found.found, found.absent))
        found_in, absent_in = (", ".join(map(str, each)) for each in counts)
        table.add_row(f"workflow tasks of {what}", found_in, "", absent_in, "")
    table.caption = (
        "By the times in both histories, from the event that brought silence to the end of the task that settled the "
        "row; a task, from what brought it about to its end. By such tasks: 1 where nothing else came on top. An "
        "absence looks twice, at once and after the clock, so its reconciler has two tasks more."
    )
    return table


def of_unwinds(found: Sequence[Unwinds]) -> Table:
    """Twenty undone against one."""
    title = f"The unwind of {MANY_UNDONE} independent effects against one: medians of {PAIRS_UNDONE} pairs in turn"
    table = _table(title, "one, s", f"{MANY_UNDONE}, s", "ratio", "lowest", "highest", "tasks")
    for each in found:
        what = "the run's unwind" if each.kind == "ours" else "bare calls at once"
        answered = f"answered in {ANSWER_S:g} s" if each.slow else "answered at once"
        times = (f"{each.typical('one', 'took_s'):.3f}", f"{each.typical('many', 'took_s'):.3f}")
        ratios = (f"{ratio:.2f}" for ratio in (each.ratio, min(each.ratios), max(each.ratios)))
        tasks = f"{each.typical('one', 'tasks'):g} · {each.typical('many', 'tasks'):g}"
        table.add_row(f"{what}, {answered}", *times, *ratios, tasks)
    table.caption = (
        f"From the first COMPENSATION_REQUESTED to the close of the run; at most {MOST:g} is wanted. Bare calls made "
        "at once show what of it is Temporal's own price of so many activities."
    )
    return table


def of_seats(found: Seats) -> Table:
    """Reservations against the bare update."""
    title = f"{found.wanted:,} reservations by {CALLERS} callers on PostgreSQL, and as many bare conditional updates"
    table = _table(title, "ours", "bare", "ratio", "lowest", "highest")
    ratios = (f"{ratio:.2f}" for ratio in (found.ratio, min(found.ratios), max(found.ratios)))
    table.add_row("in a second", f"{found.ours:.0f}", f"{found.bare:.0f}", *ratios)
    table.add_row("seats promised that are not there", str(found.oversold), "", "", "", "")
    table.caption = (
        f"A reservation writes itself, what is said of it, and the pool; bare is the pool alone, one UPDATE with its "
        f"commit. At least {LEAST:g} is wanted. Then all ask for one of the last {LEFT} seats: {found.refused} refused."
    )
    return table


def of_turns(found: Sequence[Growth]) -> Table:
    """Bytes of history by turn."""
    columns = [f"to turn {EARLY}", f"to turn {LATE}", f"in turn {EARLY}", f"in turn {LATE}", "ratio", "events"]
    title = f"Bytes of history, 1 kB of text and one call a turn, one run of {LATE} turns each"
    table = _table(title, *columns)
    for each in found:
        call = "a quick read" if each.what == "read" else "an effect"
        sizes = (each.upto_early, each.upto_late, each.turn_early, each.turn_late)
        ratio = each.turn_late / each.turn_early
        table.add_row(f"{each.kind}, {call}", *(f"{size:,}" for size in sizes), f"{ratio:.2f}", f"{each.events:,}")
    table.caption = f"Ratio: bytes of turn {LATE} by bytes of turn {EARLY}. The bare one's model is told nothing."
    return table


def of_pairs(name: str, found: Pairs) -> Table:
    """Time and processor time."""
    title = f"{name}: medians of {PAIRS} pairs, ours and bare in turn"
    table = _table(title, "ours", "bare", "ratio", "lowest", "highest")
    rows = (
        ("wall, s", "wall_s"),
        ("processor time of the three workers, s", "workers_cpu_s"),
        ("processor time of the Temporal server, s", "server_cpu_s"),
    )
    for what, field in rows:
        low, high = found.spread(field)
        typical = (f"{found.typical(kind, field):.2f}" for kind in ("ours", "bare"))
        table.add_row(what, *typical, f"{found.ratio(field):.2f}", f"{low:.2f}", f"{high:.2f}")
    table.caption = (
        "The ratio is taken within each pair; processor time is counted in hundredths. Ours also admits the run, and "
        "asks it for the transcript at every turn."
    )
    return table


def of_memory(found: Memory) -> Table:
    """Resident memory of the runs worker."""
    title = f"Resident memory of one runs worker, {CACHE} runs in its cache, one process"
    table = _table(title, "MB", "over idle")
    rows = [("nothing to do", found.idle)]
    rows += [(f"{number} runs wait for approval", size) for number, size in found.waiting.items()]
    rows.append((f"for comparison: {WAITING} wait, all in the cache", found.all_cached))
    for what, size in rows:
        table.add_row(what, f"{size / 1e6:.0f}", f"{(size - found.idle) / 1e6:.0f}")
    table.caption = (
        f"A worker keeps 100 unless SAGA_MAX_CACHED_WORKFLOWS says otherwise; {CACHE} here, so that {WAITING} are ten "
        "times as many. Memory should follow the cache, not the runs."
    )
    return table


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, box=SIMPLE_HEAD, title_justify="left", caption_justify="left", min_width=78)
    table.add_column("", ratio=1)
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    return table


def _spread(kind: Sequence[Settlement], of: Callable[[Settlement], float]) -> tuple[str, str]:
    numbers = [of(each) for each in kind]
    return f"{median(numbers):.3f}", f"({min(numbers):.3f} to {max(numbers):.3f})"


def _three(ours: int, bare: int) -> tuple[str, str, str]:
    return str(ours), str(bare), str(ours - bare) if ours != bare else ""
