"""The world's clock, which every lag, hold, expiry and forgetting uses, and the alarms set on it."""

import time

from workers.sandbox.store import Store


class Clock(Store):
    """Runs with the wall clock, ahead of it, or stands still; its time is kept in the file."""

    def now(self) -> float:
        """Epoch seconds on the world's clock: the wall clock plus what was advanced, or where it stands."""
        clock = self._setting("clock")
        if clock is None:
            return time.time()
        return clock["stands"] if clock["stands"] is not None else time.time() + clock["ahead_s"]

    def advance(self, seconds: float) -> float:
        """Move the clock by `seconds`; answers the new time."""
        return self.set_clock(self.now() + seconds, frozen=self.clock_frozen())

    def set_clock(self, now: float, *, frozen: bool = False) -> float:
        """Set the clock to `now`; `frozen` makes it stand until it is set or advanced again."""
        stands = now if frozen else None
        self._set("clock", {"stands": stands, "ahead_s": now - time.time()})
        return self.now()

    def clock_frozen(self) -> bool:
        """Whether the clock stands still."""
        clock = self._setting("clock")
        return clock is not None and clock["stands"] is not None

    def alarm(self, system: str, ref: str, at: float) -> None:
        """Ask that the system's `expire(world, ref)` be called once the clock has reached `at`."""
        self._rows("INSERT OR REPLACE INTO alarm VALUES (?, ?, ?)", (system, ref, at))

    def unalarm(self, system: str, ref: str) -> None:
        """Take an alarm back; none is fine too."""
        self._rows("DELETE FROM alarm WHERE system = ? AND ref = ?", (system, ref))

    def take_due(self) -> list[tuple[str, str]]:
        """The alarms that have come due as (system, ref), oldest first, taken off the list."""
        now = self.now()
        due = self._rows("SELECT system, ref FROM alarm WHERE at <= ? ORDER BY at", (now,))
        if due:
            self._rows("DELETE FROM alarm WHERE at <= ?", (now,))
        return [(system, ref) for system, ref in due]
