"""All checks, and what they find together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from tellapart.bundles.lint.answers import few_negatives, positive_among_negatives, second_right_answer
from tellapart.bundles.lint.baselines import baselines
from tellapart.bundles.lint.inputs import BundleFinding, LintedBundles, read_inputs
from tellapart.bundles.lint.leakage import leakage
from tellapart.bundles.lint.rows import conflicting_tiers, duplicate_bundles, duplicate_ids, unreadable
from tellapart.core.progress import SILENT, Progress
from tellapart.core.record import Record
from tellapart.core.severity import SEVERITIES, Severity

BundleCheck: TypeAlias = Callable[[LintedBundles], Iterable[BundleFinding]]

CHECKS: tuple[BundleCheck, ...] = (
    unreadable,
    duplicate_ids,
    positive_among_negatives,
    second_right_answer,
    few_negatives,
    duplicate_bundles,
    conflicting_tiers,
    leakage,
    baselines,
)
"""All of them, in the order in which their findings are listed."""


class LintFindingRecord(Record):
    """A finding, as ``bundles lint --json`` lists it.

    Attributes:
        severity: An error means that the figures do not measure what they claim.
        bundles: Ids of the bundles that it is about; empty where it is about a whole file.
        places: ``FILE:LINE`` of each of ``bundles``, or the file.
    """

    check: str
    severity: Severity
    bundles: tuple[str, ...]
    detail: str
    places: tuple[str, ...]


def lint(inputs: LintedBundles, progress: Progress = SILENT) -> list[BundleFinding]:
    """Find what makes the figures of an eval mean something else than they say."""
    findings: list[BundleFinding] = []
    with progress.step("checking", len(CHECKS), unit="checks") as step:
        for done, check in enumerate(CHECKS, 1):
            findings += check(inputs)
            step.update(done)
    return sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))


@dataclass(frozen=True)
class Linted:
    """Files and what is wrong with them, the worst first."""

    inputs: LintedBundles
    findings: tuple[BundleFinding, ...]

    def records(self) -> list[LintFindingRecord]:
        """Findings with ids and places in the place of rows."""
        ids = self.inputs.bundles["bundle_id"]
        return [
            LintFindingRecord(
                check=finding.check,
                severity=finding.severity,
                bundles=tuple(ids.gather(list(finding.rows))) or finding.bundle_ids,
                detail=finding.detail,
                places=tuple(map(self.inputs.location, finding.rows))
                or tuple(filter(None, [finding.location])),
            )
            for finding in self.findings
        ]


def lint_files(files: Sequence[Path], train: Sequence[Path] = (), *, progress: Progress = SILENT) -> Linted:
    """Lint files together."""
    inputs = read_inputs(files, train, progress)
    return Linted(inputs, tuple(lint(inputs, progress)))
