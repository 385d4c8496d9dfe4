"""What a report says about language models, beyond what it says about every model."""

from __future__ import annotations

from collections import Counter
from typing import Any

import polars as pl

from tellapart.contrastive.benchmark import Benchmark
from tellapart.contrastive.figures import Figures, by_name
from tellapart.contrastive.llm.agreement import agreement_figures, combined_figures
from tellapart.contrastive.llm.repeats import flip_figures
from tellapart.contrastive.llm.slots import slot_figures
from tellapart.core.stats import auroc, expected_calibration_error, mean_once


def llm_figures(benchmark: Benchmark, real: pl.DataFrame) -> Figures:
    """Figures of language models as matchers and as authors of summaries.

    Args:
        benchmark: What was asked.
        real: Rows of ``ITEM_SCHEMA`` under the condition ``summary``, of all models.

    Returns:
        By language model ``slots`` (see ``slot_figures``), ``failures`` (askings by kind), ``repaired``
        (askings that a second attempt answered; one that could not be read either is a failure), ``repeats``
        and ``orders`` (see ``flip_figures``; only models that were asked so) and ``confidence`` (see
        ``stated_confidence``); ``agreement`` and ``combined`` with embedding matchers; ``summaries`` (see
        ``summary_figures``). Empty, and ``combined`` None, where there is no language model.
    """
    llms = by_name(real.filter(pl.col("method") == "llm"))
    flips = {model: flip_figures(rows) for model, rows in llms}
    return {
        "slots": {model: slot_figures(rows, seed=benchmark.header.seed, model=model) for model, rows in llms},
        "failures": {
            model: dict(rows["failure"].drop_nulls().value_counts().sort("failure").iter_rows())
            for model, rows in llms
        },
        "repaired": {
            model: rows.filter(pl.col("repaired"), pl.col("missing").is_null()).height for model, rows in llms
        },
        "repeats": {model: same for model, (same, _) in flips.items() if same is not None},
        "orders": {model: others for model, (_, others) in flips.items() if others is not None},
        "agreement": agreement_figures(real),
        "combined": combined_figures(real),
        "confidence": {model: stated_confidence(rows) for model, rows in llms},
        "summaries": summary_figures(benchmark),
    }


def stated_confidence(rows: pl.DataFrame) -> Figures:
    """Whether the probability that a language model states for its pick tells right from wrong.

    Args:
        rows: Of ``ITEM_SCHEMA``, of one language model under one condition.

    Returns:
        Over the ``n`` scored askings, each a forecast of its own: ``mean_right`` and ``mean_wrong``, the mean
        stated for right and for wrong picks; ``auroc``; ``calibration_error``, straight from what was
        stated, in ten bins of equal size. None where there are no such askings.
    """
    scored = rows.filter(pl.col("correct").is_not_null(), pl.col("confidence").is_not_null())
    stated, right = scored["confidence"].to_numpy(), scored["correct"].to_numpy() == 1
    return {
        "n": scored.height,
        "mean_right": mean_once(stated[right]),
        "mean_wrong": mean_once(stated[~right]),
        "auroc": auroc(stated, right),
        "calibration_error": expected_calibration_error(stated, right),
    }


def summary_figures(benchmark: Benchmark) -> Figures:
    """What language models wrote about the targets.

    Args:
        benchmark: Its header names, for summaries by language models, what is ``summaries_missing`` and in
            which names leaked (``names_leaked_by``).

    Returns:
        For each source ``n`` targets with a summary, ``missing`` ones by cause, ``names_leaked``, how many
        name their target, and ``mean_characters``. Empty where no language model wrote the summaries.
    """
    counts: dict[str, Any] = benchmark.header.counts
    if "summaries_missing" not in counts:
        return {}
    targets = sorted(set(benchmark.sets["target"]))
    return {source: _of_source(benchmark, source, targets) for source in benchmark.sources}


def _of_source(benchmark: Benchmark, source: str, targets: list[str]) -> Figures:
    texts = benchmark.texts(source)
    written = [target for target in targets if target in texts]
    causes = benchmark.summary_missing(source)
    missing = Counter(causes.get(target, "infeasible") for target in targets if target not in texts)
    leaked = set(benchmark.header.counts.get("names_leaked_by", {}).get(source, []))
    return {
        "n": len(written),
        "missing": dict(sorted(missing.items())),
        "names_leaked": len(leaked.intersection(written)),
        "mean_characters": mean_once([len(texts[target]) for target in written]),
    }
