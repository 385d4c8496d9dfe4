"""Mined bundles: how many lineups they passed, what a single lineup would have let through, examples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from tellapart.bundles.mining.settings import STRENGTHS
from tellapart.bundles.results import MinedBundle, MiningStats
from tellapart.errors import InputError
from tellapart.files import check_record, read_json_lines
from tellapart.report import numbers as show
from tellapart.report.document import Passage
from tellapart.report.tables import Cell, Table, figure, table, undefined
from tellapart.store import load_record

EXAMPLES = 2
"""Examples of each strength."""

LINES, LETTERS = 12, 900
"""An anchor or a positive longer than either is cut, at the end of a line if it has one."""

NEGATIVE_LINES = 6
"""As many of a negative are shown where all negatives are."""

ALL_STRENGTHS = (*STRENGTHS, "none")
"""The strongest first; ``none`` has too few passes for any other."""

_MAKE = "Make it with 'tellapart bundles mine EVENTS --out MINED.jsonl --stats STATS.json'"


@dataclass(frozen=True)
class Mined:
    """What a mining run has left.

    Attributes:
        bundles: As they were written.
        stats: MiningStats of the run, where they were kept.
    """

    path: Path
    bundles: tuple[MinedBundle, ...]
    stats: MiningStats | None = None
    stats_path: Path | None = None

    def of(self, strength: str) -> list[MinedBundle]:
        """Bundles of a strength, the most passes first, then the most dangerous, then by id."""
        return sorted(
            (bundle for bundle in self.bundles if (bundle.metadata.strength or "none") == strength),
            key=lambda bundle: (-bundle.metadata.passes, -bundle.metadata.danger, bundle.bundle_id),
        )


def load_mined(path: Path, stats: Path | None = None) -> Mined:
    """Read mined bundles."""
    bundles = tuple(
        check_record(line.value, MinedBundle, f"{path}:{line.number}", "mined bundle", next_step=_MAKE)
        for line in read_json_lines(path)
    )
    figures = load_record(stats, MiningStats, "mining statistics", next_step=_MAKE) if stats else None
    if figures is not None and figures.accepted != len(bundles):
        raise InputError(
            f"{figures.accepted!r} bundles were accepted, but {path} has {len(bundles)}",
            where=stats,
            next_step="Give the two files of one run",
        )
    return Mined(path, bundles, figures, stats)


def sentences(mined: Mined) -> list[str]:
    """Say what mining found, and what several lineups were good for."""
    stats = mined.stats
    if stats is None:
        return [f"{show.plural(len(mined.bundles), 'mined bundle')}: {_strengths(mined)}."]
    tested, single = stats.candidates_tested, stats.single_lineup
    share = single.pseudo_killer_share or 0.0
    lines = [
        f"Mining accepted {show.count(stats.accepted)} of {show.plural(tested, 'candidate')}"
        f"{_share(stats.mining_pass_rate)}: {_strengths(mined)}."
    ]
    if single.passed:
        lines.append(
            f"The first lineup alone would have accepted {show.count(single.passed)}"
            f"{_share(single.pass_rate)}. Pseudo-killers among them, which do not pass often enough: "
            f"{show.count(single.pseudo_killers)} ({show.percent(share)})."
        )
    return lines


def summary(stats: MiningStats) -> str:
    """Give a run in a few lines, for the terminal of the command that mines."""
    single = stats.single_lineup
    spread = ", ".join(f"{passes}: {count:,}" for passes, count in stats.pass_distribution.items())
    danger = ", ".join(
        f"{name} {'-' if value is None else f'{value:.3f}'}" for name, value in stats.danger.items()
    )
    return "\n".join(
        [
            f"accepted {stats.accepted:,} of {stats.candidates_tested:,} candidates"
            f" ({_share_of(stats.mining_pass_rate)}) at danger >= {stats.threshold or 0.0:.3f}:"
            f" {_counts(stats.strengths)}",
            f"candidates by passes: {spread}",
            f"a single lineup would pass {single.passed:,} ({_share_of(single.pass_rate)}, expected "
            f"{_share_of(single.expected_pass_rate)}); {single.pseudo_killers:,} of them pseudo-killers",
            f"rejected: {_counts(stats.rejected)}; not tested: {_counts(stats.not_tested)}",
            f"danger of a lineup: {danger}",
        ]
    )


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in counts.items()) or "none"


def _share_of(share: float | None) -> str:
    return "-" if share is None else show.percent(share)


def rates_table(stats: MiningStats) -> Table:
    """What several lineups let through, beside a single one."""
    tested, single = stats.candidates_tested, stats.single_lineup
    average = _average_lineup(stats)
    rows: list[list[Cell | str]] = [
        ["several lineups", show.count(stats.accepted), _percent(stats.mining_pass_rate), "0"],
        [
            "the first lineup alone",
            show.count(single.passed),
            _percent(single.pass_rate),
            show.count(single.pseudo_killers),
        ],
        ["a lineup on average", *average],
    ]
    return table(
        "mining",
        f"Mining pass rate over {show.plural(tested, 'candidate')}",
        ["Accepted by", "Bundles", "Pass rate, %", "Pseudo-killers"],
        rows,
        note="A pseudo-killer passes the lineup of its row, but not the required number of lineups.",
    )


def _average_lineup(stats: MiningStats) -> list[Cell]:
    """What one of the lineups, drawn at random, would accept: of candidates with k passes that share."""
    counts = {int(passes): n for passes, n in stats.pass_distribution.items()}
    lineups, tested = max(counts, default=0), stats.candidates_tested
    if not lineups or not tested:
        return [undefined("no candidates")] * 3
    least = stats.min_passes
    accepted = sum(n * passes for passes, n in counts.items()) / lineups
    below = sum(n * passes for passes, n in counts.items() if passes < (least or 0)) / lineups
    pseudo = undefined("the run does not say how many passes it required") if least is None else None
    return [
        Cell(show.decimal(accepted, 1)),
        Cell(show.rate(accepted / tested)),
        pseudo or Cell(show.decimal(below, 1)),
    ]


def passes_table(stats: MiningStats) -> Table:
    """Candidates by number of passes."""
    total = stats.candidates_tested
    rows: list[list[Cell | str]] = [
        [passes, show.count(n), _percent(n / total if total else None)]
        for passes, n in stats.pass_distribution.items()
    ]
    return table("passes", "Candidates by lineups passed", ["Passes", "Candidates", "%"], rows)


def strengths_table(mined: Mined) -> Table:
    """Accepted bundles by strength."""
    rows: list[list[Cell | str]] = []
    for strength in ALL_STRENGTHS:
        of_strength = [bundle.metadata for bundle in mined.of(strength)]
        if strength == "none" and not of_strength:
            continue
        danger = [about.danger for about in of_strength]
        passes = [about.passes for about in of_strength]
        none = undefined("no bundle of this strength")
        rows.append(
            [
                strength,
                show.count(len(of_strength)),
                show.between(passes, lambda value: show.count(int(value))) if of_strength else none,
                show.decimal(median(danger)) if of_strength else none,
                show.decimal(max(danger)) if of_strength else none,
            ]
        )
    return table(
        "strengths",
        "Mined bundles by strength",
        ["Strength", "Bundles", "Passes", "Median danger", "Highest danger"],
        rows,
        note="Danger: similarity of the hardest negative to the anchor minus that of the positive.",
    )


def examples(mined: Mined) -> tuple[Passage, ...]:
    """The most dangerous bundles of each strength."""
    return tuple(
        _passage(strength, bundle) for strength in ALL_STRENGTHS for bundle in mined.of(strength)[:EXAMPLES]
    )


def cut(text: str, lines: int = LINES, letters: int = LETTERS) -> str:
    """Cut a long text, at the end of a line where one is near, and count what is missing."""
    rows = text.splitlines()
    kept: list[str] = []
    for row in rows[:lines]:
        if kept and sum(map(len, kept)) + len(row) > letters:
            break
        kept.append(row)
    head = "\n".join(kept)
    if len(head) > letters:
        return f"{head[:letters].rstrip()} …"
    missing = len(rows) - len(kept)
    return f"{head}\n… {show.plural(missing, 'more line')}" if missing else head


def _passage(strength: str, bundle: MinedBundle) -> Passage:
    about, negatives = bundle.metadata, bundle.negatives
    title = (
        f"{strength}: {about.passes} of {about.lineups_tested} lineups, danger {show.decimal(about.danger)}"
    )
    parts = [("anchor", bundle.anchor), ("positive", bundle.positive)]
    at = about.hardest_negative
    if at is not None and 0 <= at < len(negatives):
        parts.append(("hardest negative", negatives[at]))
    else:
        parts += [(f"negative {i}", cut(text, NEGATIVE_LINES)) for i, text in enumerate(negatives, start=1)]
    return Passage(title, bundle.bundle_id, tuple((name, cut(text)) for name, text in parts))


def _strengths(mined: Mined) -> str:
    counts = [(strength, len(mined.of(strength))) for strength in ALL_STRENGTHS]
    shown: Sequence[str] = [f"{show.count(n)} {name}" for name, n in counts if n or name != "none"]
    return show.listed(shown)


def _share(value: float | None) -> str:
    return f" ({show.percent(value)})" if value is not None else ""


def _percent(value: float | None) -> Cell:
    return figure(value, show.rate, "no candidates")
