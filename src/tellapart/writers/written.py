"""The summaries that a benchmark holds, by writer: all that this suite takes of ``contrastive``'s files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tellapart.contrastive.benchmark import read_benchmark
from tellapart.contrastive.units import pick_targets
from tellapart.extraction.unit import Unit


@dataclass(frozen=True)
class Written:
    """What several writers say of the same units.

    Attributes:
        units: By id, in the order of the benchmark.
        targets: Ids of the units that are asked about, ascending.
        texts: By writer, then unit; a writer that wrote nothing has an entry.
        missing: By writer, why a target has no summary, where a language model was asked for one.
    """

    fingerprint: str
    seed: int
    units: Mapping[str, Unit]
    targets: tuple[str, ...]
    texts: Mapping[str, Mapping[str, str]]
    missing: Mapping[str, Mapping[str, str]]

    def why_missing(self, writer: str, unit: str) -> str:
        """Give the cause why a writer has no summary of a unit, in the words of a score table."""
        return self.missing[writer].get(unit, "infeasible")

    def sample(self, count: int | None) -> list[str]:
        """Choose targets that somebody summarized, like all of them by language, type and length."""
        summarized = {unit for texts in self.texts.values() for unit in texts} & {*self.targets}
        units = list(self.units.values())
        rows = [i for i, unit in enumerate(units) if unit.id in summarized]
        return [units[i].id for i in pick_targets(units, rows, count or len(rows), self.seed)]


def read_written(directory: Path) -> Written:
    """Read the summaries of a frozen benchmark, or of the copy that a run keeps."""
    benchmark = read_benchmark(directory)
    texts: dict[str, dict[str, str]] = {writer: {} for writer in benchmark.sources}
    for summary in benchmark.summaries:
        texts[summary.source][summary.unit] = summary.text
    return Written(
        fingerprint=benchmark.header.fingerprint,
        seed=benchmark.header.seed,
        units={unit.id: unit for unit in benchmark.units},
        targets=tuple(sorted(unit.id for unit in benchmark.targets)),
        texts=texts,
        missing={writer: benchmark.summary_missing(writer) for writer in texts},
    )
