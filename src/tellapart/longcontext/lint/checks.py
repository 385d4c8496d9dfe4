"""All checks, what they find together, and how findings are put together and counted for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict

from tellapart.core.severity import SEVERITIES, Severity
from tellapart.longcontext.lint import evidence, record
from tellapart.longcontext.lint.inputs import LintInputs
from tellapart.longcontext.results import Finding
from tellapart.report import numbers as show
from tellapart.report.tables import Cell, Table, table

Check = Callable[[LintInputs], Iterable[Finding]]

CHECKS: dict[Check, str] = {
    evidence.answerability: "ask for something that the conversation never showed",
    record.order: "came before the context had grown to its length",
    record.truncation: "",
    record.roles: "",
    evidence.controls: "failed a control: guessed without the context, or missed with the evidence alone",
    evidence.self_leak: "state their own answer",
    evidence.repeats: "had their evidence pasted again next to the question",
    record.coverage: "",
    record.same_item: "",
    record.summary: "",
    record.answers: "",
    record.undecidable: "",
    evidence.distance: "",
}
"""In the order in which their findings are listed, with what an error means for the probes that it names: the
end of a sentence that travels with their scores, or nothing."""

OF_PROBES = {check.__name__.replace("_", "-"): means for check, means in CHECKS.items() if means}
"""The same by the name that findings have, where it means something."""


def lint(inputs: LintInputs) -> list[Finding]:
    """Find what makes an experiment meaningless, or makes it mean something else than it claims."""
    findings = dict.fromkeys(finding for check in CHECKS for finding in check(inputs))
    return sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))


def decidable_rows(inputs: LintInputs) -> list[dict[str, object]]:
    """Whether code can grade each probe, for scripts, in the form of findings."""
    says = {True: "code can grade it", False: "a judge or a person must grade it"}
    return [
        asdict(Finding("info", "decidable", case, step, says[can])) | {"decidable": can}
        for (case, step), can in record.decidable(inputs).items()
    ]


_MOST, _MESSAGES = 8, 3
"""Cases and steps, and messages, that are named where findings are shown as one; of more the first ones."""


def _grouped(findings: Sequence[Finding]) -> list[list[Finding]]:
    """Put together findings of one check with the same remedy, or without one the same message."""
    together: dict[tuple[str, str, str], list[Finding]] = {}
    for one in findings:
        together.setdefault((one.severity, one.check, one.remedy or one.message), []).append(one)
    return list(together.values())


def table_of(findings: Sequence[Finding]) -> Table:
    """Findings in their order, a row for each group."""
    rows: list[list[Cell | str]] = []
    for group in _grouped(findings):
        first, messages = group[0], _few([one.message for one in group], "; ", _MESSAGES)
        severity = Cell(first.severity, strong=first.severity == "error")
        where = [_few([one.case or "" for one in group]), _few([one.step or "" for one in group])]
        text = f"{messages}: {first.remedy}" if first.remedy else messages
        rows.append([severity, first.check, *where, text])
    note = "An error means that the figures do not measure what they claim."
    columns = ["Severity", "Check", "Case", "Step", "Finding"]
    any_error = any(one.severity == "error" for one in findings)
    return table("findings", "Findings, errors first", columns, rows, note=note * any_error, words=5)


def counts(findings: Sequence[Finding]) -> dict[Severity, int]:
    """How many there are of each severity, the worst first; those of one group are one."""
    counts = Counter(group[0].severity for group in _grouped(findings))
    return {name: counts[name] for name in SEVERITIES}


def _few(names: Iterable[str], between: str = ", ", most: int = _MOST) -> str:
    """The first distinct names and how many more there are."""
    names = list(filter(None, dict.fromkeys(names)))
    if len(names) <= most:
        return between.join(names)
    return f"{between.join(names[: most - 1])} and {show.count(len(names) - most + 1)} more"
