"""Two public boards audited: MTEB (English, v2) over its tasks, and AlpacaEval 2.0 item by item.

The directory holds ``mteb-eng-v2.csv`` (a row for each model, a column for each task),
``alpaca-eval-2-scores.csv`` and ``alpaca-eval-2-lengths.csv`` (a row for each instruction with its data set,
a column for each model: the judge's preference over the reference, and the characters of the answer). It
prints the figures of docs/boards.md.

Usage: python benchmarks/boards.py DIRECTORY [PICTURE.png]
"""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
from scipy.stats import kendalltau

import tellapart as ta
from tellapart.audit.results import Findings
from tellapart.core.arrays import F64
from tellapart.core.comparison.labels import corrected
from tellapart.core.randomness import generator
from tellapart.leaderboard.analysis import LeaderboardAudit

REFERENCE, CONSTANT = "gpt4_1106_preview", "NullModel"
Z = 1.959964
SPLITS, DRAWS = 20, 1_000
AGREEMENT = 0.99
"""Share of the separated pairs that a subset of the tasks must put in the same order."""


def main(directory: str, picture: str = "") -> int:
    """Print the figures of both boards, and draw their rank intervals."""
    board = pl.read_csv(Path(directory, "mteb-eng-v2.csv"))
    board = board.select(column for column in board if not column.null_count())
    print("## MTEB (English, v2)")
    mteb = ta.leaderboard(board).audit
    long = board.unpivot(index="model", variable_name="item", value_name="score")
    over_tasks = ta.audit(long, limits=(-1, 1), sesoi=0.02).findings
    groups(mteb)
    neighbours(mteb, over_tasks)
    winner(over_tasks, board.filter(model=mteb.models[0].model).drop("model").to_numpy()[0])
    fewest_tasks(mteb)

    scores = pl.read_csv(Path(directory, "alpaca-eval-2-scores.csv"))
    lengths = pl.read_csv(Path(directory, "alpaca-eval-2-lengths.csv"))
    models = scores.columns[2:]
    print("\n## AlpacaEval 2.0")
    complete = scores.drop_nulls()
    alpaca = ta.leaderboard(
        {model: dict(zip(complete["item"], complete[model], strict=True)) for model in models}
    ).audit
    groups(alpaca)
    over_items = ta.audit(scores.drop("dataset"), item="item").findings
    neighbours(alpaca, over_items)
    winner(over_items, scores[alpaca.models[0].model].drop_nulls().to_numpy())
    constant_answer(scores, lengths, over_items)
    length_parts(scores, lengths, alpaca)
    labels(scores)
    if picture:
        draw({"MTEB (English, v2)": mteb, "AlpacaEval 2.0": alpaca}, picture)
    return 0


def groups(board: LeaderboardAudit) -> None:
    """Print how many models may be the best, the tie groups, and the pairs that are separated."""
    sizes = np.bincount([model.tie_group for model in board.models])[1:]
    best = [model.model for model in board.models if model.rank_interval[0] == 1]
    widths = [model.rank_interval[1] - model.rank_interval[0] + 1 for model in board.models]
    apart = sum(len(model.better_than) for model in board.models)
    print(f"models {len(board.models)}, columns {len(board.tasks)}; may be the best {len(best)}")
    print(f"separated pairs {apart} of {board.pairs}; tie groups {len(sizes)}: {sizes.tolist()}")
    print(f"ranks that a model may have: median {np.median(widths):g}, most {max(widths)}")
    print("may be the best:", ", ".join(best))


def neighbours(board: LeaderboardAudit, findings: Findings) -> None:
    """Print which neighbours are separated, what the items resolve, and what it would take."""
    separated = [pair for pair in board.neighbours if pair.separated]
    gaps = np.array([pair.difference for pair in board.neighbours])
    n, resolved = findings.comparison.resolution[0]
    gap = np.nan if resolved is None else resolved
    print(f"separated neighbours {len(separated)} of {len(gaps)}:")
    for pair in separated:
        print(f"  {pair.upper} above {pair.lower} by {100 * pair.difference:.2f} points")
    print(f"median gap of neighbours {100 * np.median(gaps):.2f} points, greatest {100 * gaps.max():.2f}")
    print(f"{n} items resolve {100 * gap:.1f} points; {np.sum(gaps > gap)} gaps are greater")
    pairs = {frozenset((pair.a, pair.b)): pair for pair in findings.comparison.primary.pairs}
    settle = [pair.settle_items for pair in pairs.values() if pair.settle_items]
    if settle:
        print(
            f"items that settle 2 points: {min(settle):,} to {max(settle):,}, median {np.median(settle):,.0f}"
        )
    needed = [pairs[frozenset((pair.upper, pair.lower))].items_needed for pair in board.neighbours]
    known = [need for need in needed if need is not None and need.value is not None]
    bounded = sum(need.high is not None for need in known)
    least = [float(need.low) for need in known if need.low is not None]
    print(
        f"were the gaps those seen: median {np.median([need.value for need in known]):,.0f} items for a "
        f"neighbour, at least {np.median(least):,.0f} by the interval of the median; of {len(needed)} "
        f"neighbours {bounded} have an interval with an upper end"
    )


def winner(findings: Findings, scores: F64) -> None:
    """Print the best model's mean, its interval as if chosen beforehand, and that for the best of so many."""
    best, mean = findings.ranking[0], float(scores.mean())
    error = Z * float(scores.std(ddof=1)) / len(scores) ** 0.5
    low, high = best.ci or (np.nan, np.nan)
    print(
        f"winner {best.model}: {100 * mean:.1f}, {100 * (mean - error):.1f} to {100 * (mean + error):.1f} "
        f"had it been chosen beforehand, {100 * low:.1f} to {100 * high:.1f} as the best of "
        f"{len(findings.models)}"
    )


def fewest_tasks(board: LeaderboardAudit) -> None:
    """Choose tasks on half of the models, and count the separated pairs of the others that keep their order.

    A task is added at a time, the one with which most separated pairs of the first half stand in their order.
    """
    names = [model.model for model in board.models]
    scores = np.array([list(model.scores.values()) for model in board.models])
    beats = np.array([[name in model.better_than for name in names] for model in board.models])
    tasks = scores.shape[1]
    kept, by_chance, taus = (np.zeros((SPLITS, tasks)) for _ in range(3))
    chosen_first: dict[str, int] = {}
    for split in range(SPLITS):
        rng = generator(split, "models held out")
        half = rng.permutation(len(names))
        train, held_out = half[: len(half) // 2], half[len(half) // 2 :]
        order = _greedy(scores[train], beats[np.ix_(train, train)])
        random = rng.permutation(tasks)
        apart = beats[np.ix_(held_out, held_out)]
        for k in range(1, tasks + 1):
            means = scores[held_out][:, order[:k]].mean(axis=1)
            kept[split, k - 1] = _kept(means, apart)
            by_chance[split, k - 1] = _kept(scores[held_out][:, random[:k]].mean(axis=1), apart)
            taus[split, k - 1] = kendalltau(means, scores[held_out].mean(axis=1)).statistic
        for task in order[:5]:
            name = board.tasks[task].task
            chosen_first[name] = chosen_first.get(name, 0) + 1
    enough = [
        next(k for k in range(tasks) if (table[:, k:].mean(axis=0) >= AGREEMENT).all()) + 1
        for table in (kept, by_chance)
    ]
    print(
        f"fewest tasks that keep {AGREEMENT:.0%} of the separated pairs of models held out in order: "
        f"{enough[0]} chosen, {enough[1]} at random; {SPLITS} splits"
    )
    for k in (1, 3, 5, 10, 20):
        print(
            f"  {k} tasks: {kept[:, k - 1].mean():.1%} chosen, {by_chance[:, k - 1].mean():.1%} at random; "
            f"Kendall's tau with all tasks {taus[:, k - 1].mean():.2f}"
        )
    print("among the first five most often:", sorted(chosen_first.items(), key=lambda of: -of[1])[:6])


def _greedy(scores: F64, beats: F64) -> list[int]:
    """Order tasks: each the one that keeps most separated pairs in order beside those before it."""
    order: list[int] = []
    while len(order) < scores.shape[1]:
        left = [task for task in range(scores.shape[1]) if task not in order]
        order.append(max(left, key=lambda task: _kept(scores[:, [*order, task]].mean(axis=1), beats)))
    return order


def _kept(means: F64, beats: F64) -> float:
    """Share of the separated pairs whose better model has the higher mean."""
    return float((means[:, None] > means)[beats].mean())


def constant_answer(scores: pl.DataFrame, lengths: pl.DataFrame, findings: Findings) -> None:
    """Print what scores and lengths alone say of the model whose answer is constant."""
    models = scores.columns[2:]
    table = scores.select(models).to_numpy().astype(np.float64)
    print("cautions of the audit:", [caution.text for caution in findings.cautions])
    agreement = {}
    for place, model in enumerate(models):
        others = np.nanmean(np.delete(table, place, axis=1), axis=1)
        known = ~np.isnan(table[:, place])
        if np.ptp(table[known, place]):
            agreement[model] = np.corrcoef(table[known, place], others[known])[0, 1]
    least = sorted(agreement.items(), key=lambda of: of[1])[:5]
    print("least correlated with what others find easy:", [f"{m} {r:.2f}" for m, r in least])
    spread = {model: lengths[model].std() / lengths[model].mean() for model in models}
    least = sorted(spread.items(), key=lambda of: of[1])[:3]
    print("lengths that vary least (sd / mean):", [f"{m} {r:.2f}" for m, r in least])


def length_part(lead: F64, ratio: F64) -> tuple[float, float, float, float]:
    """Split a mean lead by a regression on log length ratios: part of length, its error, the rest, its error.

    The rest is the lead where both answers are equally long. Errors allow for any spread of the residuals.
    """
    around = ratio - ratio.mean()
    variance = float(np.mean(around**2))
    slope = float(np.mean(around * lead)) / variance
    residual = lead - lead.mean() - slope * around
    of_slope = around * residual / variance
    root = len(lead) ** 0.5
    part = slope * ratio.mean()
    part_error = float(np.std(slope * around + ratio.mean() * of_slope, ddof=2)) / root
    rest_error = float(np.std(residual - ratio.mean() * of_slope, ddof=2)) / root
    return part, part_error, float(lead.mean()) - part, rest_error


def length_parts(scores: pl.DataFrame, lengths: pl.DataFrame, board: LeaderboardAudit) -> None:
    """Print, of each of the first models, its lead over the reference and over the next, split by length."""
    ranked = [model.model for model in board.models]
    split = {}
    for first, second in [*((m, REFERENCE) for m in ranked if m != REFERENCE), *pairwise(ranked)]:
        lead = (scores[first] - scores[second]).to_numpy()
        with np.errstate(divide="ignore"):
            ratio = np.log((lengths[first] / lengths[second]).to_numpy().astype(np.float64))
        known = np.isfinite(lead) & np.isfinite(ratio)
        split[first, second] = float(lead[known].mean()), *length_part(lead[known], ratio[known])
    print("lead over the reference, over the next; of it length; at equal length (points, 95 %)")
    for first, second in pairwise(ranked[:10]):
        for other in dict.fromkeys((REFERENCE, second)):
            if first != other:
                lead, part, error, rest, rest_error = (100 * x for x in split[first, other])
                print(
                    f"  {first} - {other}: {lead:+.1f}; length {part:+.1f} ({part - Z * error:+.1f} to "
                    f"{part + Z * error:+.1f}); equal {rest:+.1f} ({rest - Z * rest_error:+.1f} to "
                    f"{rest + Z * rest_error:+.1f})"
                )
    nexts = [split[pair] for pair in pairwise(ranked)]
    shows = sum(abs(part) > Z * error for _, part, error, _, _ in nexts)
    turned = [(a, b) for a, b in pairwise(ranked) if split[a, b][3] < -Z * split[a, b][4]]
    lost = sum(lead > 0 and rest < 0 for lead, _, _, rest, _ in nexts)
    print(
        f"of {len(nexts)} leads over the next: length has a part beyond noise in {shows}; at equal length "
        f"the sign turns in {lost}, beyond noise in {len(turned)}: {turned}"
    )


def labels(scores: pl.DataFrame, labelled: int = 60) -> None:
    """Print what so many human labels would do, with people made up from the judge's own scores.

    A label is the judge's score of that answer, or else one of the same model's other scores: the chance of
    the former is the correlation of the judge with people. A model's row is drawn with each seed.
    """
    table = scores.drop_nulls().drop("item", "dataset").to_numpy().T.astype(np.float64)
    alone = np.arange(table.shape[1])
    print(f"{labelled} human labels, {DRAWS} draws a row: half of the interval of a win rate, in points")
    for correlation in (0.0, 0.4, 0.6, 0.8, 0.9):
        halves, same, covered = [], [], 0
        for seed in range(DRAWS):
            rng = generator(seed, "people")
            judged = table[rng.integers(len(table))]
            human = np.where(rng.random(len(judged)) < correlation, judged, rng.permutation(judged))
            drawn = rng.permutation(len(judged)) < labelled
            known = corrected(judged, np.where(drawn, human, np.nan), alone, None, 1.0)
            assert known is not None
            interval = known.interval()
            covered += human.mean() in interval
            halves.append(50 * (interval.high - interval.low))
            same.append(labelled * (known.alone / known.standard_error) ** 2)
        print(
            f"  correlation {correlation}: ± {np.median(halves):.1f}, as {np.median(same):.0f} labels alone; "
            f"{covered / DRAWS:.1%} hold the truth"
        )


def draw(boards: dict[str, LeaderboardAudit], path: str) -> None:
    """Draw the rank interval of every model."""
    import altair as alt

    charts = []
    for title, board in boards.items():
        rows = [
            {
                "place": i + 1,
                "low": m.rank_interval[0] - 0.4,
                "high": m.rank_interval[1] + 0.4,
                "rank": m.rank,
                "group": m.tie_group % 2,
            }
            for i, m in enumerate(board.models)
        ]
        base = alt.Chart(alt.Data(values=rows), title=title).encode(
            y=alt.Y("place:Q", title="Models, best first", scale=alt.Scale(reverse=True, nice=False))
        )
        bars = base.mark_rule(strokeWidth=3).encode(
            x=alt.X("low:Q", title="Ranks that the items leave open, 95 % for all at once"),
            x2="high:Q",
            color=alt.Color("group:N", legend=None, scale=alt.Scale(range=["#4c78a8", "#f58518"])),
        )
        points = base.mark_point(filled=True, size=14, color="black", opacity=1).encode(x="rank:Q")
        charts.append((bars + points).properties(width=380, height=460))
    alt.hconcat(*charts).save(path)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
