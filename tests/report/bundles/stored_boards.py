"""Scoreboards and mined bundles written by hand, so that what a report says can be derived on paper."""

import json

import polars as pl

TIERS = ("tier1_easy", "tier2_robust", "tier3_adversarial")
FINGERPRINT = "0123456789abcdef|7|40"

# Ten bundles in the first tier, ten in the second, twenty in the third.
TIER_OF = [TIERS[0]] * 10 + [TIERS[1]] * 10 + [TIERS[2]] * 20
ITEMS = [f"b{i:02d}" for i in range(40)]

ALPHA = [0.5] * 10 + [0.2] * 8 + [-0.1] * 2 + [0.1] * 16 + [-0.3] * 4
"""Passes 10 of 10, 8 of 10, 16 of 20."""
BETA = [0.4] * 9 + [-0.2] + [0.3] * 5 + [-0.1] * 5 + [0.2] * 4 + [-0.2] * 15 + [0.0]
"""Passes 9 of 10, 5 of 10, 4 of 20; ties on the last bundle."""
GAMMA = [20.0] * 10 + [5.0] * 5 + [-5.0] * 5 + [2.0] * 5 + [-8.0] * 15
"""Passes 10 of 10, 5 of 10, 5 of 20; its margins are of another unit."""
OWN = [0.5] * 10 + [-0.1] * 10 + [-0.4] * 20
"""Its tiers are what its own margins would cut."""


def stats(margins, ranks):
    """TierStats as the suite writes them; the intervals are made up."""
    n = len(margins)
    correct = sum(margin > 0 for margin in margins)
    if not n:
        names = ["accuracy", "pass_rate", "mean_margin", "median_margin", "q10_margin", "q90_margin"]
        empty = dict.fromkeys([*names, "mean_rank", "expected_rank", "mrr", "top3", "top5"])
        return {"n": 0, "correct": 0, **empty, "ties": 0, "ci95": {}}
    rate = correct / n
    return {
        "n": n,
        "correct": correct,
        "accuracy": rate,
        "pass_rate": rate,
        "mean_margin": sum(margins) / n,
        "median_margin": sorted(margins)[n // 2],
        "q10_margin": min(margins),
        "q90_margin": max(margins),
        "mean_rank": sum(ranks) / n,
        "expected_rank": sum(ranks) / n,
        "mrr": sum(1 / rank for rank in ranks) / n,
        "top3": sum(rank <= 3 for rank in ranks) / n,
        "top5": sum(rank <= 5 for rank in ranks) / n,
        "ties": sum(margin == 0 for margin in margins),
        "ci95": {"pass_rate": [max(0, rate - 0.125), min(1, rate + 0.125)], "mrr": None},
    }


def write_board(
    directory,
    model,
    margins,
    *,
    name=None,
    items=ITEMS,
    tiers=TIER_OF,
    clusters=None,
    fingerprint=FINGERPRINT,
):
    """Write a scoreboard and its scores; a bundle that fails has rank 4."""
    ranks = [4 if margin < 0 else 1 for margin in margins]
    path = directory / f"{name or model}.json"
    by_tier = {
        tier: stats(
            [m for m, t in zip(margins, tiers, strict=True) if t == tier],
            [r for r, t in zip(ranks, tiers, strict=True) if t == tier],
        )
        for tier in TIERS
    }
    board = {
        "eval_header": {
            "eval_path": "eval.jsonl",
            "fingerprint": fingerprint,
            "source_hash": fingerprint.split("|")[0],
            "seed": 7,
            "item_count": len(items),
            "tier_distribution": {tier: tiers.count(tier) for tier in TIERS},
            "version": None,
        },
        "model": model,
        "overall": stats(margins, ranks),
        "by_tier": by_tier,
        "timestamp": "2026-01-01T00:00:00+00:00",
        "checkpoint_path": "",
        "tellapart_version": "0.1.0",
    }
    path.write_text(json.dumps(board), encoding="utf-8")
    frame = pl.DataFrame(
        {
            "model": [model] * len(items),
            "item": items,
            "score": [float(margin > 0) for margin in margins],
            "tier": tiers,
            "margin": margins,
            "rank": ranks,
            "cluster": clusters or items,
        },
        schema={
            "model": pl.String,
            "item": pl.String,
            "score": pl.Float64,
            "tier": pl.String,
            "margin": pl.Float64,
            "rank": pl.Int64,
            "cluster": pl.String,
        },
    )
    frame.write_parquet(path.with_name(f"{path.stem}.scores.parquet"))
    return path


HOSTILE = "</pre></script><img src=x onerror=\"document.title='owned'\">"


def mined_bundle(number, passes, strength, danger, positive="the positive"):
    return {
        "bundle_id": f"mined-{number}",
        "anchor": {"text": f"anchor {number}", "event_id": f"e{number}", "sense": "s"},
        "positive": {"text": positive, "event_id": f"p{number}", "sense": "s"},
        "negatives": [{"text": f"negative {number}.{i}", "event_id": "n", "sense": "t"} for i in range(2)],
        "tier": "tier3_adversarial",
        "metadata": {
            "passes": passes,
            "lineups_tested": 10,
            "danger": danger,
            "strength": strength,
            "source": "organic",
        },
    }


def write_mined(directory):
    """Three bundles out of twenty candidates; the first lineup alone let four through."""
    bundles = [
        mined_bundle(1, 9, "ultra", 0.75, HOSTILE),
        mined_bundle(2, 3, "low", 0.625),
        mined_bundle(3, 4, "low", 0.5, "one\n" * 20),
    ]
    path, figures = directory / "mined.jsonl", directory / "stats.json"
    path.write_text("".join(f"{json.dumps(one)}\n" for one in bundles), encoding="utf-8")
    passes = {str(i): 0 for i in range(11)} | {"0": 12, "1": 4, "2": 1, "3": 1, "4": 1, "9": 1}
    stats = {
        "candidates_tested": 20,
        "accepted": 3,
        "mining_pass_rate": 0.15,
        "pass_distribution": passes,
        "strengths": {"ultra": 1, "mid": 0, "low": 2, "none": 0},
        "single_lineup": {
            "passed": 4,
            "pass_rate": 0.2,
            "expected_pass_rate": 0.11,
            "pseudo_killers": 1,
            "pseudo_killer_share": 0.25,
        },
        "model": "lsa",
        "parameters": {"min_passes": 3, "lineups": 10},
        "events_fingerprint": "f" * 64,
    }
    figures.write_text(json.dumps(stats), encoding="utf-8")
    return path, figures
