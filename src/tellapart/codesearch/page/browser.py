"""Every conversation with its files: the data of the browser on the page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tellapart.codesearch.figures import Measure
from tellapart.codesearch.model import Assessment, Case, Explored, JudgeVerdict
from tellapart.codesearch.page.tables import FAILURES
from tellapart.codesearch.page.view import View
from tellapart.report.browser import Choice, clipped, fitting, item_browser
from tellapart.report.document import Widget

ROOM = 4_000_000  # Characters that all of the judge's reasoning may take on a page
LEAST, MOST = 80, 600  # Characters of one reasoning: so many are always shown, and never more
LONGEST_ISSUE = 4_000  # Characters of an issue
NOISE, RELEVANT, FAILED = range(3)  # What the judge said; None where nobody asked


def browser(view: View) -> Widget:
    """Browse conversations by area, by what went wrong, and by text."""
    data = _data(view)
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


class _Names(dict[str, int]):
    """Names by position, in the order in which they were first asked for."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        super().__init__((name, i) for i, name in enumerate(names))

    def at(self, name: str) -> int:
        return self.setdefault(name, len(self))


def _data(view: View) -> dict[str, Any]:
    """Say everything once, with positions in place of repeated names."""
    cases = view.evaluation.cases
    cut = fitting({said.reasoning for case in cases for said in case.verdicts.values()}, ROOM, LEAST, MOST)
    names = {name: _Names() for name in ("files", "explorers", "actions", "texts")}
    names["areas"] = _Names(sorted({case.product_area for case in cases}))
    conversations = [_conversation(case, view.names, names, cut) for case in cases]
    lists = {name: list(values) for name, values in names.items()}
    return {**lists, "names": list(view.names), "conversations": conversations}


def _conversation(
    case: Case, measures: Iterable[str], names: Mapping[str, _Names], cut: int
) -> dict[str, Any]:
    files = names["files"]
    runs = ((case.run_a, case.retest_a), (case.run_b, case.retest_b))
    # Files of both runs first, then by name.
    missed = sorted(case.ground_truth_unique, key=lambda file: (file not in case.in_both_runs, file))
    return {
        "id": case.id,
        "issue": clipped(case.issue_summary, LONGEST_ISSUE),
        "area": names["areas"].at(case.product_area),
        "certainty": case.classification_confidence,
        "shares": [_share(case.measures.get(name, Measure())) for name in measures],
        "runs": [_run(run, again, names["explorers"]) for run, again in runs],
        "ours": [
            [files.at(file), _found_by(case, file), *_verdict(case.verdicts.get(file), names, cut)]
            for file in case.files
        ],
        "missed": [[files.at(file), _found_by(case, file)] for file in missed],
        "terms": list(case.terms),
        "assessment": _assessment(case.assessment),
    }


def _found_by(case: Case, file: str) -> int:
    """Which runs found a file: none 0, run A 1, run B 2, both 3."""
    return (file in case.run_a.files) + 2 * (file in case.run_b.files)


def _verdict(verdict: JudgeVerdict | None, names: Mapping[str, _Names], cut: int) -> list[int | None]:
    if verdict is None:
        return []
    if (failure := verdict.failure) is not None:
        why = ": ".join(filter(None, [FAILURES.get(failure.kind), failure.detail])) or failure.cause
        return [FAILED, None, names["texts"].at(clipped(why, cut))]
    reasoning = names["texts"].at(clipped(verdict.reasoning, cut))
    return [RELEVANT if verdict.relevant else NOISE, names["actions"].at(verdict.actionable), reasoning]


def _share(measure: Measure) -> list[Any]:
    figures = [measure.value, *measure.bounds]
    return [*(None if value is None else round(value, 4) for value in figures), measure.missing]


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
