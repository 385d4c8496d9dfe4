"""What became of many questions, read from the journal when it is looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic

from tellapart.llm.asking import read
from tellapart.llm.journal import CallJournal
from tellapart.llm.questions import Answer, Question, Reply


@dataclass(frozen=True)
class Answers(Generic[Reply]):
    """What a model answered.

    Attributes:
        by_id: An answer for every question, in the questions' order; to be read while the journal is open.
        record: What ``ModelUse.record`` says of all calls in the journal to this model, those of earlier
            processes included.
    """

    by_id: Mapping[str, Answer[Reply]]
    record: dict[str, Any]

    @property
    def requested(self) -> dict[str, Any]:
        """Parameters as asked for."""
        requested: dict[str, Any] = self.record["requested"]
        return requested

    @property
    def effective(self) -> dict[str, Any]:
        """Parameters as they went over the wire; empty where nothing was sent."""
        effective: dict[str, Any] = self.record["effective"]
        return effective


class AnswersOnDisk(Mapping[str, Answer[Reply]]):
    """Answers by question, of which only the place in the journal is held: replies are long and many."""

    def __init__(self, journal: CallJournal) -> None:
        """Begin with none."""
        self._journal = journal
        self._places: dict[str, Answer[Reply] | _Place[Reply] | None] = {}
        self.answered = 0
        self.failed = 0

    def expect(self, question: Question[Reply]) -> None:
        """Give a question its place in the order."""
        self._places[question.id] = None

    def keep(self, question: Question[Reply], answer: Answer[Reply], key: str | None) -> None:
        """Take an answer, by its call's key where the journal holds it."""
        kept = (
            None if key is None else _Place(replace(question, prompt=""), bytes.fromhex(key), answer.repaired)
        )
        self._places[question.id] = kept or answer
        self.answered += 1
        self.failed += answer.failure is not None

    def __getitem__(self, id: str) -> Answer[Reply]:
        """Read an answer anew."""
        kept = self._places[id]
        if kept is None:
            raise KeyError(id)
        if isinstance(kept, Answer):
            return kept
        call = self._journal.get(kept.key.hex()) or {}
        # A call that was not made, since the money was used up, has no messages.
        sent = call.get("messages")
        question = replace(kept.question, prompt=sent[0]["content"]) if sent else kept.question
        return read(question, call, repaired=kept.repaired)

    def __iter__(self) -> Iterator[str]:
        """Go through the questions in their order."""
        return iter(self._places)

    def __len__(self) -> int:
        """Count the questions."""
        return len(self._places)


@dataclass(frozen=True, slots=True)
class _Place(Generic[Reply]):
    question: Question[Reply]
    key: bytes
    repaired: bool
