"""Every call to a model, in a run's database: resuming, replaying and regrading read it."""

from __future__ import annotations

from collections.abc import Coroutine, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from tellapart.errors import InputError, UsageError, near_match
from tellapart.files.writing import SQLITE
from tellapart.llm.models import REPLAY, LanguageModel, Respondent
from tellapart.llm.systems import recorded_system
from tellapart.llm.usage import ModelUse
from tellapart.store.database import Entry, RunDatabase
from tellapart.store.runs import DATABASE

if TYPE_CHECKING:
    from tellapart.llm.calls import Call, Request

CALL, ASKED, SENT = "calls", "requested", "sent"
"""Kinds of entries: calls by key; by model how it was asked, and what went out."""

CALLS = "calls.db"
"""Database with the calls by which a benchmark was made; a run has them in its own."""

Result = TypeVar("Result")


class CallJournal:
    """The calls that a run's database holds, by key, and what is known of each model that was asked."""

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        """Open a database with calls, or begin one."""
        self.path = path
        self.models: dict[str, ModelUse] = {}
        self._database = RunDatabase(path, read_only=read_only)
        try:
            for row in self._database.rows(CALL, ASKED, SENT):
                self._count(row.kind, row.key, row.entry)
        except BaseException:
            self._database.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file, which is a single one then if nobody else has it open."""
        self._database.settle()
        self._database.close()

    def get(self, key: str) -> Entry | None:
        """The last call with this key, or None."""
        return self._database.last(CALL, key)

    def __len__(self) -> int:
        """Count the calls, repeated ones once."""
        return self._database.count(CALL)

    def append(self, key: str, call: Entry) -> None:
        """Add a call; ``call["model"]`` is the name of who was asked."""
        self._add(CALL, key, call)

    def note_requested(self, model: str, requested: dict[str, Any]) -> None:
        """Write down how a model is asked, unless the journal says so already."""
        use = self.models.get(model)
        if use is None or requested not in use.requested:
            self._add(ASKED, model, requested)

    def note_sent(self, model: str, sent: dict[str, set[str]]) -> None:
        """Write down values of parameters that went over the wire, as JSON each, unless they are there."""
        if fresh := self.models.get(model, ModelUse()).not_yet_sent(sent):
            self._add(SENT, model, fresh)

    def _add(self, kind: str, key: str, entry: Entry) -> None:
        self._database.add(kind, entry, key)
        self._count(kind, key, entry)

    def _count(self, kind: str, key: str, entry: Entry) -> None:
        use = self.models.setdefault(entry["model"] if kind == CALL else key, ModelUse())
        if kind == CALL:
            use.add(entry)
        elif kind == ASKED:
            use.requested.append(entry)
        else:
            use.note_sent(entry)


def fingerprint(path: Path) -> str:
    """A hash of all calls that a file holds, and of how models were asked."""
    with RunDatabase(path, read_only=True) as database:
        return database.fingerprint(CALL, ASKED)


def has_calls(path: Path) -> bool:
    """Whether a file is there and holds calls."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        if file.read(len(SQLITE)) != SQLITE:
            return False
    with RunDatabase(path, read_only=True) as database:
        return database.count(CALL) > 0


class Unknown(Exception):
    """A call is in no journal."""


class NotRecorded(Unknown):
    """A call is not in the recording that answers in the place of a model."""


class RecordedCalls:
    """Calls that journals hold, by key: those of the run itself before those of ``earlier`` runs.

    Where they are ``final``, nothing will be asked, and calls that brought no reply are known as well. A call
    that is used is ``copied_to`` the run's journal, so that the run stays whole without the others. With
    ``only_usable``, a question is asked again whose reply in an earlier run could not be used.
    """

    def __init__(
        self,
        own: Sequence[CallJournal],
        earlier: Sequence[CallJournal] = (),
        *,
        final: bool = False,
        copied_to: CallJournal | None = None,
        only_usable: bool = False,
    ) -> None:
        """Look calls up in all these journals."""
        self.own, self.earlier, self.final, self.copied_to = tuple(own), tuple(earlier), final, copied_to
        self.only_usable = only_usable and not final

    def get(self, key: str) -> Call | None:
        """The first call with this key that need not be made; None without one."""
        for journal in (*self.own, *self.earlier):
            call = journal.get(key)
            if call is None or ("failure" in call and not self.final):
                continue
            if self.copied_to not in (None, journal):
                self.copied_to.note_sent(call["model"], journal.models[call["model"]].sent)
                self.copied_to.append(key, {**call, "reused": True})
            return call
        return None

    async def call(self, request: Request) -> Call:
        """Answer in the place of a model; raises ``Unknown`` where the call is not there."""
        call = self.get(request.key)
        if call is None:
            raise NotRecorded if self.final else Unknown
        return call


@contextmanager
def reading(
    own: Sequence[Path], earlier: Sequence[Path] = (), *, final: bool = False, only_usable: bool = False
) -> Iterator[RecordedCalls]:
    """Open journals to look calls up; those that are not there hold nothing, and nothing is written."""
    with ExitStack() as stack:
        opened = [
            [stack.enter_context(CallJournal(path, read_only=True)) for path in paths if path.exists()]
            for paths in (own, earlier)
        ]
        yield RecordedCalls(*opened, final=final, only_usable=only_usable)


def without_waiting(work: Coroutine[Any, Any, Result]) -> Result:
    """What a coroutine gives that waits for nothing, such as one whose calls are all looked up."""
    try:
        work.send(None)
    except StopIteration as end:
        result: Result = end.value
        return result
    work.close()
    raise RuntimeError("what is looked up may wait for nothing")


def replayed(name: str) -> list[Respondent]:
    """The models and systems of a journal, each to be asked as it was then."""
    location, _, chosen = name.removeprefix(REPLAY).partition("#")
    path = calls_file(Path(location))
    with CallJournal(path, read_only=True) as journal:
        parameters = {name: use.requested for name, use in journal.models.items()}
    if chosen and chosen not in parameters:
        raise UsageError(
            f"this journal holds no calls to {chosen!r}", where=path, next_step=near_match(chosen, parameters)
        )
    return [
        _as_asked(requested, path)
        for name, sets in parameters.items()
        if chosen in ("", name)
        for requested in sets
    ]


def calls_file(path: Path) -> Path:
    """The database with the calls of a run or a benchmark, complete or not; ``path`` itself if it is that."""
    for file in (path, path / DATABASE, path / CALLS, path / "llm" / CALLS):
        if has_calls(file):
            return file
    raise InputError(
        "there are no calls here: expected the directory of a run or a benchmark",
        where=path,
        next_step="Only those have some in which language models were asked",
    )


def journals_of(runs: Path | Sequence[Path] | None) -> list[Path]:
    """The journals of calls of one or several runs; see `calls_file`."""
    if runs is None:
        return []
    return [calls_file(path) for path in ([runs] if isinstance(runs, Path) else runs)]


def _as_asked(requested: dict[str, Any], path: Path) -> Respondent:
    if "system" in requested:
        return recorded_system(requested, path)
    parameters = {"name" if name == "model" else name: value for name, value in requested.items()}
    return LanguageModel(**parameters, recording=path)
