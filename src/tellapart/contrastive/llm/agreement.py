"""Language models and embedding matchers on the same questions: where they agree, and both together."""

from __future__ import annotations

import polars as pl

from tellapart.contrastive.figures import Figures, by_name, groups
from tellapart.contrastive.llm.repeats import PICK
from tellapart.contrastive.replicates import once
from tellapart.core.stats import cohen_kappa, mean_once


def agreement_figures(real: pl.DataFrame) -> list[Figures]:
    """Hold every language model against every embedding matcher, with the summaries of the same source.

    An item is right where more than half of its scored askings are, and a tie at the top is half right, so
    not right. The pick is the option that comes first in more than half of them; without one, as after a
    tie at the top, it is the same as nobody's.

    Args:
        real: Rows of ``ITEM_SCHEMA`` under one condition, of all models.

    Returns:
        By source, language model and matcher, ascending: ``llm`` and ``embedding``, the models' names;
        ``n``, items that both have a score for; among them ``same_pick``, ``both_right``, ``only_llm``,
        ``only_embedding`` and ``both_wrong``, counts; ``kappa``, Cohen's, of right and wrong, None where it
        is undefined.
    """
    found = []
    for _, group in groups(real, "source"):
        llms, embeddings = (
            [(model, _verdicts(rows)) for model, rows in by_name(group.filter(method=method))]
            for method in ("llm", "embedding")
        )
        found += [_compared(llm, embedding) for llm in llms for embedding in embeddings]
    return found


def combined_figures(real: pl.DataFrame) -> Figures | None:
    """Mean reciprocal rank by embedding matchers and by language models, and the mean of the two.

    Args:
        real: Rows of ``ITEM_SCHEMA`` under one condition, of all models.

    Returns:
        For each source of summaries that both kinds of matchers ranked: ``embedding``, ``llm`` and
        ``combined``, in (0, 1], over the ``n`` items that both kinds have a score for, where several
        matchers of a kind count by their mean; ``missing``, its other items. None where there is no such
        source.

    Source:
        ``combined`` of recommendation 4.1 in the source document. Deviations: the same items stand in both
        means, and a missing answer is left out, not 0.
    """
    figures = {}
    for source, group in groups(real, "source"):
        by_item = [_by_item(group.filter(method=method)) for method in ("embedding", "llm")]
        both = by_item[0].join(by_item[1], on="item", suffix="_llm")
        mean_of = [mean_once(both[name]) for name in ("reciprocal_rank", "reciprocal_rank_llm")]
        if mean_of[0] is not None and mean_of[1] is not None:
            n_items = group["item"].n_unique()
            figures[source] = {
                "embedding": mean_of[0],
                "llm": mean_of[1],
                "combined": (mean_of[0] + mean_of[1]) / 2,
                "n": both.height,
                "missing": n_items - both.height,
            }
    return figures or None


def _verdicts(rows: pl.DataFrame) -> pl.DataFrame:
    """Items with a score: whether ``right``, and the ``pick``, null where there is none."""
    scored = rows.filter(pl.col("correct").is_not_null())
    picks = (
        scored.with_columns(PICK.alias("pick"), pl.len().over("item").alias("asked"))
        # A gap of nothing is a tie at the top.
        .filter(pl.col("confidence_gap").is_null() | (pl.col("confidence_gap") > 0))
        .group_by("item", "pick", "asked")
        .len()
        .filter(2 * pl.col("len") > pl.col("asked"))
    )
    right = once(scored).select("item", (pl.col("correct") > 0.5).alias("right"))
    return right.join(picks.select("item", "pick"), on="item", how="left", maintain_order="left")


def _compared(llm: tuple[str, pl.DataFrame], embedding: tuple[str, pl.DataFrame]) -> Figures:
    both = llm[1].join(embedding[1], on="item", suffix="_embedding")
    first, second = both["right"], both["right_embedding"]
    return {
        "llm": llm[0],
        "embedding": embedding[0],
        "n": both.height,
        "same_pick": int((both["pick"] == both["pick_embedding"]).sum()),
        "both_right": int((first & second).sum()),
        "only_llm": int((first & ~second).sum()),
        "only_embedding": int((~first & second).sum()),
        "both_wrong": int((~first & ~second).sum()),
        "kappa": cohen_kappa(first, second),
    }


def _by_item(rows: pl.DataFrame) -> pl.DataFrame:
    """Mean reciprocal rank of each item over the matchers that have a score for it."""
    scored = once(rows).filter(pl.col("reciprocal_rank").is_not_null())
    listed = scored.group_by("item", maintain_order=True).agg("reciprocal_rank")
    means = [mean_once(ranks) for ranks in listed["reciprocal_rank"]]
    return listed.with_columns(pl.Series("reciprocal_rank", means, dtype=pl.Float64))
