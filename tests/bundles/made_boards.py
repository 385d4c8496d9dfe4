"""Scoreboards with figures of one's choice."""

from dataclasses import asdict

from tellapart.bundles.figures import figure_units


def stats(n=10, **figures):
    names = ("accuracy", "pass_rate", "mean_margin", "median_margin", "q10_margin", "q90_margin", "mean_rank",
             "expected_rank", "mrr", "top3", "top5", "any_correct", "map", "ndcg10", "recall1", "recall3",
             "recall5", "recall10")  # fmt: skip
    rate = figures.get("pass_rate", 0.5)
    return (
        {"n": n, "correct": round(n * rate), "ties": 0, "queries": n}
        | dict.fromkeys(names, 0.5)
        | {"mean_rank": 1.5, "expected_rank": 1.5}
        | {"accuracy": rate, "ci95": {"pass_rate": [rate - 0.05, rate + 0.05], "mrr": None}}
        | figures
    )


def scoreboard(model, *, seed=42, checkpoint="", tier3_pass_rate=0.5, similarity="cosine", **figures):
    """A scoreboard as JSON; ``figures`` are those of all bundles; the first tier is empty."""
    counts = dict.fromkeys(("n", "correct", "ties", "queries"), 0)
    empty = dict.fromkeys(stats()) | counts | {"ci95": {}}
    tiers = {
        "tier1_easy": empty,
        "tier2_robust": stats(5),
        "tier3_adversarial": stats(5, pass_rate=tier3_pass_rate),
    }
    return {
        "eval_header": {
            "eval_path": "eval.jsonl",
            "fingerprint": f"0011223344556677|{seed}|10",
            "source_hash": "0011223344556677",
            "seed": seed,
            "item_count": 10,
            "tier_distribution": {"tier1_easy": 0, "tier2_robust": 5, "tier3_adversarial": 5},
            "version": None,
        },
        "model": model,
        "overall": stats(**figures),
        "by_tier": tiers,
        "timestamp": "2026-01-01T00:00:00+00:00",
        "checkpoint_path": checkpoint,
        "tellapart_version": "0.1.0",
        "units": {name: asdict(unit) for name, unit in figure_units(similarity).items()},
    }
