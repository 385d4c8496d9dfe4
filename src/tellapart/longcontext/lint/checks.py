"""All checks, and what they find together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from tellapart.core.severity import SEVERITIES
from tellapart.longcontext.case import AnswerKey, Case
from tellapart.longcontext.lint import evidence, record
from tellapart.longcontext.lint.inputs import LintInputs, lint_inputs
from tellapart.longcontext.probes import Probe
from tellapart.longcontext.results import Finding
from tellapart.longcontext.transcript import Results


@dataclass(frozen=True)
class Check:
    """One check.

    Attributes:
        find: Gives its findings.
        of_probes: What its errors mean for the probes that they name, as the end of a sentence about those
            probes, which travels with their scores; empty where it has no errors, or they mean nothing for
            single probes.
    """

    find: Callable[[LintInputs], Iterable[Finding]]
    of_probes: str = ""

    @property
    def name(self) -> str:
        """As findings have it."""
        return self.find.__name__.replace("_", "-")


CHECKS = (
    Check(evidence.answerability, "ask for something that the conversation never showed"),
    Check(record.order, "came before the context had grown to its length"),
    Check(record.truncation),
    Check(record.roles),
    Check(
        evidence.controls, "failed a control: guessed without the context, or missed with the evidence alone"
    ),
    Check(evidence.self_leak, "state their own answer"),
    Check(evidence.repeats, "had their evidence pasted again next to the question"),
    Check(record.coverage),
    Check(record.same_item),
    Check(record.summary),
    Check(record.answers),
    Check(record.undecidable),
    Check(evidence.distance),
)
"""All of them, in the order in which their findings are listed."""


def lint(
    cases: Sequence[Case],
    results: Sequence[Results] = (),
    key: AnswerKey | None = None,
    graded: Sequence[Probe] | None = None,
    *,
    probes_last: bool | None = None,
) -> list[Finding]:
    """Find what makes an experiment meaningless, or makes it mean something else than it claims.

    A probe that was played and answered is judged by what was played; one that was not, by the case file.
    """
    return lint_all(lint_inputs(cases, results, key, graded, probes_last))


def lint_all(inputs: LintInputs) -> list[Finding]:
    """The same of what ``lint_inputs`` brought together."""
    findings = dict.fromkeys(finding for check in CHECKS for finding in check.find(inputs))
    return sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))
