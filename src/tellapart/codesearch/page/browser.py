"""Every conversation with its files: the data of the browser on the page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tellapart.codesearch.page.cells import FAILURES
from tellapart.codesearch.page.view import View
from tellapart.codesearch.results.evaluation import (
    AssessmentRecord,
    ConversationRecord,
    ExplorationRecord,
    JudgementRecord,
    MeasureRecord,
)
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
    reasonings = {
        text.reasoning for conversation in view.conversations for text in conversation.our_unique_judgments
    }
    cut = fitting(reasonings, ROOM, LEAST, MOST)
    names = {
        "files": _Names(),
        "areas": _Names(sorted({conversation.product_area for conversation in view.conversations})),
        "terms": _Names(),
        "explorers": _Names(),
        "actions": _Names(),
        "texts": _Names(),
    }
    conversations = [
        _conversation(conversation, view.names, names, cut) for conversation in view.conversations
    ]
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
    conversation: ConversationRecord, measures: Sequence[str], names: Mapping[str, _Names], cut: int
) -> dict[str, Any]:
    position = {file: i for i, file in enumerate(conversation.our_files)}
    by_file, traced = _traces(conversation)
    led = {
        term: [position[file] for file in conversation.our_files if term in by_file.get(file, ())]
        for term in conversation.search_terms_used
    }
    return {
        "id": conversation.conversation_id,
        "issue": clipped(conversation.issue_summary, LONGEST_ISSUE),
        "area": names["areas"].at(conversation.product_area),
        "certainty": conversation.classification_confidence,
        "shares": [_share(conversation.measures.get(name, MeasureRecord())) for name in measures],
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
            for file in conversation.our_files
        ],
        "missed": [[names["files"].at(file), _found_by(conversation, file)] for file in conversation.missed],
        "terms": [names["terms"].at(term) for term in conversation.search_terms_used],
        "led": list(led.values()) if traced else None,
        "traced": traced,
        "assessment": _assessment(conversation.assessment),
    }


def _traces(conversation: ConversationRecord) -> tuple[Mapping[str, Sequence[str]], str | None]:
    """Terms by file, and who says so; a list holds a term once only if ``search_terms_used`` does."""
    if any(conversation.terms_by_file.values()):
        return conversation.terms_by_file, "as the search says"
    if any(conversation.terms_in_files.values()):
        return conversation.terms_in_files, "by the words in the files"
    return {}, None


def _found_by(conversation: ConversationRecord, file: str) -> int:
    return (RUN_A if file in conversation.in_a else 0) + (RUN_B if file in conversation.in_b else 0)


def _verdict(verdict: JudgementRecord | None, names: Mapping[str, _Names], cut: int) -> list[int | None]:
    if verdict is None:
        return []
    if verdict.failed:
        return [FAILED, None, names["texts"].at(_why(verdict, cut))]
    reasoning = names["texts"].at(clipped(verdict.reasoning, cut))
    return [RELEVANT if verdict.relevant else NOISE, names["actions"].at(verdict.actionable), reasoning]


def _why(verdict: JudgementRecord, cut: int) -> str:
    kind = FAILURES.get(verdict.failed_kind or "")
    parts = [part for part in (kind, verdict.failed_detail) if part]
    return clipped(": ".join(parts) or verdict.failed_cause or "", cut)


def _share(measure: MeasureRecord) -> list[Any]:
    return [_rounded(measure.value), *map(_rounded, measure.bounds), measure.missing]


def _run(run: ExplorationRecord, again: ExplorationRecord | None, explorers: _Names) -> list[Any]:
    why = None if run.error is None else clipped(": ".join(filter(None, [run.error_cause, run.error])), MOST)
    repeated = None
    if again is not None and again.error is None:
        repeated = [len(again.files_found), len({*again.files_found} & {*run.files_found})]
    return [explorers.at(run.model), len({*run.files_found}), why, run.suspect, repeated]


def _assessment(assessment: AssessmentRecord | None) -> dict[str, Any] | None:
    if assessment is None:
        return None
    if assessment.failed_cause is not None:
        return {"failed": ": ".join(filter(None, [assessment.failed_cause, assessment.failed_detail]))}
    reasoning = clipped(assessment.reasoning, MOST)
    return {"scores": assessment.scores, "area": assessment.product_area, "reasoning": reasoning}


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
