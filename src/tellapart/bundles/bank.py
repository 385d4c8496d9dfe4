"""The health of a bank of bundles over many models, and scores of its versions on one scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import polars as pl
from scipy.optimize import minimize
from scipy.special import ndtr, ndtri, stdtr
from scipy.stats import betabinom

from tellapart.bundles.figures import rounded
from tellapart.bundles.scoreboards import Scored, load_scored
from tellapart.core.arrays import F64
from tellapart.core.randomness import generator
from tellapart.core.record import Record
from tellapart.core.seed import SEED
from tellapart.errors import UsageError

FEWEST_MODELS = 3
FEWEST_COMMON = 30
"""Common bundles below which versions are not linked, however narrow the interval."""

WIDEST = 0.03
"""Half the 95 % interval of the shift between two versions, beyond which they are not linked."""

LIVE_LOST = 0.02
"""Share of the live bundles that may look like a dead one, at either end, where such bundles are retired."""

CHANCE = 0.005
"""Chance of a further model to differ from all others, by their margins, below which a bundle is dead."""

_DRAWS = 500
_PRIOR_FREEDOM = 4

Status = Literal["separates", "passed by all", "failed by all", "looks wrong"]


class BundleHealth(Record):
    """A bundle that should be retired, how many of ``models`` pass it, and why it should go."""

    item: str
    tier: str | None
    status: Status
    models: int
    passed: int
    reason: str


class LinkedModel(Record):
    """A model of a later version: its rate there, on the first version's scale, and as scored there."""

    model: str
    rate: float
    linked: float
    interval: tuple[float, float]
    scored: float | None


class VersionLink(Record):
    """A version linked to the first one by the bundles that both have, or the reason why it is not."""

    version: str
    reference: str
    common: int
    needed: int
    models: tuple[LinkedModel, ...]
    reason: str | None


class BankRecord(Record):
    """What ``bundles bank --json`` prints; later versions are linked to the first.

    ``live_passed`` and ``live_failed`` estimate the share of live bundles that all models pass, or all better
    ones fail; ``mine`` are tiers in which few bundles separate; ``changed`` ids stand for other bundles in a
    version.
    """

    versions: dict[str, int]
    models: dict[str, tuple[str, ...]]
    tiers: dict[str, dict[str, int]]
    live_passed: float | None
    live_failed: float | None
    retire: tuple[BundleHealth, ...]
    mine: tuple[str, ...]
    changed: int
    links: tuple[VersionLink, ...]


def bank(paths: Sequence[Path]) -> BankRecord:
    """Judge the bundles of one eval or several versions of it by the scoreboards of at least three models."""
    boards = [load_scored(path) for path in dict.fromkeys(paths)]
    by_version: dict[str, dict[str, Scored]] = {}
    for scored in boards:
        models = by_version.setdefault(_version(scored), {})
        if scored.board.model in models:
            raise UsageError(
                f"two scoreboards of {scored.board.model!r} on {_version(scored)}",
                where=scored.path,
                next_step="Give one of each model, or score with another --name",
            )
        models[scored.board.model] = scored
    names = {model for models in by_version.values() for model in models}
    if len(names) < FEWEST_MODELS:
        raise UsageError(
            f"there are scoreboards of {len(names)} model(s), expected {FEWEST_MODELS} or more",
            next_step="Score the eval with further models: tellapart bundles score EVAL --model NAME",
        )
    columns = ["item", "cluster", "tier", "model", "score", "margin", "negatives", "hardest_negative"]
    frames = {
        version: pl.concat([scored.scores.select(columns) for scored in models.values()])
        for version, models in by_version.items()
    }
    every = pl.concat([frame.with_columns(version=pl.lit(name)) for name, frame in frames.items()])
    kept = every.filter(pl.col("negatives").n_unique().over("item") == 1)
    changed = every["item"].n_unique() - kept["item"].n_unique()
    first, *others = frames
    frames = {name: frame.join(kept, on="item", how="semi") for name, frame in frames.items()}
    # A model that was scored on several versions is one model: its last scores count.
    judged = health(kept.unique(["item", "model"], keep="last", maintain_order=True))
    counts = judged.frame.group_by("tier", "status").len().sort("tier", "status")
    tiers: dict[str, dict[str, int]] = {}
    for tier, status, n in counts.iter_rows():
        tiers.setdefault(tier or "(none)", {})[status] = n
    return BankRecord(
        versions={name: frame["item"].n_unique() for name, frame in frames.items()},
        models={name: tuple(models) for name, models in by_version.items()},
        tiers=tiers,
        live_passed=rounded(judged.live_passed),
        live_failed=rounded(judged.live_failed),
        retire=judged.retired(),
        mine=tuple(tier for tier, of in tiers.items() if 2 * of.get("separates", 0) < sum(of.values())),
        changed=changed,
        links=tuple(link(frames[first], frames[name], first, name) for name in others),
    )


def _version(scored: Scored) -> str:
    header = scored.board.eval_header
    return header.version or f"{Path(header.eval_path).name} {header.source_hash}"


class Health(NamedTuple):
    """Bundles with their status, and how many live ones look dead by chance; see `health`."""

    frame: pl.DataFrame
    live_passed: float | None
    live_failed: float | None

    def retired(self) -> tuple[BundleHealth, ...]:
        """List the bundles to retire, those that look wrong first."""
        rows = self.frame.filter("retire").sort(pl.col("status") != "looks wrong", "item")
        return tuple(
            BundleHealth(
                **{name: row[name] for name in BundleHealth.model_fields if name != "reason"},
                reason=_reason(row),
            )
            for row in rows.iter_rows(named=True)
        )


def _reason(row: Mapping[str, object]) -> str:
    if row["status"] == "passed by all":
        return "no model fails it, and a further one hardly would"
    again = ", and the same negative wins in all of them: it may be a second right answer"
    return f"all {row['good']} better models fail it{again if row['agree'] else ''}"


def health(scores: pl.DataFrame) -> Health:
    """Say of each bundle, from each model's score, margin and hardest negative, whether it separates models.

    A bundle that all models pass is retired if hardly a live one would look the same: because the beta-
    binomial distribution of the bundles that separate models expects at most ``LIVE_LOST`` of the live ones
    to be passed by all, or because the margins, in units of each model's median, leave a further model a
    chance of at most ``CHANCE`` to fail. A bundle that all the better half of the models fail looks wrong if
    at most ``LIVE_LOST`` of the live ones would be failed so often; one that all fail also if a further model
    hardly had a chance to pass.
    """
    unit = pl.col("margin").abs().median().over("model")
    beyond = (pl.col("score") - pl.col("score").mean().over("item")).mean().over("model")
    scores = scores.with_columns(
        size=pl.col("margin") / pl.when(unit > 0).then(unit).otherwise(1.0), ability=beyond
    )
    abilities = scores.select("model", "ability").unique().sort("ability", "model", descending=[True, False])
    better = abilities["model"].head(max(FEWEST_MODELS, (abilities.height + 1) // 2)).implode()
    is_good = pl.col("model").is_in(better)
    frame = scores.group_by("item", maintain_order=True).agg(
        pl.col("tier").first(),
        models=pl.len(),
        passed=pl.col("score").sum().cast(pl.Int64),
        good=is_good.sum(),
        good_passed=pl.col("score").filter(is_good).sum(),
        agree=pl.col("hardest_negative").filter(is_good).n_unique() == 1,
        mean=pl.col("size").mean(),
        variance=pl.col("size").var().fill_null(0.0),
    )
    models, passed, good, good_passed = (
        frame[name].to_numpy() for name in ("models", "passed", "good", "good_passed")
    )
    fitted = _live_rates(passed, models)
    none, all_pass = _shares_at_ends(fitted, models)
    good_fail, _ = _shares_at_ends(fitted, good)
    chance_of_failing = _chance_of_failing(frame)
    wrong = (good_passed == 0) & (good >= FEWEST_MODELS) & (good_fail <= LIVE_LOST)
    wrong |= (passed == 0) & ((none <= LIVE_LOST) | (1 - chance_of_failing <= CHANCE))
    easy = (passed == models) & ((all_pass <= LIVE_LOST) | (chance_of_failing <= CHANCE))
    enough = models >= FEWEST_MODELS
    status = np.select(
        [wrong & enough, passed == models, passed == 0],
        ["looks wrong", "passed by all", "failed by all"],
        "separates",
    )
    known = fitted is not None and bool(len(models))
    return Health(
        frame.with_columns(status=pl.Series(status.tolist()), retire=pl.Series((wrong | easy) & enough)),
        float(all_pass[models.argmax()]) if known else None,
        float(good_fail[good.argmax()]) if known else None,
    )


def _live_rates(passed: F64, models: F64) -> tuple[float, float] | None:
    """Fit a beta distribution of pass rates to the bundles that some models pass and some fail."""
    mixed = (passed > 0) & (passed < models)
    pairs, counts = np.unique(np.stack([passed, models])[:, mixed], axis=1, return_counts=True)
    if counts.sum() < FEWEST_COMMON:
        return None
    k, n = pairs

    def loss(logs: F64) -> float:
        a, b = np.exp(logs)
        inside = 1 - betabinom.pmf(0, n, a, b) - betabinom.pmf(n, n, a, b)
        return float(-(counts * (betabinom.logpmf(k, n, a, b) - np.log(np.maximum(inside, 1e-300)))).sum())

    fitted = minimize(loss, np.zeros(2), method="L-BFGS-B", bounds=[(-4, 6)] * 2)
    a, b = np.exp(fitted.x)
    return float(a), float(b)


def _shares_at_ends(fitted: tuple[float, float] | None, models: F64) -> tuple[F64, F64]:
    """Shares of the live bundles that none and that all of so many models pass; 1 where it is not known."""
    if fitted is None:
        return np.ones(len(models)), np.ones(len(models))
    none, all_pass = (np.asarray(betabinom.pmf(k, models, *fitted)) for k in (0, models))
    return none, all_pass


def _chance_of_failing(frame: pl.DataFrame) -> F64:
    """The chance that a further model has a margin below 0; variances are drawn towards their median."""
    models, mean, variance = (frame[name].to_numpy() for name in ("models", "mean", "variance"))
    usual = float(np.median(variance)) if len(variance) else 0.0
    freedom = models - 1 + _PRIOR_FREEDOM
    drawn = (_PRIOR_FREEDOM * usual + (models - 1) * variance) / freedom
    spread = np.sqrt(np.maximum(drawn, 1e-30) * (1 + 1 / models))
    chance: F64 = stdtr(freedom, -mean / spread)
    return chance


def link(first: pl.DataFrame, later: pl.DataFrame, reference: str, version: str) -> VersionLink:
    """Put the pass rates of a later version on the scale of the first, by the bundles that both have.

    Rates are linked as normal quantiles, in which a harder version is a shift; spreads of a few models' rates
    are mostly noise and are not linked. The interval is by a bootstrap over anchors, with the models as
    given.

    Source:
        Kolen and Brennan 2014, "Test Equating, Scaling, and Linking": chained mean equating by common items.
    """
    common = later.select("item").unique().join(first, on="item", how="semi").height

    def linked_by(models: tuple[LinkedModel, ...], needed: int, reason: str | None) -> VersionLink:
        return VersionLink(
            version=version, reference=reference, common=common, needed=needed, models=models, reason=reason
        )

    if common < FEWEST_COMMON:
        return linked_by((), FEWEST_COMMON, f"{common} common bundles, expected {FEWEST_COMMON} or more")
    clusters = {name: i for i, name in enumerate(sorted({*later["cluster"], *first["cluster"]}))}
    sides = [_by_cluster(frame, other, clusters) for frame, other in ((later, first), (first, later))]
    tables = [table for _, table in sides]
    linked = _linked(*(table.sum(axis=0) for table in tables))
    rng = generator(SEED, "bank", reference, version)
    draws = np.empty((_DRAWS, len(linked)))
    for i in range(_DRAWS):
        weights = rng.poisson(1.0, len(clusters)).astype(np.float64)
        draws[i] = _linked(*(np.tensordot(weights, table, 1) for table in tables))
    shifts = draws.mean(axis=1) - linked.mean()
    doubt = float(np.quantile(np.abs(shifts), 0.95))
    if doubt > WIDEST:
        needed = ceil(common * (doubt / WIDEST) ** 2)
        why = f"{common} common bundles leave the shift between the versions open by {100 * doubt:.1f} points"
        return linked_by((), needed, f"{why}; about {needed:,} are needed for {100 * WIDEST:g}")
    low, high = np.quantile(draws, [0.025, 0.975], axis=0).tolist()
    own, there = (
        dict(zip(models, (sums[:, 0] / sums[:, 1]).tolist(), strict=True))
        for models, sums in ((models, table.sum(axis=0)) for models, table in sides)
    )
    models = tuple(
        LinkedModel(
            model=model,
            rate=rounded(rate),
            linked=rounded(linked[i]),
            interval=(rounded(low[i]), rounded(high[i])),
            scored=rounded(there.get(model)),
        )
        for i, (model, rate) in enumerate(own.items())
    )
    return linked_by(models, FEWEST_COMMON, None)


def _by_cluster(
    frame: pl.DataFrame, other: pl.DataFrame, clusters: Mapping[str, int]
) -> tuple[list[str], F64]:
    """The models of a version, and passes and bundles by anchor and model, of all and of the common ones."""
    models = frame["model"].unique(maintain_order=True).to_list()
    place = {model: i for i, model in enumerate(models)}
    table = np.zeros((len(clusters), len(models), 4))
    is_common = pl.col("item").is_in(other["item"].unique().implode())
    sums = frame.group_by("cluster", "model").agg(
        pl.col("score").sum(),
        pl.len(),
        pl.col("score").filter(is_common).sum().alias("passed_common"),
        is_common.sum().alias("common"),
    )
    for cluster, model, *counts in sums.iter_rows():
        table[clusters[cluster], place[model]] = counts
    return models, table


def _linked(later: F64, first: F64) -> F64:
    """Pass rates of the later version's models on the first version, from sums of shape (models, 4)."""
    later_all, later_common = _quantiles(later)
    first_all, first_common = _quantiles(first)
    shift = later_common.mean() - later_all.mean() + first_all.mean() - first_common.mean()
    linked: F64 = ndtr(later_all + shift)
    return linked


def _quantiles(sums: F64) -> tuple[F64, F64]:
    """Normal quantiles of the pass rates over all bundles and over the common ones; 0 and 1 are drawn in."""
    passed, bundles, passed_common, common = sums.T
    return ndtri((passed + 0.5) / (bundles + 1)), ndtri((passed_common + 0.5) / (common + 1))
