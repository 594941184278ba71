"""Who may do what with a bearer token: one that writes and reads, one that only reads, and every other."""

from dataclasses import dataclass

from workers.sandbox.route import View


@dataclass(frozen=True)
class Tokens:
    """The tokens of one system; `writes` is None where nothing is written with a token."""

    reads: str
    writes: str | None = None

    def refused(self, view: View) -> int | None:
        """401 for a token that nobody knows, or none; 403 for a write with one that only reads."""
        token = view.bearer()
        if token is None or token not in {self.reads, self.writes}:
            return 401
        if view.method != "GET" and token != self.writes:
            return 403
        return None
