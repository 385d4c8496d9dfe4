"""Every conversation with its files: the data of the browser on the page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tellapart.codesearch.figures import Measure
from tellapart.codesearch.model import (
    Assessment,
    Case,
    Explored,
    Failed,
    JudgeVerdict,
)
from tellapart.codesearch.page.tables import FAILURES
from tellapart.codesearch.page.view import View
from tellapart.report.browser import Choice, clipped, fitting, item_browser
from tellapart.report.document import Widget

ROOM = 4_000_000
"""Letters that all of the judge's reasoning may take on a page."""

LEAST, MOST = 80, 600
"""Letters of one reasoning: so many are always shown, and never more."""

LONGEST_ISSUE = 4_000
"""Letters of an issue."""

NEITHER, RUN_A, RUN_B, BOTH = range(4)
"""Which runs found a file."""

NOISE, RELEVANT, FAILED = range(3)
"""What the judge said; None where nobody asked."""


def browser(view: View) -> Widget:
    """Browse conversations by area, by what went wrong, and by text."""
    data = browser_data(view)
    verdicts = {"noise": "some not relevant", "open": "some without a verdict", "nothing": "nothing relevant"}
    missed = {"some": "some files", "both": "files of both runs", "none": "none"}
    orders = {"first": "worst precision first", "second": "worst recall first", "missed": "most missed first"}
    return item_browser(
        data,
        noun="conversation",
        choices=(
            Choice.of("area", "Area", data["areas"]),
            Choice("verdict", "Our files", verdicts),
            Choice("missed", "Missed", missed),
            Choice("runs", "Runs", {"doubtful": "suspect or failed"}),
            Choice("sort", "Order", orders, "as evaluated"),
        ),
        searched="issue, id or paths",
        text="Every issue with the files that we found, in our order, who else found them, what the judge "
        "said, and what we missed.",
        package="tellapart.codesearch.page",
    )


def browser_data(view: View) -> dict[str, Any]:
    """Say everything once, with positions in place of repeated names."""
    reasonings = {text.reasoning for conversation in view.cases for text in conversation.verdicts.values()}
    cut = fitting(reasonings, ROOM, LEAST, MOST)
    names = {
        "files": _Names(),
        "areas": _Names(sorted({conversation.product_area for conversation in view.cases})),
        "terms": _Names(),
        "explorers": _Names(),
        "actions": _Names(),
        "texts": _Names(),
    }
    conversations = [_conversation(conversation, view.names, names, cut) for conversation in view.cases]
    return {
        **{name: list(values) for name, values in names.items()},
        "names": list(view.names),
        "conversations": conversations,
    }


class _Names(dict[str, int]):
    """Names by position, in the order in which they were first asked for."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        super().__init__((name, i) for i, name in enumerate(names))

    def at(self, name: str) -> int:
        return self.setdefault(name, len(self))


def _conversation(
    conversation: Case, measures: Sequence[str], names: Mapping[str, _Names], cut: int
) -> dict[str, Any]:
    position = {file: i for i, file in enumerate(conversation.files)}
    by_file, traced = _traces(conversation)
    led = {
        term: [position[file] for file in conversation.files if term in by_file.get(file, ())]
        for term in conversation.terms
    }
    return {
        "id": conversation.id,
        "issue": clipped(conversation.issue_summary, LONGEST_ISSUE),
        "area": names["areas"].at(conversation.product_area),
        "certainty": conversation.classification_confidence,
        "shares": [_share(conversation.measures.get(name, Measure())) for name in measures],
        "runs": [
            _run(run, again, names["explorers"])
            for run, again in (
                (conversation.run_a, conversation.retest_a),
                (conversation.run_b, conversation.retest_b),
            )
        ],
        "ours": [
            [
                names["files"].at(file),
                _found_by(conversation, file),
                *_verdict(conversation.verdicts.get(file), names, cut),
            ]
            for file in conversation.files
        ],
        "missed": [[names["files"].at(file), _found_by(conversation, file)] for file in missed(conversation)],
        "terms": [names["terms"].at(term) for term in conversation.terms],
        "led": list(led.values()) if traced else None,
        "traced": traced,
        "assessment": _assessment(conversation.assessment),
    }


def _traces(conversation: Case) -> tuple[Mapping[str, Sequence[str]], str | None]:
    """Terms by file, and who says so; a list holds a term once only if ``search_terms_used`` does."""
    if any(conversation.terms_by_file.values()):
        return conversation.terms_by_file, "as the search says"
    if any(conversation.terms_in_files.values()):
        return conversation.terms_in_files, "by the words in the files"
    return {}, None


def _found_by(conversation: Case, file: str) -> int:
    return RUN_A * (file in conversation.run_a.files) + RUN_B * (file in conversation.run_b.files)


def missed(case: Case) -> list[str]:
    """Files that a run found and we did not, those of both runs first, then by name."""
    return sorted(case.ground_truth_unique, key=lambda file: (file not in case.in_both_runs, file))


def _verdict(verdict: JudgeVerdict | None, names: Mapping[str, _Names], cut: int) -> list[int | None]:
    if verdict is None:
        return []
    if verdict.failure:
        return [FAILED, None, names["texts"].at(_why(verdict.failure, cut))]
    reasoning = names["texts"].at(clipped(verdict.reasoning, cut))
    return [RELEVANT if verdict.relevant else NOISE, names["actions"].at(verdict.actionable), reasoning]


def _why(failure: Failed, cut: int) -> str:
    parts = [part for part in (FAILURES.get(failure.kind), failure.detail) if part]
    return clipped(": ".join(parts) or failure.cause, cut)


def _share(measure: Measure) -> list[Any]:
    return [_rounded(measure.value), *map(_rounded, measure.bounds), measure.missing]


def _run(run: Explored, again: Explored | None, explorers: _Names) -> list[Any]:
    failure, repeated = run.failure, None
    why = failure and clipped(": ".join(filter(None, [failure.cause, failure.detail])), MOST)
    if again is not None and again.failure is None:
        repeated = [len(again.files), len({*again.files} & {*run.files})]
    return [explorers.at(run.explorer), len(run.files), why, run.suspect, repeated]


def _assessment(assessment: Assessment | None) -> dict[str, Any] | None:
    if assessment is None:
        return None
    if (failure := assessment.failure) is not None:
        return {"failed": ": ".join(filter(None, [failure.cause, failure.detail]))}
    reasoning = clipped(assessment.reasoning, MOST)
    return {"scores": assessment.scores, "area": assessment.product_area, "reasoning": reasoning}


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
