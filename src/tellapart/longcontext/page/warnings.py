"""What to know before trusting the figures: findings, missing grades, and where two graders differ."""

from __future__ import annotations

from collections.abc import Sequence

from tellapart.core.severity import SEVERITIES
from tellapart.longcontext.lint.findings import Group, counts, grouped
from tellapart.longcontext.page import scores
from tellapart.longcontext.page.view import View
from tellapart.report import numbers as show
from tellapart.report.missing_reasons import by_cause
from tellapart.report.tables import Cell, Table, table


def grave(view: View) -> list[Group]:
    """Errors, then warnings, what says the same together."""
    groups = [group for group in grouped(view.record.findings) if group.finding.severity != "info"]
    return sorted(groups, key=lambda group: SEVERITIES.index(group.finding.severity))


def errors(view: View) -> list[Group]:
    """Errors alone."""
    return [group for group in grave(view) if group.finding.severity == "error"]


def information(view: View) -> list[Group]:
    """What is good to know and no reason for doubt; of many cases without the distance of each probe."""
    return [
        group
        for group in grouped(view.record.findings)
        if group.finding.severity == "info"
        and not (view.many_cases and group.finding.check == "distance" and group.finding.step)
    ]


def findings_table(
    shown: Sequence[Group], name: str = "findings", title: str = "Findings, errors first"
) -> Table:
    """A row a finding."""
    rows: list[list[Cell | str]] = []
    for group in shown:
        severity, check = group.finding.severity, group.finding.check
        strong = Cell(severity, strong=severity == "error")
        rows.append([strong, check, group.cases, group.steps, group.message])
    note = "An error means that the figures do not measure what they claim."
    return table(
        name,
        title,
        ["Severity", "Check", "Case", "Step", "Finding"],
        rows,
        note=note if any(group.finding.severity == "error" for group in shown) else "",
        words=5,
    )


def counted(view: View) -> str:
    """``7 errors and 2 warnings``, as ``lint`` counts them, without what is for information."""
    numbers = counts(view.record.findings)
    return show.listed([show.plural(n, name) for name, n in numbers.items() if n and name != "info"])


def means(view: View) -> Table:
    """Mean score a model, and a case and model; what is missing by cause, and what that leaves open."""
    cases = () if view.many_cases else view.cases
    rows: list[list[Cell | str]] = [
        [case, model, *scores.cells(view.probes_of(case, model))] for case in cases for model in view.models
    ]
    if len(view.cases) > 1:
        rows += [["all", model, *scores.cells(view.of_model(model))] for model in view.models]
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


def conflicts(view: View) -> Table | None:
    """Where rules and judge grade the same answer differently; None where nothing was graded by both."""
    if view.record.grader != "both":
        return None
    rows = [
        [f"{one.case} {one.step_id}", one.model, str(one.epoch), one.judge, one.rules]
        for one in view.record.conflicts
        if one.model in view.models
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
        probes = view.of_model(model)
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
