"""The list of runs: what each is, what it shows, and how far it has come."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from queue import Queue
from threading import Lock, Thread
from typing import Any

from tellapart.cli.run_summary import ONE_MODEL, summarise, verdict_of
from tellapart.core.fingerprint import sha256
from tellapart.errors import InputError, TellapartError, option
from tellapart.llm.journal import CALL
from tellapart.readers.forms import are_judgments
from tellapart.readers.reader import NoItemScores
from tellapart.store import read_frame
from tellapart.store.database import RunDatabase
from tellapart.store.runs import DATABASE, SCORES, STEP
from tellapart.view.folder import Entry, entries, entry_at
from tellapart.view.loaded import Loaded, load


@dataclass
class Listing:
    """Rows about the entries of a folder; what takes long is found out by a thread, one entry at a time."""

    root: Path
    load: Callable[[Sequence[Entry]], Loaded] = load
    _last: dict[str, Entry] = field(default_factory=dict)
    _summaries: dict[tuple[Path, tuple[int, ...]], dict[str, Any]] = field(default_factory=dict)
    _looking: Lock = field(default_factory=Lock)
    _asked: set[tuple[Path, tuple[int, ...]]] = field(default_factory=set)
    _wanted: Queue[Entry] = field(default_factory=Queue)
    _thread: Thread | None = None

    def entries(self) -> dict[str, Entry]:
        """The entries as they are now, by id."""
        self._last = {entry.id: entry for entry in entries(self.root)}
        return self._last

    def find(self, ids: Sequence[str]) -> dict[str, Entry]:
        """Some entries as they are now; those that are not there are left out."""
        listed = self._last if self._last.keys() >= set(ids) else self.entries()
        known = [listed[id_] for id_ in ids if id_ in listed]
        again = [entry_at(self.root, entry.location, entry.kind) for entry in known]
        return {entry.id: entry for entry in again if entry is not None}

    def same_evaluation(self, entry: Entry) -> list[dict[str, Any]] | None:
        """Rows of the runs of the same items, the earliest first; None while rows are still being read."""
        rows = self.rows()
        runs = {row["id"]: row for row in rows["runs"]}
        evaluation = runs.get(entry.id, {}).get("evaluation")
        if rows["busy"]:
            return None
        if not evaluation:
            raise InputError("this has no scores, and so no history", where=entry.path)
        same = [row for row in runs.values() if row.get("evaluation") == evaluation]
        return sorted(same, key=lambda row: (row["changed_s"] or 0.0, row["path"]))

    def rows(self) -> dict[str, Any]:
        """Runs as JSON has them, and whether something about them is still being found out."""
        with self._looking:
            return self._rows()

    def _rows(self) -> dict[str, Any]:
        shown, unread, missing = [], [], []
        current = list(self.entries().values())
        states = {(entry.location, entry.changed) for entry in current}
        # In place: the thread writes into it.
        for state in list(self._summaries):
            if state not in states:
                del self._summaries[state]
        self._asked &= states
        summaries = {entry.id: self._summaries.get((entry.location, entry.changed)) for entry in current}
        read = {entry.location.parent for entry in current if "unread" not in (summaries[entry.id] or {})}
        for entry in current:
            summary = _growing(entry) if entry.is_growing else summaries[entry.id]
            if summary is None and not entry.error:
                missing.append(entry)
            if summary and summary.get("is_averages") and entry.location.parent in read:
                continue
            if summary and summary.get("unread"):
                unread.append({"path": entry.path, "error": summary["unread"]})
            else:
                # What turns out to hold no scores is listed as unread then.
                shown.append(_row(entry, summary))
        self._ask(missing)
        return {"root": self.root.resolve().name, "runs": shown, "unread": unread, "busy": bool(missing)}

    def _ask(self, missing: Sequence[Entry]) -> None:
        for entry in missing:
            if (entry.location, entry.changed) not in self._asked:
                self._asked.add((entry.location, entry.changed))
                self._wanted.put(entry)
        if missing and self._thread is None:
            self._thread = Thread(target=self._work, daemon=True)
            self._thread.start()

    def _work(self) -> None:
        while True:
            entry = self._wanted.get()
            self._summaries[entry.location, entry.changed] = _summary(entry, self.load)


def _growing(entry: Entry) -> dict[str, Any]:
    """How many calls and steps a run has that is not complete."""
    try:
        with RunDatabase(entry.location / DATABASE, read_only=True) as database:
            counts = {"calls": database.count(CALL), "steps": database.count(STEP)}
    except TellapartError:
        counts = {}
    summary = summarise(entry.location, entry.record)
    return _at_a_glance(summary.models, summary.items, "") | counts


def _summary(entry: Entry, load: Callable[[Sequence[Entry]], Loaded]) -> dict[str, Any]:
    """What has to be read for: models, items, verdict; or why nothing can be read."""
    try:
        if entry.kind == "run":
            summary = summarise(entry.location, entry.record)
            asked = read_frame(entry.location / SCORES, ["item"])["item"].unique() if entry.has_scores else ()
            return _at_a_glance(summary.models, summary.items, summary.verdict) | {
                "evaluation": _evaluation(asked)
            }
        if are_judgments(entry.location):
            with_them = option("qrels", entry.location)
            return {"unread": f"These are judgments of rankings, which {with_them} shows"}
        grid = load([entry]).grid
        verdict = verdict_of(grid) if len(grid.models) > 1 else ONE_MODEL
        return _at_a_glance(grid.models, len(grid.items), verdict) | {"evaluation": _evaluation(grid.items)}
    except NoItemScores as error:
        # What a harness writes beside its scores is passed over there, as an audit of the folder does.
        return {"unread": _why(error), "is_averages": True}
    except Exception as error:  # Whatever one file does to a reader, the others are listed.
        why = _why(error) if isinstance(error, TellapartError) else f"{type(error).__name__}: {error}"
        return {"unread" if entry.kind == "scores" else "error": why}


def _at_a_glance(models: Sequence[str], items: int | None, verdict: str) -> dict[str, Any]:
    return {"models": list(models), "items": items, "verdict": verdict}


def _evaluation(items: Iterable[str]) -> str:
    """A name for the items of a run: runs of the same evaluation have the same."""
    ids = sorted(items)
    return sha256("\n".join(ids).encode("utf-8", "surrogatepass"))[:12] if ids else ""


def _why(error: TellapartError) -> str:
    return f"{error.what}. {error.next_step}" if error.next_step else error.what


def _row(entry: Entry, summary: dict[str, Any] | None) -> dict[str, Any]:
    record = entry.record
    status = "damaged" if entry.error else "scores" if record is None else str(record.status)
    if entry.is_growing:
        status = "not complete"
    return {
        "id": entry.id,
        "path": entry.path,
        "kind": entry.kind,
        "suite": record.suite if record else "",
        "status": status,
        "changed_s": entry.changed[0] / 1e9 if entry.changed else None,
        "models": None,
        "items": None,
        "verdict": None,
        "error": entry.error,
        "has_scores": entry.has_scores,
        **(summary or {}),
    }
