"""The judge on a search as a whole: scores by dimension, and the product area that it would choose."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import cache
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, create_model

from tellapart.codesearch.judging.relevance import LONGEST_ISSUE, head
from tellapart.codesearch.metrics.judge import DIMENSIONS
from tellapart.codesearch.model import UNCERTAIN, Assessment, Case, Failed, Snippet
from tellapart.llm.costs import Estimate
from tellapart.llm.models import LanguageModel
from tellapart.llm.prompts import Prompt, read_prompt, schema_text
from tellapart.llm.questions import Answer, Question
from tellapart.llm.quoting import quote, visible
from tellapart.llm.run_models import RunCalls

MOST_PATHS = 100  # Paths of a list that are shown
MOST_SNIPPETS = 20  # Pieces of code that are shown
LONGEST_SNIPPET = 1_000  # Characters of one of them
_LONGEST_NAME = 100
_REPLY_CHARACTERS = sum(len(name) + 6 for name in DIMENSIONS) + 240

Score = Annotated[int, Field(ge=1, le=5)]


@cache
def assess_prompt() -> Prompt:
    """The prompt of every conversation."""
    return read_prompt("tellapart.codesearch.judging", "assess")


def dimensions_of(case: Case) -> tuple[str, ...]:
    """The dimensions in which a search can be scored, in the order of ``DIMENSIONS``."""
    needs = dict.fromkeys(("file_relevance", "service_accuracy", "noise"), bool(case.ours))
    needs |= {"snippet_quality": bool(case.snippets), "coverage": bool(case.ground_truth)}
    return tuple(name for name in DIMENSIONS if needs.get(name, True))


@cache
def reply_for(dimensions: tuple[str, ...]) -> type[BaseModel]:
    """The form of a reply: a score for each dimension, the number of a product area, and the reasoning."""
    fields: dict[str, Any] = dict.fromkeys(dimensions, (Score, ...))
    return create_model(
        "Assessed",
        __config__=ConfigDict(extra="forbid"),
        **fields,
        product_area=(int, ...),
        reasoning=(str, ...),
    )


def assess_questions(
    cases: Sequence[Case], repositories: Sequence[str], areas: Collection[str]
) -> list[Question[BaseModel]]:
    """Ask about each search; the product area that the conversation has is not told."""
    ordered = _areas_of(areas)
    return [
        Question(
            f"{number}:{visible(case.id)}#whole",
            _prompt(case, repositories, ordered),
            reply_for(dimensions_of(case)),
            _area_in(len(ordered)),
        )
        for number, case in enumerate(cases, 1)
    ]


def _areas_of(areas: Collection[str]) -> tuple[str, ...]:
    """Product areas to choose from, sorted, ``UNCERTAIN`` last."""
    return (*sorted(set(areas) - {UNCERTAIN}), UNCERTAIN)


def _prompt(case: Case, repositories: Sequence[str], areas: Sequence[str]) -> str:
    shown = case.snippets[:MOST_SNIPPETS]
    ours, known = list(case.files), sorted(case.ground_truth)
    names = (" ".join(area.split())[:_LONGEST_NAME] for area in areas)
    quoted = quote(
        [
            head(case.issue_summary, LONGEST_ISSUE),
            "\n".join(repositories),
            "\n".join(f"{number}. {name}" for number, name in enumerate(names, 1)),
            _paths(ours),
            _paths(known),
            *(text for each in shown for text in (each.file, head(each.content, LONGEST_SNIPPET))),
        ]
    )
    issue, quoted_repositories, quoted_areas, found, explored, *texts = quoted.texts
    return assess_prompt().render(
        marker=quoted.marker,
        issue=issue,
        repositories=quoted_repositories,
        areas=quoted_areas,
        found=found,
        found_extent=_extent(ours),
        snippets=[
            {"path": path, "extent": _lines(snippet), "text": text}
            for snippet, path, text in zip(shown, texts[::2], texts[1::2], strict=True)
        ],
        dimensions=dimensions_of(case),
        known=explored,
        known_extent=_extent(known),
        uncertain=len(areas),
        schema=schema_text(reply_for(dimensions_of(case))),
    )


def _area_in(areas: int) -> Callable[[BaseModel], str | None]:
    """Make what says whether a reply names one of so many product areas."""

    def check(reply: BaseModel) -> str | None:
        chosen = reply.model_dump()["product_area"]
        if 1 <= chosen <= areas:
            return None
        return f"'product_area' is {chosen}, expected a number from 1 to {areas}"

    return check


def _paths(paths: Sequence[str]) -> str:
    # A line end in a name would make two names of it.
    return "\n".join(" ".join(path.splitlines()) for path in paths[:MOST_PATHS]) or "(none)"


def _extent(paths: Sequence[str]) -> str:
    if len(paths) > MOST_PATHS:
        return f"the first {MOST_PATHS} of {len(paths):,}"
    return f"{len(paths)} in all"


def _lines(snippet: Snippet) -> str:
    if snippet.line_start is None:
        return "its code"
    end = f" to {snippet.line_end}" if snippet.line_end is not None else ""
    return f"its code, {'lines' if end else 'from line'} {snippet.line_start}{end}"


def assessment_of(answer: Answer[BaseModel], areas: Collection[str]) -> Assessment:
    """What became of a question."""
    if answer.value is None:
        assert answer.failure is not None
        return Assessment({}, failure=Failed.of(answer.failure))
    reply = answer.value.model_dump()
    scores = {name: reply[name] for name in DIMENSIONS if name in reply}
    area = _areas_of(areas)[reply["product_area"] - 1]
    return Assessment(scores, area, visible(" ".join(reply["reasoning"].split())))


def assessing_step(model: LanguageModel) -> str:
    """What assessing by a model is called where progress is shown."""
    return f"{model.name}, assessing"


def assess_cases(
    cases: Sequence[Case],
    model: LanguageModel,
    repositories: Sequence[str],
    areas: Collection[str],
    calls: RunCalls,
) -> tuple[list[Case], dict[str, Any]]:
    """Have each search assessed as a whole: cases with assessments, and what the record says of that."""
    questions = assess_questions(cases, repositories, areas)
    calls.check(model, questions)
    with calls.opened() as open_calls:
        answers = open_calls.ask(questions, model, label=assessing_step(model))
    assessed = [
        replace(case, assessment=assessment_of(answers.by_id[question.id], areas))
        for case, question in zip(cases, questions, strict=True)
    ]
    return assessed, {model.name: answers.record}


def estimate_assessing(
    cases: Sequence[Case],
    model: LanguageModel,
    repositories: Sequence[str],
    areas: Collection[str],
    calls: RunCalls,
) -> Estimate:
    """Estimate what `assess_cases` takes."""
    questions = assess_questions(cases, repositories, areas)
    return calls.estimate(questions, model, reply_characters=_REPLY_CHARACTERS)
