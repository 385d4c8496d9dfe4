"""What was learnt, put in words by a language model: the figures stay ours, only the wording is its own."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from tellapart.codesearch.learn import Learnings, Wording
from tellapart.core.estimate import Estimate
from tellapart.core.fingerprint import sha256
from tellapart.core.progress import SILENT, Progress
from tellapart.llm.budget import Limits
from tellapart.llm.costs import Estimate as Cost
from tellapart.llm.models import LanguageModel
from tellapart.llm.prompts import read_prompt, schema_text
from tellapart.llm.questions import Question
from tellapart.llm.quoting import quote, visible
from tellapart.llm.run_models import RunCalls

MOST_ROWS = 20  # Rows of each table that a model is shown, the first ones
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


class InWords(BaseModel):
    """What a model replies."""

    model_config = ConfigDict(extra="forbid")

    terms: str
    places: str


def put_in_words(
    learnings: Learnings,
    model: LanguageModel,
    directory: Path,
    *,
    limits: Limits,
    progress: Progress = SILENT,
) -> Learnings:
    """Have a model word the two tables."""
    question = _question(learnings)
    with _calls(question, directory, limits, progress).opened() as calls:
        answer = calls.ask([question], model).by_id[question.id]
    said = {name: visible(text) for name, text in answer.value.model_dump().items()} if answer.value else {}
    why = f"{answer.failure.kind}: {answer.failure.detail}" if answer.failure else None
    return learnings.model_copy(update={"wording": Wording(model=model.name, **said, failed=why)})


def estimate_cost(
    learnings: Learnings, model: LanguageModel, directory: Path, *, limits: Limits
) -> dict[str, Cost]:
    """Estimate what wording would take; nothing is sent or written."""
    question = _question(learnings)
    calls = _calls(question, directory, limits, SILENT)
    return {model.name: calls.estimate([question], model, reply_characters=800)}


def _calls(question: Question[InWords], directory: Path, limits: Limits, progress: Progress) -> RunCalls:
    return RunCalls(directory / sha256(question.prompt.encode())[:16], limits, progress=progress)


def _question(learnings: Learnings) -> Question[InWords]:
    terms = [
        f"{row.term}: {row.noise} noise, {row.relevant} relevant, {row.without_verdict} without a verdict; "
        f"in {row.conversations} conversations; share of noise {_share(row.noise_share)}"
        for row in learnings.terms[:MOST_ROWS]
    ]
    places = [
        f"{row.place}: {row.missed} missed, {row.found} found, {row.noise} noise; recall {_share(row.recall)}"
        for row in learnings.places[:MOST_ROWS]
    ]
    tables = ["\n".join(" ".join(row.split()) for row in rows) or "(none)" for rows in (terms, places)]
    quoted = quote([*tables, "\n".join(learnings.notes) or "(nothing)"])
    prompt = read_prompt("tellapart.codesearch", "learn").render(
        marker=quoted.marker,
        **dict(zip(("terms", "places", "notes"), quoted.texts, strict=True)),
        schema=schema_text(InWords),
    )
    return Question("learnings", prompt, InWords, _only_numbers_of("\n".join(tables)))


def _share(estimate: Estimate) -> str:
    if estimate.value is None:
        return "not known"
    ends = estimate.interval
    interval = f" (95 % interval {100 * ends.low:.0f} to {100 * ends.high:.0f} %)" if ends else ""
    return f"{100 * estimate.value:.0f} %{interval}"


def _only_numbers_of(tables: str) -> Callable[[InWords], str | None]:
    """Make what says whether a reply has a number that is in none of the tables."""
    known = {*_NUMBER.findall(tables), "95"}

    def check(reply: InWords) -> str | None:
        strange = [
            number for number in _NUMBER.findall(f"{reply.terms} {reply.places}") if number not in known
        ]
        return f"{strange[0]!r} is no number of the tables" if strange else None

    return check
