"""What to beware of in a benchmark: strategies that found far fewer distractors than their level asks for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tellapart.contrastive.benchmark import Header, Starved
from tellapart.contrastive.selection.levels import level_called, written

if TYPE_CHECKING:
    from tellapart.contrastive.selection.distractors import DistractorSet
    from tellapart.contrastive.selection.levels import Bands, Level

ENOUGH = 0.5
"""Share of what was asked for from which a strategy does not starve."""


def warnings(header: Header) -> list[str]:
    """What to beware of in a benchmark, a sentence each."""
    levels = {name: written(level_called(name, header.own_levels)) for name in header.levels}
    everything = not header.counts.get("undocumented")
    return [
        warning(short, header.bands, levels, everything=everything)
        for short in header.counts.get("starved", [])
    ]


def starved(sets: Sequence[DistractorSet], levels: Sequence[Level]) -> list[Starved]:
    """Find the strategies that starve."""
    chosen: dict[str, Counter[str]] = {level.name: Counter() for level in levels}
    for item in sets:
        chosen[item.level].update(item.strategies)
    built = Counter(item.level for item in sets)
    starving: list[Starved] = []
    for level in levels:
        found, quotas = chosen[level.name], Counter[str]()
        for name, quota in level.quotas():
            quotas[name] += quota
        fallbacks = {name: found[name] for name in sorted(found) if name not in quotas}
        starving += [
            Starved(level=level.name, strategy=name, wanted=wanted, found=found[name], filled_by=fallbacks)
            for name, quota in quotas.items()
            if found[name] < ENOUGH * (wanted := quota * built[level.name])
        ]
    return starving


_FROM = {
    "random": "at random",
    "same_type": "of the target's type",
    "signature": "with a similar signature",
    "semantic": "from the target's neighbours",
    "same_file": "from the target's file",
    "partial": "that match the summary in part",
    "nearest": "nearest to the target",
}

_MORE_UNITS = "take units without a docstring too, with --candidates all"


def warning(short: Starved, bands: Bands, levels: Mapping[str, str], *, everything: bool = False) -> str:
    """Say what a level lacks, what stands in for it, and what to do."""
    level, strategy = short["level"], short["strategy"]
    filled = ", ".join(f"{count:,} {_FROM[name]}" for name, count in short["filled_by"].items())
    advice = "take a larger repository" if everything else _MORE_UNITS
    if strategy == "semantic" and bands == "absolute":
        advice = "take ranks instead of similarities, with --bands calibrated"
    elif strategy == "partial":
        advice = "bring summaries that say more, with --summaries jsonl:FILE"
    if others := ",".join(written for name, written in levels.items() if name != level):
        advice += f", or leave the level out, with --levels {others}"
    return (
        f"{level} lacks distractors {_FROM[strategy]}: {short['found']:,} of {short['wanted']:,} were found; "
        f"in their place it has {filled}. To change that, {advice}"
    )
