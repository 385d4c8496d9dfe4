"""What to know before trusting the figures: findings, missing grades, and where two graders differ."""

from __future__ import annotations

from collections.abc import Sequence

from tellapart.core.severity import SEVERITIES
from tellapart.longcontext.lint.findings import Group, counts, grouped
from tellapart.longcontext.page import scores, tables
from tellapart.longcontext.page.view import View
from tellapart.longcontext.results import Finding
from tellapart.report import numbers as show
from tellapart.report.missing_reasons import by_cause
from tellapart.report.tables import Cell, Table, table


def findings(view: View) -> list[Group]:
    """What the checks found, what says the same together: errors first, else in the order of the record."""
    return sorted(grouped(view.record.findings), key=lambda group: SEVERITIES.index(group.finding.severity))


def grave(view: View) -> list[Group]:
    """Errors and warnings."""
    return [group for group in findings(view) if group.finding.severity != "info"]


def errors(view: View) -> list[Group]:
    """Errors alone."""
    return [group for group in findings(view) if group.finding.severity == "error"]


def information(view: View) -> list[Group]:
    """What is good to know and no reason for doubt; of many cases without the distance of each probe."""
    infos = [group for group in findings(view) if group.finding.severity == "info"]
    return [group for group in infos if not _with_its_probe(view, group.finding)]


def left_out(view: View) -> str:
    """Where to look for what is not among the information; empty where everything is there."""
    if not any(_with_its_probe(view, finding) for finding in view.record.findings):
        return ""
    return "The distance of the evidence stands with each probe."


def _with_its_probe(view: View, finding: Finding) -> bool:
    """Whether a finding says of one probe what the details of probes say, and cases are many."""
    single = finding.check == "distance" and finding.severity == "info" and bool(finding.step)
    return single and tables.many_cases(view)


def findings_table(
    shown: Sequence[Group], name: str = "findings", title: str = "Findings, errors first"
) -> Table:
    """A row a finding."""
    rows: list[list[Cell | str]] = [
        [
            Cell(group.finding.severity, strong=group.finding.severity == "error"),
            group.finding.check,
            group.cases,
            group.steps,
            group.message,
        ]
        for group in shown
    ]
    errors = any(group.finding.severity == "error" for group in shown)
    return table(
        name,
        title,
        ["Severity", "Check", "Case", "Step", "Finding"],
        rows,
        note="An error means that the figures do not measure what they claim." if errors else "",
        words=5,
    )


def counted(view: View) -> str:
    """``7 errors and 2 warnings``, as ``lint`` counts them, without what is for information."""
    numbers = counts(view.record.findings)
    return show.listed([show.plural(n, name) for name, n in numbers.items() if n and name != "info"])


def means(view: View, *, by_case: bool = True) -> Table:
    """Mean score a model, and a case and model; what is missing by cause, and what that leaves open."""
    rows: list[list[Cell | str]] = []
    for case in view.cases if by_case else ():
        for model in view.models:
            rows.append([case, model, *scores.cells(view.probes_of(case, model))])
    for model in view.models if len(view.cases) > 1 else ():
        rows.append(["all", model, *scores.cells([probe for probe in view.probes if probe.model == model])])
    return table(
        "means",
        "Mean scores",
        ["Case", "Model", "Probes", "Mean score, %", "Missing", "Bounds, %"],
        rows,
        note="CORRECT, PASS and NO_BIAS count 100 %, PARTIAL 50 %, other grades 0; an enumeration counts the "
        "share of its entries that are right. A missing grade is not a wrong answer: the mean leaves it out; "
        "the bounds take every one as wrong, and as right.",
        words=2,
    )


def any_missing(view: View) -> bool:
    """Whether a grade is missing."""
    return any(map(scores.is_missing, view.probes))


def conflicts(view: View) -> Table | None:
    """Where rules and judge grade the same answer differently; None where nothing was graded by both."""
    if view.record.grader != "both":
        return None
    rows = [
        [
            f"{conflict.case} {conflict.step_id}",
            conflict.model,
            str(conflict.epoch),
            conflict.judge,
            conflict.rules,
        ]
        for conflict in view.record.conflicts
        if conflict.model in view.models
    ]
    return table(
        "conflicts",
        "Answers that rules and judge grade differently",
        ["Probe", "Model", "Epoch", "Judge", "Rules"],
        rows,
        note=f"{disagreement(view)} Where both graded, the judge's grade counts.",
        words=5,
    )


def disagreement(view: View) -> str:
    """How many of the answers that both graded differ; empty where one grader decides."""
    graders = view.record.graders
    if graders is None:
        return ""
    conflicts = sum(conflict.model in view.models for conflict in view.record.conflicts)
    alone = [
        f"{show.count(sum(causes.values()))} only by {who} ({by_cause(causes)})"
        for who, causes in (("the rules", graders.only_rules), ("the judge", graders.only_judge))
        if causes
    ]
    besides = f" Graded {show.listed(alone)}." if alone else ""
    both = show.plural(graders.both, "answer")
    return f"Judge and rules disagree on {show.count(conflicts)} of {both} that both graded.{besides}"


def controls(view: View) -> Table | None:
    """How the same probes are answered without the conversation; None without controls."""
    if not view.controls:
        return None
    rows: list[list[Cell | str]] = []
    for model in view.controls:
        probes = [probe for probe in view.record.probes if probe.model == model]
        rows.append([model, scores.share(probes), *scores.cells(probes)[1:3]])
    return table(
        "controls",
        "Controls: the same probes without the conversation",
        ["Control", "Right", "Mean score, %", "Missing"],
        rows,
        note="What closed-book gets right can be guessed; what oracle gets wrong cannot be answered even "
        "with nothing but the evidence.",
        words=2,
    )
