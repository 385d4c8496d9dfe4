"""Items that each way of choosing distractors needs to separate two models, on one repository.

The models are bm25, tfidf, lsa, hashing and trigrams: TF-IDF over three characters in a row. Pairs are
chosen on one half of the targets, as those that the original method and the pool both separate there, and the
items needed are read on the other half; then the halves change places. The score of an item is the reciprocal
rank, or whether the target comes first.

Usage: python benchmarks/separating.py REPOSITORY [TARGETS] [MODEL,…]
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from time import process_time

import numpy as np
import polars as pl

from tellapart.contrastive.answers import answer, score_rows
from tellapart.contrastive.build_options import BuildOptions
from tellapart.contrastive.building import draft
from tellapart.contrastive.figures import Control, report_results
from tellapart.contrastive.models import Models
from tellapart.contrastive.selection.levels import LEVEL_NAMES, levels_named
from tellapart.core.comparison import compare_scored
from tellapart.core.comparison.pairs import PairComparison
from tellapart.core.scores import ScoreTable
from tellapart.embed.models.lexical import Tfidf

LEVELS = ("original", *LEVEL_NAMES, "ladder", "pool")
MODELS = ("bm25", "tfidf", "lsa", "hashing", "trigrams")
SCORES = {"reciprocal rank": "reciprocal_rank", "top 1": "correct"}


class Trigrams(Tfidf):
    """TF-IDF over three characters in a row, a fifth model that needs no network."""

    name = "trigrams"

    def __init__(self, corpus: Sequence[str]) -> None:
        """Count a corpus."""
        super().__init__(corpus, cut=trigrams)


def trigrams(text: str) -> list[str]:
    """Cut a text into three characters in a row, case and white space apart."""
    line = " ".join(text.lower().split())
    return [line[i : i + 3] for i in range(len(line) - 2)]


def main() -> None:
    """Build, answer, and print one table a score, with the controls and the lengths of distractors."""
    repository = Path(sys.argv[1])
    targets = int(sys.argv[2]) if len(sys.argv) > 2 else 400
    names = sys.argv[3].split(",") if len(sys.argv) > 3 else MODELS
    with Models() as models:
        benchmark = draft(
            [repository], BuildOptions(targets=targets, levels=levels_named(LEVELS)), loaded=models
        )
        codes = [unit.content for unit in benchmark.units]
        matchers = [
            Trigrams(codes) if name == Trigrams.name else models.matcher_of(name, codes) for name in names
        ]
        answers = [answer(benchmark, matcher) for matcher in matchers]
    items, swaps = (pl.concat(parts) for parts in zip(*answers, strict=True))
    real = items.filter(condition="summary")
    asked = real["target"].unique().sort().to_list()
    order = np.random.default_rng(benchmark.header.seed).permutation(len(asked))
    halves = [{asked[i] for i in order[half::2]} for half in (0, 1)]
    print(f"{repository.name}: {len(asked):,} targets, {len(benchmark.units):,} units")
    for label, column in SCORES.items():
        scored = real.with_columns(reciprocal_rank=pl.col(column))
        by_level = {level: compared(scored.filter(level=level)) for level in LEVELS}
        chosen = both_separate(by_level)
        print(f"\n{label}: items needed (95 % interval) for each pair that original and pool separate")
        for level in LEVELS:
            row = (f"{' – '.join(pair)} {needed(by_level[level][pair])}" for pair in chosen)
            print(f"  {level:12} mean {mean(by_level[level][pair] for pair in chosen):>6}  {'; '.join(row)}")
        print("  chosen on one half, read on the other:")
        split = [{level: compared(rows_of(scored, level, half)) for level in LEVELS} for half in halves]
        for level in LEVELS:
            read = [
                mean(split[1 - half][level][pair] for pair in both_separate(split[half])) for half in (0, 1)
            ]
            print(f"  {level:12} {read[0]:>6} / {read[1]}")
    report = report_results(benchmark, items, swaps)
    print("\nshuffled over chance, by level; * where the 95 % interval leaves out chance")
    for model, control in report.controls["shuffled"].items():
        row = (f"{level} {ratio(part)}" for level, part in control.by_level.items())
        print(f"  {model:8} all {control.ratio or 0:.2f} {control.outcome.value}; {', '.join(row)}")
    print("\nmedian lengths in characters", json.dumps(report.lengths))
    print(f"{process_time():.0f} s of the processor")


def ratio(control: Control) -> str:
    """A control over chance, with a star where its interval leaves out chance."""
    if control.ratio is None or control.interval is None or control.chance is None:
        return "–"
    low, high = control.interval
    return f"{control.ratio:.2f}{'' if low <= control.chance <= high else '*'}"


def rows_of(items: pl.DataFrame, level: str, targets: set[int]) -> pl.DataFrame:
    """The answers of one level about some of the targets."""
    return items.filter(pl.col("level") == level, pl.col("target").is_in(sorted(targets)))


def compared(items: pl.DataFrame) -> dict[tuple[str, str], PairComparison]:
    """Compare all models on some items."""
    comparison = compare_scored(ScoreTable.from_frame(score_rows(items)))
    return {(pair.a, pair.b): pair for pair in comparison.primary.pairs} if comparison else {}


def both_separate(by_level: dict[str, dict[tuple[str, str], PairComparison]]) -> list[tuple[str, str]]:
    """The pairs that the original method and the pool both separate, whichever is ahead."""
    original, pool = by_level["original"], by_level["pool"]
    return [pair for pair in original if original[pair].is_separated and pool[pair].is_separated]


def needed(pair: PairComparison) -> str:
    """Items needed, with the ends of the interval."""
    items = pair.items_needed
    ends = ("more" if end is None else f"{end:,}" for end in (items.low, items.high))
    return f"{items.value if items.value is not None else 'none'} ({' to '.join(ends)})"


def mean(pairs: Iterable[PairComparison]) -> str:
    """The geometric mean of the items needed, or a dash where no number would do for some pair."""
    values = [pair.items_needed.value for pair in pairs]
    if not values or None in values:
        return "–"
    return f"{np.exp(np.mean(np.log(np.array(values, dtype=float)))):,.0f}"


if __name__ == "__main__":
    main()
