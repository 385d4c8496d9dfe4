"""Linting files, and taking out what is bad."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tellapart.bundles.lint import BundleFinding, LintedBundles, lint, read_inputs
from tellapart.bundles.reading import read_file_rows, read_unchecked
from tellapart.bundles.results import LintFindingRecord, QuarantineRecord
from tellapart.bundles.row_export import own_rows, write_json_lines
from tellapart.core.bundle import Bundle
from tellapart.core.gate_outcome import GateOutcome
from tellapart.core.progress import SILENT, Progress
from tellapart.core.severity import SEVERITIES, Severity
from tellapart.errors import InputError, UsageError
from tellapart.files import RowFaults, replacing


@dataclass(frozen=True)
class Linted:
    """Files and what is wrong with them.

    Attributes:
        findings: The worst first.
    """

    inputs: LintedBundles
    findings: tuple[BundleFinding, ...]
    bad_from: Severity = "error"

    @cached_property
    def bad(self) -> dict[int, list[BundleFinding]]:
        """Rows of ``inputs.bundles`` that are bad, ascending, with what is wrong with each.

        Of duplicates, the first one is not.
        """
        why: dict[int, list[BundleFinding]] = defaultdict(list)
        for finding in self._decisive:
            for row in finding.rows if finding.bad is None else finding.bad:
                why[row].append(finding)
        return dict(sorted(why.items()))

    @property
    def _decisive(self) -> Iterator[BundleFinding]:
        worst = SEVERITIES[: SEVERITIES.index(self.bad_from) + 1]
        return (finding for finding in self.findings if finding.severity in worst)

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

    def quarantine(self, limit: float | None = None) -> QuarantineRecord:
        """Count bad bundles, and rows of which none can be made, against a limit."""
        if limit is not None and not 0 <= limit <= 1:
            raise UsageError(f"--max-quarantine is {limit!r}, expected a share from 0 to 1, such as 0.2")
        total = sum(self.inputs.counts)
        bad = len(self.bad) + len(self.inputs.unread)
        share = bad / total
        outcome = None
        if limit is not None:
            outcome = GateOutcome.FAILED if share > limit else GateOutcome.PASSED
        return QuarantineRecord(bundles=total, bad=bad, share=share, limit=limit, outcome=outcome)


def lint_files(
    files: Sequence[Path],
    train: Sequence[Path] = (),
    *,
    bad_from: Severity = "error",
    progress: Progress = SILENT,
) -> Linted:
    """Lint files together."""
    inputs = read_inputs(files, train, progress)
    return Linted(inputs, tuple(lint(inputs, progress)), bad_from)


def write_parts(linted: Linted, *, good: Path | None = None, bad: Path | None = None) -> int:
    """Write the bundles of the one file that was linted in two parts."""
    if len(linted.inputs.files) > 1:
        raise UsageError(
            "--out and --quarantine take bundles out of one file, and there are several",
            next_step="Lint each by itself, or put them into one file first",
        )
    (path,) = linted.inputs.files
    bundles = linted.inputs.bundles
    left_out = {(bundles["line"][row], bundles["bundle_id"][row]) for row in linted.bad}
    n_good = linted.inputs.counts[0] - len(left_out) - len(linted.inputs.unread)
    if bad is not None:
        with replacing(bad) as temporary:
            write_json_lines(temporary, _quarantined(linted, path))
    if good is not None:
        if not n_good:
            raise InputError("no bundle is left to be written", where=path)
        with replacing(good) as temporary:
            write_json_lines(temporary, own_rows(_good(path, left_out)))
    return n_good


def _good(path: Path, left_out: set[tuple[int, str]]) -> Iterator[Bundle]:
    for batch in read_unchecked(path, RowFaults(path)):
        keys = zip(batch.frame["line"], batch.frame["bundle_id"], strict=True)
        for key, row, tier, sound in zip(keys, batch.rows, batch.frame["tier"], batch.sound, strict=True):
            if sound and key not in left_out:
                yield Bundle.from_row({**row, "tier": tier})


def _quarantined(linted: Linted, path: Path) -> Iterator[dict[str, Any]]:
    bundles = linted.inputs.bundles
    entries: list[tuple[int, str, list[BundleFinding]]] = [
        (bundles["line"][row], bundles["bundle_id"][row], why) for row, why in linted.bad.items()
    ]
    by_line: dict[int, list[BundleFinding]] = defaultdict(list)
    for finding in linted.findings:
        if finding.bundle_ids:
            by_line[int(finding.location.rpartition(":")[2])].append(finding)
    entries += [(line, name, by_line[line]) for (_, line), name in linted.inputs.unread.items()]
    lines = {line for line, _, _ in entries}
    rows = {line: row for line, row in read_file_rows(path, RowFaults(path)) if line in lines}
    for line, name, why in sorted(entries, key=lambda entry: entry[:2]):
        causes = [{"check": finding.check, "detail": finding.detail} for finding in why]
        yield {"line": line, "bundle_id": name, "causes": causes, "row": rows.get(line)}
