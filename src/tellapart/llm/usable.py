"""Check, before any work starts, whether models can be asked and whether they need to be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tellapart.errors import TellapartError
from tellapart.llm.asking import recorded
from tellapart.llm.connection import connect
from tellapart.llm.journal import CallJournal
from tellapart.llm.models import LanguageModel
from tellapart.llm.questions import Question
from tellapart.llm.recorded_calls import Reading


def check_usable(
    model: LanguageModel, questions: Iterable[Question[Any]] | None, journals: Sequence[Path]
) -> None:
    """See that a model could be asked: the extra, the provider, its package, its key; nothing is sent.

    A model of which nothing is left to ask needs none of these, nor does one that answers from a recording.

    Args:
        model: Who would be asked.
        questions: All of them; iterated only when the model could not be asked, up to the first without an
            answer. None where they are not known yet: then one reply of this model, to whatever, is enough.
        journals: Of this run and of one that is taken over; those that are not there hold nothing.

    Raises:
        MissingExtra: Inspect is not installed.
        UsageError: The provider is unknown, or lacks what it needs.
        InputError: A journal cannot be read.
    """
    if model.recording is not None:
        return
    try:
        connect(model, max_connections=1)
    except TellapartError:
        if _is_left(model, questions, journals):
            raise


def _is_left(
    model: LanguageModel, questions: Iterable[Question[Any]] | None, journals: Sequence[Path]
) -> bool:
    with ExitStack() as stack:
        there = [stack.enter_context(CallJournal(path, read_only=True)) for path in journals if path.exists()]
        if questions is None:
            return not any(
                journal.models[model.name].calls for journal in there if model.name in journal.models
            )
        reading = Reading(there)
        return any(recorded(question, model, reading) is None for question in questions)
