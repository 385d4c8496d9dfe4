"""Scoreboards and sweeps that another program recorded: counts and means, without the scores of bundles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tellapart.bundles.figures import FIGURES, Summary
from tellapart.bundles.runs import Figure, Run
from tellapart.bundles.tier_names import ALIASES, OVERALL, TIERS
from tellapart.errors import InputError, near_match

_ROUNDING = 1e-4
"""A rate may be recorded with four digits."""

_NO_TIER = ("NA", "None")
"""What such programs call the tier of bundles that have none."""


@dataclass(frozen=True)
class Recorded:
    """What a file of another program records.

    Attributes:
        fingerprint: Of the eval, or empty where there is none.
        lacks: What is not in the file, to be said beside every verdict on it.
    """

    runs: tuple[Run, ...]
    fingerprint: str
    lacks: str


def is_recorded(value: Mapping[str, Any]) -> bool:
    """Whether an object is a sweep, or a scoreboard that this program did not write."""
    return "capsules" in value or ("eval_header" in value and "tellapart_version" not in value)


def read_recorded(value: Mapping[str, Any], path: Path) -> Recorded:
    """Take the runs from a sweep or a scoreboard; see ``docs/bundles.md`` for both."""
    header = value.get("eval_header")
    header = header if isinstance(header, dict) else {}
    fingerprint = _fingerprint(header)
    lacks = ["scores of bundles", "units of margins", *([] if fingerprint else ["fingerprint of the eval"])]
    if "capsules" not in value:
        seed = value.get("checkpoint_path") or path
        name = str(value.get("model") or "")
        run = _run(value, name or path.stem, str(seed), str(path))
        missing = lacks if name else [*lacks, "name of the model"]
        return Recorded((run,), fingerprint, f"{path.name} records no {_listed(missing)}")
    entries = value["capsules"]
    if not isinstance(entries, list) or not entries:
        raise InputError(f"'capsules' is {entries!r:.60}, expected a list of runs", where=path)
    runs, failed = [], 0
    for i, entry in enumerate(entries, start=1):
        where = f"{path}: entry {i} of 'capsules'"
        if not isinstance(entry, dict):
            raise InputError(f"this is {entry!r:.60}, expected an object", where=where)
        if "error" in entry:
            failed += 1
            continue
        condition, seed = entry.get("condition"), entry.get("seed")
        if not isinstance(condition, str) or not condition:
            raise InputError(f"'condition' is {condition!r}, expected a name", where=where)
        runs.append(_run(entry, condition, f"entry {i}" if seed is None else str(seed), where))
    if not runs:
        raise InputError(f"all {failed} runs have an error instead of figures", where=path)
    left_out = f", and {failed} of its runs ended in an error" if failed else ""
    return Recorded(tuple(runs), fingerprint, f"{path.name} records no {_listed(lacks)}{left_out}")


def _run(entry: Mapping[str, Any], condition: str, seed: str, where: str) -> Run:
    by_tier = entry.get("by_tier") or {}
    if not isinstance(by_tier, dict):
        raise InputError(f"'by_tier' is {by_tier!r:.60}, expected an object", where=where)
    figures = _figures(entry.get(OVERALL), "", f"'{OVERALL}'", where)
    counted, in_tiers = figures.get("pass_rate"), 0
    for name, stats in by_tier.items():
        if name in _NO_TIER:
            continue
        tier = ALIASES.get(name, name)
        if tier not in TIERS:
            raise InputError(f"unknown tier {name!r}", where=where, next_step=near_match(name, TIERS))
        of_tier = _figures(stats, f"{tier}_", f"'{name}'", where)
        in_tiers += next((figure.n or 0 for figure in of_tier.values()), 0)
        figures |= of_tier
    if counted is not None and counted.n is not None and in_tiers > counted.n:
        raise InputError(f"the tiers have {in_tiers:,} bundles, expected {counted.n:,} or fewer", where=where)
    return Run(condition, None, seed, figures, where)


def _figures(stats: object, prefix: str, what: str, where: str) -> dict[str, Figure]:
    """Check the figures of one tier."""
    values = _numbers(stats, what, where)
    for name in ("accuracy", "pass_rate"):
        _check_rate(values, name, what, where)
    if "pass_rate" not in values:
        raise InputError(f"{what} has no 'pass_rate'", where=where)
    n = int(values["n"]) if "n" in values else None
    if n == 0:
        return {}
    return {
        prefix + name: Figure(float(values[name]), n=None if figure.summary is Summary.QUANTILE else n)
        for name, figure in FIGURES.items()
        if name in values
    }


def _numbers(stats: object, what: str, where: str) -> dict[str, float]:
    if not isinstance(stats, dict):
        raise InputError(f"{what} is {stats!r:.60}, expected figures such as 'pass_rate'", where=where)
    values = {name: stats[name] for name in ("n", "correct", *FIGURES) if stats.get(name) is not None}
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or value - value != 0:
            raise InputError(f"{name!r} of {what} is {value!r:.60}, expected a finite number", where=where)
    return values


def _check_rate(values: Mapping[str, float], name: str, what: str, where: str) -> None:
    rate, n, correct = values.get(name), values.get("n"), values.get("correct")
    if rate is None:
        return
    if not 0 <= rate <= 1:
        raise InputError(f"{name!r} of {what} is {rate!r}, expected a share in [0, 1]", where=where)
    if n and correct is not None and abs(correct / n - rate) > _ROUNDING:
        raise InputError(
            f"{name!r} of {what} is {rate!r}, expected {correct / n:.4g}: {correct:g} correct of {n:g}",
            where=where,
        )


def _fingerprint(header: Mapping[str, Any]) -> str:
    """The recorded one, or its parts in the header of a frozen eval."""
    recorded = header.get("fingerprint")
    if isinstance(recorded, str):
        return recorded
    source, seed, count = (header.get(name) for name in ("source_sha256", "eval_seed", "eval_count"))
    if not isinstance(source, str) or not isinstance(seed, int) or not isinstance(count, int):
        return ""
    return f"{source[:16]}|{seed}|{count}"


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
