"""All checks, and what they find together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from tellapart.longcontext.case import AnswerKey, Case
from tellapart.longcontext.grades import GradedProbe
from tellapart.longcontext.lint.answerability import answerability, controls, self_leak
from tellapart.longcontext.lint.distances import distance, repeats
from tellapart.longcontext.lint.inputs import LintInputs, lint_inputs
from tellapart.longcontext.lint.integrity import answers, roles, same_item, summary, truncation
from tellapart.longcontext.lint.lengths import coverage, order
from tellapart.longcontext.results import SEVERITIES, Finding
from tellapart.longcontext.transcript import Results

_CHECKS: tuple[Callable[[LintInputs], Iterable[Finding]], ...] = (
    answerability,
    order,
    truncation,
    roles,
    controls,
    self_leak,
    repeats,
    coverage,
    same_item,
    summary,
    answers,
    distance,
)


def lint(
    cases: Sequence[Case],
    results: Sequence[Results] = (),
    key: AnswerKey | None = None,
    graded: Sequence[GradedProbe] | None = None,
    *,
    probes_last: bool | None = None,
) -> list[Finding]:
    """Find what makes an experiment meaningless, or makes it mean something else than it claims.

    A probe that was played and answered is judged by what was played; one that was not, by the case file.

    Args:
        cases: Case files; one that continues another with that one in front, see ``case.continuing``.
        results: What was played, controls included.
        key: A file of answers; answers beside probes are taken from the cases.
        graded: Grades of the controls by another grader; else they are graded by rules.
        probes_last: Whether the cases are to be run with their probes after the repeats; None where nobody
            said.

    Returns:
        The worst first, then check by check, in the order of the cases; each finding once.
    """
    return lint_all(lint_inputs(cases, results, key, graded, probes_last))


def lint_all(inputs: LintInputs) -> list[Finding]:
    """The same of what ``lint_inputs`` brought together."""
    findings = dict.fromkeys(finding for check in _CHECKS for finding in check(inputs))
    return sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))
