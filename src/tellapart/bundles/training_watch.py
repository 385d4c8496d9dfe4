"""What a training is held to: which evals it has, and which of their tiers and figures are watched."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar, cast

import polars as pl

from tellapart.bundles.cliff import FALL, RISE, Training, find_cliffs, scored_steps
from tellapart.bundles.eval_source import BundleSource
from tellapart.bundles.results import CliffRecord
from tellapart.bundles.rounding import rounded
from tellapart.bundles.tier_names import ALIASES, OVERALL, TIERS
from tellapart.bundles.training_eval import TrainingEval, metric_name
from tellapart.errors import UsageError, near_match

T = TypeVar("T")

WATCHABLE = ("pass_rate", "q10_margin")
"""Figures that a gate can judge."""

# The other columns of a long training would fill the memory.
_PASSES = ("item", "tier", "score", "cluster")
_ENTRIES = {
    entry: (ALIASES.get(scope, scope), figures)
    for scope in (OVERALL, *TIERS, *ALIASES)
    for entry, figures in (
        (scope, WATCHABLE),
        *((metric_name(scope, figure), (figure,)) for figure in WATCHABLE),
    )
}


def named_evals(
    bundles: BundleSource | Mapping[str, BundleSource] | Sequence[str | Path],
) -> dict[str, BundleSource]:
    """Give evals by name: those of a dictionary, of a list of paths by their files, or one, by ""."""
    if isinstance(bundles, Mapping):
        named = dict(bundles)
        if not named or not all(isinstance(name, str) and name for name in named):
            raise UsageError(
                f"the names of the evals are {list(named)!r:.60}, expected texts such as 'frozen'",
                next_step="Give evals as {'frozen': PATH, 'organic': PATH}",
            )
        return named
    if not isinstance(bundles, list | tuple) or not bundles:
        return {"": cast("BundleSource", bundles)}
    paths = [Path(one) for one in bundles if isinstance(one, str | Path)]
    if len(paths) < len(bundles):
        return {"": cast("BundleSource", bundles)}
    stems = [path.stem for path in paths]
    repeated = next((stem for stem in stems if stems.count(stem) > 1), None)
    if repeated is not None:
        raise UsageError(
            f"two evals are called {repeated!r}, by their files",
            next_step="Name them: {'frozen': PATH, 'organic': PATH}",
        )
    return dict(zip(stems, paths, strict=True))


def of_evals(given: Mapping[str, T], evals: Iterable[str], what: str) -> Mapping[str, T]:
    """Check that what is given by name is of evals that there are."""
    names = [*evals]
    for name in given:
        if name not in names:
            known = near_match(name, names) if names != [""] else f"There is one eval: give {what}=…, no dict"
            raise UsageError(f"{what} names {name!r}, which is no eval", next_step=known)
    return given


def watched_scopes(
    watch: Sequence[str] | Mapping[str, Sequence[str]] | None,
    evals: Mapping[str, TrainingEval],
    baselines: Iterable[str],
) -> dict[str, dict[str, tuple[str, ...]]]:
    """Settle what each eval watches."""
    held = [*baselines]
    if watch is None:
        return {key: {evals[key].scope: WATCHABLE} for key in held}
    if isinstance(watch, Mapping):
        entries = {key: _entries(of) for key, of in of_evals(watch, evals, "watch").items()}
        wanted = [(entry, [key]) for key, of in entries.items() for entry in of]
    else:
        entries = dict.fromkeys(held, _entries(watch))
        wanted = [(entry, held) for entry in _entries(watch)]
    for entry, keys in wanted:
        _refuse_unheld(entry, [key for key in keys if key in held], keys)
        scope = _ENTRIES[entry][0]
        if not any(scope in evals[key].sizes for key in keys):
            of = " and ".join(evals[key].path for key in keys)
            raise UsageError(
                f"watch names {entry!r}, but no bundle of {of} is in {scope}",
                next_step=f"Choose from {', '.join(evals[keys[0]].sizes)}",
            )
    return {key: _merged(entries.get(key, ()), evals[key].sizes) for key in held}


def _refuse_unheld(entry: str, held: Sequence[str], keys: Sequence[str]) -> None:
    if not held:
        of = f" of {keys[0]!r}" if keys and keys[0] else ""
        raise UsageError(
            f"watch names {entry!r}{of}, but there is no baseline to hold it against",
            next_step="Give baseline=, a scoreboard that 'tellapart bundles score' wrote",
        )


class CliffWatch:
    """Looks at each evaluation for the cliff of a training: one eval up and another down, beyond noise.

    It is reported once. A training that begins anew, with a step before those that were seen, is another one.

    Attributes:
        cliff: The one that was reported, or None.
    """

    def __init__(self, evals: Mapping[str, TrainingEval], *, rising: str, metric: str, falling: str) -> None:
        """Watch ``metric``, a pass rate, of the one eval and the pass rate of all bundles of the other."""
        self.cliff: CliffRecord | None = None
        self._evals = evals[rising], evals[falling]
        self._metrics = metric, "pass_rate"
        self._names = f"{rising} {metric}", f"{falling} pass_rate"
        self._steps: dict[int, tuple[_Side, _Side]] = {}

    def look(self) -> CliffRecord | None:
        """Take the latest evaluations of both evals; give the cliff if they show it, and none did before."""
        rising, falling = (one.latest for one in self._evals)
        if rising is None or falling is None or rising.steps < 0 or rising.steps in self._steps:
            return None
        if self._steps and rising.steps < max(self._steps):
            self._steps, self.cliff = {}, None
        up, down = (
            _Side(one.metrics.get(metric), one.scores.select(_PASSES))
            for one, metric in zip((rising, falling), self._metrics, strict=True)
        )
        self._steps[rising.steps] = up, down
        if self.cliff is not None or not self._may_be_one(up, down):
            return None
        sides = [
            scored_steps(name, metric, {step: pair[side].scores for step, pair in self._steps.items()})
            for side, (name, metric) in enumerate(zip(self._names, self._metrics, strict=True))
        ]
        (found,) = find_cliffs([Training("this training", *sides)]) or [None]
        if found is not None and found.verdict == "cliff":
            self.cliff = found
        return self.cliff

    def _may_be_one(self, rising: _Side, falling: _Side) -> bool:
        """Whether the latest step is up and down by enough against an earlier one; the tests are dear."""
        return any(
            rising.rise_from(before) >= RISE and -falling.rise_from(beside) >= FALL
            for before, beside in self._steps.values()
        )


@dataclass(frozen=True)
class _Side:
    """A pass rate at a step, None where it is undefined, and the columns of the scores behind it."""

    rate: float | None
    scores: pl.DataFrame

    def rise_from(self, earlier: _Side) -> float:
        return 0.0 if self.rate is None or earlier.rate is None else rounded(self.rate - earlier.rate)


def _entries(watch: Sequence[str]) -> tuple[str, ...]:
    entries = (watch,) if isinstance(watch, str) else tuple(watch)
    for entry in entries:
        if entry not in _ENTRIES:
            raise UsageError(
                f"watch names {entry!r}, expected a tier, 'overall', or one with _pass_rate or _q10_margin",
                next_step=near_match(str(entry), _ENTRIES),
            )
    return entries


def _merged(entries: Sequence[str], scopes: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The figures of each scope that an eval has, in the order of the entries."""
    there = set(scopes)
    merged: dict[str, tuple[str, ...]] = {}
    for scope, figures in (_ENTRIES[entry] for entry in entries):
        if scope in there:
            merged[scope] = tuple(dict.fromkeys((*merged.get(scope, ()), *figures)))
    return merged
