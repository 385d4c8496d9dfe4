"""The judge on a search as a whole: scores by dimension, and the product area that it would choose."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, create_model

from tellapart.codesearch.judging.prompts import LONGEST_ISSUE, head
from tellapart.codesearch.model import UNCERTAIN, Assessment, Case, Failed, Snippet
from tellapart.llm.prompts import Prompt, read_prompt, schema_text
from tellapart.llm.questions import Answer, Question
from tellapart.llm.quoting import quote, visible

DIMENSIONS = ("file_relevance", "snippet_quality", "service_accuracy", "noise", "coverage", "gestalt")
"""What is scored, as far as it is defined for a search; see ``dimensions_of``."""

MOST_PATHS = 100
"""Paths of a list that are shown."""

MOST_SNIPPETS = 20
"""Pieces of code that are shown."""

LONGEST_SNIPPET = 1_000
"""Characters of one of them."""

_LONGEST_NAME = 100

Score = Annotated[int, Field(ge=1, le=5)]


@cache
def assess_prompt() -> Prompt:
    """The prompt of every conversation."""
    return read_prompt("tellapart.codesearch.judging", "assess")


def dimensions_of(case: Case) -> tuple[str, ...]:
    """The dimensions in which a search can be scored, in the order of ``DIMENSIONS``.

    Without files there is no relevance of files, no accuracy and no noise; without snippets no quality of
    theirs; without ground truth, nothing to hold coverage against. ``gestalt`` is always there.
    """
    undefined = set()
    if not case.ours:
        undefined |= {"file_relevance", "service_accuracy", "noise"}
    if not case.snippets:
        undefined.add("snippet_quality")
    if not case.ground_truth:
        undefined.add("coverage")
    return tuple(name for name in DIMENSIONS if name not in undefined)


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


def areas_of(areas: Collection[str]) -> tuple[str, ...]:
    """Product areas to choose from, sorted, ``UNCERTAIN`` last."""
    return (*sorted(set(areas) - {UNCERTAIN}), UNCERTAIN)


def assess_questions(
    cases: Sequence[Case], repositories: Sequence[str], areas: Collection[str]
) -> list[Question[BaseModel]]:
    """Ask about each search; the product area that the conversation has is not told."""
    ordered = areas_of(areas)
    return [
        Question(
            assess_id(number, case),
            _prompt(case, repositories, ordered),
            reply_for(dimensions_of(case)),
            area_in(len(ordered)),
        )
        for number, case in enumerate(cases, 1)
    ]


def _prompt(case: Case, repositories: Sequence[str], areas: Sequence[str]) -> str:
    dimensions = dimensions_of(case)
    shown = [snippet for snippet in case.snippets[:MOST_SNIPPETS] if "snippet_quality" in dimensions]
    our_files, explored_files = list(case.files), sorted(case.ground_truth)
    quoted = quote(
        [
            head(case.issue_summary, LONGEST_ISSUE),
            "\n".join(repositories),
            "\n".join(f"{number}. {_name(area)}" for number, area in enumerate(areas, 1)),
            _paths(our_files),
            _paths(explored_files),
            *(text for each in shown for text in (each.file, head(each.content, LONGEST_SNIPPET))),
        ]
    )
    issue, named_repositories, named_areas, found, known, *texts = quoted.texts
    return assess_prompt().render(
        marker=quoted.marker,
        issue=issue,
        repositories=named_repositories,
        areas=named_areas,
        found=found,
        found_extent=_extent(our_files),
        snippets=[
            {"path": path, "extent": _lines(snippet), "text": text}
            for snippet, path, text in zip(shown, texts[::2], texts[1::2], strict=True)
        ],
        dimensions=dimensions,
        known=known,
        known_extent=_extent(explored_files),
        uncertain=len(areas),
        schema=schema_text(reply_for(dimensions)),
    )


def assess_id(number: int, case: Case) -> str:
    """Name the question about a conversation, by its place from 1."""
    return f"{number}:{visible(case.id)}#whole"


def area_in(areas: int) -> Callable[[BaseModel], str | None]:
    """Make what says whether a reply names one of so many product areas."""

    def check(reply: BaseModel) -> str | None:
        chosen = reply.model_dump()["product_area"]
        if 1 <= chosen <= areas:
            return None
        return f"'product_area' is {chosen}, expected a number from 1 to {areas}"

    return check


def assessments_from(
    cases: Sequence[Case], areas: Collection[str], answers: Mapping[str, Answer[BaseModel]]
) -> dict[str, Assessment]:
    """What became of each conversation, by its id."""
    return {
        case.id: _assessment(answers[assess_id(number, case)], areas_of(areas))
        for number, case in enumerate(cases, 1)
    }


def _assessment(answer: Answer[BaseModel], areas: Sequence[str]) -> Assessment:
    if answer.value is None:
        assert answer.failure is not None
        return Assessment({}, failure=Failed.of(answer.failure))
    reply = answer.value.model_dump()
    scores = {name: reply[name] for name in DIMENSIONS if name in reply}
    return Assessment(scores, areas[reply["product_area"] - 1], visible(" ".join(reply["reasoning"].split())))


def _name(text: str) -> str:
    return " ".join(text.split())[:_LONGEST_NAME]


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
