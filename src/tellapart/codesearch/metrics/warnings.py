"""What to beware of in an evaluation: sentences for people, each with its numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tellapart.codesearch.figures import Metrics
from tellapart.codesearch.metrics.aggregate import far_below, never_judged
from tellapart.codesearch.metrics.conversation import JUDGE, counted_twice, no_run
from tellapart.codesearch.metrics.explorations import ROLES, RUNS
from tellapart.codesearch.model import Case, sorted_cases
from tellapart.report.figures import in_words
from tellapart.report.missing_reasons import by_cause
from tellapart.report.numbers import listed, whole_percent

_SHOWN = 5


def warnings(cases: Sequence[Case], metrics: Metrics) -> list[str]:
    """Say what to beware of."""
    ordered = sorted_cases(cases)
    return [
        *_verdicts(ordered, metrics),
        *_twice(ordered),
        *_explorations(ordered, metrics),
        *_areas(ordered, metrics),
    ]


def _verdicts(cases: Sequence[Case], metrics: Metrics) -> Iterator[str]:
    judging, precision, recall = metrics.judging, metrics.measures["precision"], metrics.measures["recall"]
    is_open = JUDGE in precision.missing or JUDGE in recall.missing
    # Where nobody was asked to judge, bounds say what that leaves open.
    if never_judged(cases) or not (is_open or judging.reliable is False):
        return
    failed, hidden = sum(judging.failed.values()), sum(judging.not_shown.values())
    parts = []
    if failed:
        share = whole_percent(judging.share_failed or 0)
        parts.append(
            f"{failed} of {failed + judging.judged} verdicts failed ({share}; {by_cause(judging.failed)})"
        )
    if judging.not_asked:
        parts.append(f"{judging.not_asked} files that only we found were not put to the judge")
    if hidden:
        parts.append(f"{hidden} files may not be shown to the judge ({by_cause(judging.not_shown)})")
    lowest, highest = (
        f"precision {_number(precision.bounds[end])} and recall {_number(recall.bounds[end])}"
        for end in (0, 1)
    )
    yield (
        f"{'; '.join(parts)}, so precision and recall are not known: {lowest} if none of these files is "
        f"relevant, {highest} if all are."
    )


def _twice(cases: Sequence[Case]) -> Iterator[str]:
    twice = {case.id: len(files) for case in cases if (files := counted_twice(case))}
    if twice:
        yield (
            f"{sum(twice.values())} relevant verdicts in {_ids(list(twice))} are on files that are not "
            "the system's alone; the original pipeline counts these twice, so its precision and recall are "
            "too high."
        )


def _explorations(cases: Sequence[Case], metrics: Metrics) -> Iterator[str]:
    for role in ROLES:
        run = metrics.exploring.of(role)
        the_exploration = f"The exploration of {RUNS[role]} ({run.explorer})"
        if run.suspect:
            yield (
                f"{the_exploration} is suspect in {len(run.suspect)} of {len(cases)} conversations, where it "
                f"found no file and reports no error: {_ids(run.suspect)}."
            )
        if ids := run.failed_conversations:
            yield (
                f"{the_exploration} failed in {len(ids)} of {len(cases)} conversations "
                f"({by_cause(run.failed)}), whose ground truth lacks it: {_ids(ids)}."
            )
    if neither := [case.id for case in cases if no_run(case)]:
        yield (
            f"Both explorations failed in {len(neither)} of {len(cases)} conversations, which have no "
            f"recall: {_ids(neither)}."
        )
    done = [case for case in cases if case.run_a.failure is None and case.run_b.failure is None]
    if len(done) > 1 and all(case.ground_truth and case.ground_truth == case.in_both_runs for case in done):
        yield (
            f"Run A and run B found exactly the same files in all {len(done)} conversations that both "
            "explored: independent explorations do not."
        )


def _areas(cases: Sequence[Case], metrics: Metrics) -> Iterator[str]:
    """Areas far below the whole, whatever missing verdicts say."""
    if cases and metrics.uncertain and metrics.uncertain.value == 1:
        yield (
            f"The product area of all {len(cases)} conversations is uncertain: there are no figures by area."
        )
    for area, figures in far_below(cases).items():
        for name, measure in figures.items():
            least = "" if measure.gap[0] == measure.gap[1] else "at least "
            yield f"{area} is {least}{_number(measure.gap[0])} below the whole in {in_words(name)}."


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"


def _ids(ids: Sequence[str]) -> str:
    return listed(ids, most=_SHOWN)
