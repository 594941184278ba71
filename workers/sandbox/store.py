"""One SQLite file: tables, transactions, settings.

WAL with synchronous=NORMAL: what is committed survives the death of the process, not of the machine.
"""

import json
import sqlite3
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

Doc = dict[str, Any]

_SCHEMA = """
CREATE TABLE IF NOT EXISTS setting (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS effect (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, system TEXT NOT NULL, kind TEXT NOT NULL, key TEXT, run TEXT,
  execution TEXT, ref TEXT NOT NULL, state TEXT NOT NULL, amount_minor INTEGER, currency TEXT,
  audience TEXT NOT NULL, at REAL NOT NULL, about TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS effect_ref ON effect (system, ref, kind);
CREATE INDEX IF NOT EXISTS effect_key ON effect (key);
CREATE INDEX IF NOT EXISTS effect_run ON effect (run);
CREATE TABLE IF NOT EXISTS doc (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, system TEXT NOT NULL, kind TEXT NOT NULL, ref TEXT NOT NULL,
  body TEXT NOT NULL, UNIQUE (system, kind, ref));
CREATE INDEX IF NOT EXISTS doc_order ON doc (system, kind, seq);
CREATE TABLE IF NOT EXISTS memory (
  system TEXT NOT NULL, key TEXT NOT NULL, at REAL NOT NULL, body TEXT NOT NULL, PRIMARY KEY (system, key));
CREATE TABLE IF NOT EXISTS alarm (
  system TEXT NOT NULL, ref TEXT NOT NULL, at REAL NOT NULL, PRIMARY KEY (system, ref));
CREATE INDEX IF NOT EXISTS alarm_at ON alarm (at);
CREATE TABLE IF NOT EXISTS call (seq INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS fault (seq INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT NOT NULL);
"""
_BUSY_S = 10
"""How long to wait for another process that has the file: a dying one lets go at once."""


class Store:
    """The file. Safe between threads; a transaction has it for itself."""

    def __init__(self, directory: Path | str) -> None:
        """Open, or create, `world.db` in `directory`."""
        path = Path(directory)
        path.mkdir(parents=True, exist_ok=True)
        self._lock = threading.RLock()
        self._depth = 0
        self._settings: dict[str, Doc | None] = {}
        """As they stand in the file, which nobody else writes; every request asks for the clock several times."""
        self._db = sqlite3.connect(path / "world.db", isolation_level=None, check_same_thread=False, timeout=_BUSY_S)
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=NORMAL")
        self._db.executescript(_SCHEMA)

    def close(self) -> None:
        """Close the file; nothing is lost if this is never called."""
        with self._lock:
            self._db.close()

    @contextmanager
    def transaction(self) -> Generator[None]:
        """Everything inside is committed together, or not at all; may be nested (the outermost counts)."""
        with self._lock:
            if self._depth == 0:
                self._db.execute("BEGIN IMMEDIATE")
            self._depth += 1
            try:
                yield
            except BaseException:
                self._depth -= 1
                if self._depth == 0:
                    self._db.execute("ROLLBACK")
                    self._settings.clear()
                raise
            self._depth -= 1
            if self._depth == 0:
                self._db.execute("COMMIT")

    def _rows(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._lock:
            return self._db.execute(sql, values).fetchall()

    def _insert(self, sql: str, values: Sequence[Any]) -> int:
        with self._lock:
            return int(self._db.execute(sql, values).lastrowid or 0)

    def _setting(self, name: str) -> Doc | None:
        with self._lock:
            if name not in self._settings:
                rows = self._rows("SELECT value FROM setting WHERE name = ?", (name,))
                self._settings[name] = json.loads(rows[0][0]) if rows else None
            return self._settings[name]

    def _set(self, name: str, value: Doc) -> None:
        with self._lock:
            self._rows("INSERT OR REPLACE INTO setting VALUES (?, ?)", (name, json.dumps(value)))
            self._settings[name] = value
