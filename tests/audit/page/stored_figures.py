"""Figures of an audit written by hand, so that what a report says about them can be derived on paper."""

import polars as pl

from tellapart.audit.results import Findings

HOSTILE = "</script><img src=x onerror=\"document.title='owned'\"><!--\x1b[31m`|"


def why(cause, text):
    return {"cause": cause, "text": text}


def fix(action, text, items=0, answers=0):
    costs = {"cost_items": items, "cost_replicates": answers}
    return {"action": action, **costs, "text": text, "items": []}


def pair(a, b, verdict, diff=None, ci=None, p=None, needed=None, *, why=(), fix=(), **others):
    known = {
        "a": a, "b": b, "n": 100, "clusters": 25, "sd": diff and 0.4, "design_effect": diff and 1.5,
        "binary": True, "test": p and "t", "p": p, "difference": diff, "interval": ci, "interval_95": ci,
        "level": p and 0.05, "p_adjusted": p, "planned_level": 0.05 / 3, "only_a": None, "only_b": None,
        "p_equivalent": p and 1.0, "bounds": [diff, diff], "verdict": verdict, "reason": "",
        "items_needed": {"value": needed, "low": needed and needed // 2, "high": None},
        "why": list(why), "fix": list(fix),
    }  # fmt: skip
    return {**known, **others}


def pairs():
    """Means are alpha 0.8, beta 0.6, gamma 0.59 and delta 0.5; every verdict occurs."""
    withheld = [why("missing_data", "Missing scores of delta could turn the order around.")]
    again = [fix("rerun_missing", "Rerun the 12 answers of delta that are missing.")]
    alike = [why("equivalent", "They differ by 0.01, which is shown to be less than 0.02.")]
    few = [
        why("too_few_items", "100 items find a difference of 0.09; here only with a chance of 62 %."),
        why("broken_items", "3 items rank the models backwards."),
    ]
    more = [
        fix("add_items", "+133 items like these would settle 2 points.", 133),
        fix("drop_items", "Check the answer keys of these 3 items."),
    ]
    chance = [[100, 0.2], [200, 0.35], [400, 0.51], [1000, 0.66]]
    return [
        pair("alpha", "beta", "a>b", 0.2, [0.1, 0.3], 0.0002, 48),
        pair("alpha", "delta", "a>b", 0.3, [0.2, 0.4], 0.0001, 22),
        pair("alpha", "gamma", "a>b", 0.21, [0.1, 0.32], 0.0002, 44),
        pair(
            "beta", "delta", "withheld", 0.1, [0.02, 0.18], 0.03, 189,
            bounds=[-0.02, 0.22], why=withheld, fix=again,
        ),
        pair(
            "beta", "gamma", "equivalent", 0.01, [-0.01, 0.015], 0.9, 18836,
            p_equivalent=0.01, why=alike, fix=[fix("choose_otherwise", "Choose by price or speed.")],
        ),
        pair(
            "delta", "gamma", "not_separated", -0.09, [-0.18, 0.0], 0.05, 233,
            settle_items=5281, chance=chance, why=few, fix=more,
        ),
    ]  # fmt: skip


def ranked(model, mean, rank, span, n=100, bounds=None):
    ends = {"ci": [mean - 0.05, mean + 0.05], "bounds": bounds or [mean, mean], "rank_ci": span}
    return {"model": model, "n": n, "mean": mean, "rank": rank, **ends}


def strata():
    def kind(share, items, means, needed):
        keys = [f"{one['a']}|{one['b']}" for one in pairs()]
        of_pairs = {key: {"value": n, "low": None, "high": None} for key, n in zip(keys, needed, strict=True)}
        return {"separated_paired": share, "items": items, "means": means, "items_needed": of_pairs}

    means = {"alpha": 0.9, "beta": 0.8, "gamma": 0.8, "delta": None}
    easy = kind(1 / 6, 60, means, [90, 40, 80, 900, None, 1200])
    hard = kind(0.5, 40, {**means, "delta": 0.3}, [30, 12, 28, 70, 9000, 60])
    return {"difficulty": {"easy": easy, "hard": hard}}


def flagged(item, reason, discrimination=None):
    return {"item": item, "reason": reason, "discrimination": discrimination}


def figures():
    """A whole audit of four models on a hundred items."""
    return {
        "sources": {"runs/a b": "run directory"},
        "notes": ["Took the metric accuracy."],
        "models": ["alpha", "beta", "delta", "gamma"],
        "items": 100,
        "limits": [0.0, 1.0],
        "options": {"sesoi": 0.02, "seed": 42},
        "cautions": [{"kind": "unasked", "text": "delta was not asked 3 of the items."}],
        "missing": {"alpha": {}, "beta": {}, "delta": {"timeout": 10, "parse": 2}, "gamma": {}},
        "comparison": {
            "alpha": 0.05, "power": 0.8, "sesoi": 0.02, "baseline": None,
            "primary": {"scope": "all items", "declared": True, "pairs": []},
            "secondary": None, "cautions": [],
            "resolution": [[100, 0.14], [200, 0.099], [400, 0.07], [1000, 0.044]],
        },
        "pairs": pairs(),
        "separated_paired": 0.5,
        "separated_arena_hard": 0.5,
        "signal_to_noise": 6.0,
        "by_stratum": strata(),
        "ranking": [
            ranked("alpha", 0.8, 1, [1, 1]),
            ranked("beta", 0.6, 2, [2, 4]),
            ranked("gamma", 0.59, 3, [2, 4]),
            ranked("delta", 0.5, 4, [2, 4], 88, [0.44, 0.56]),
        ],
        "items_flagged": [
            flagged("q00", "all_pass"),
            flagged("q01", "all_pass"),
            flagged("q02", "all_fail"),
            flagged("q03", "negative_discrimination", -0.9),
        ],
        "suspects": {"items": [], "expected_backwards": 0.0},
        "reliability": {"kr20": 0.91, "over_models": ["alpha", "beta", "gamma"], "items": 100, "reason": ""},
        "variance": {
            "model": 0.01, "item": 0.15, "model_item": 0.04, "replicate": None, "grading": None,
            "reason": "no answer was repeated",
        },
        "order": {
            "between_strata": {"difficulty": {"easy|hard": 0.5}}, "halves_tau": 0.7,
            "halves_correlation": 0.9, "spearman_brown": 0.947, "without_flagged": 1.0, "reason": "",
        },
    }  # fmt: skip


def load(found, table=None):
    """An audit as its page gets it, with a table of items."""
    figures = [{k: v for k, v in pair.items() if k not in ("why", "fix")} for pair in found["pairs"]]
    primary = {**found["comparison"]["primary"], "pairs": figures}
    comparison = {**found["comparison"], "primary": primary}
    table = items() if table is None else table
    return Findings.model_validate({**found, "comparison": comparison, "item_table": table})


def items():
    """Items whose difficulty and discrimination spread, with the flags of ``figures``."""
    flags = {one["item"]: one["reason"] for one in figures()["items_flagged"]}
    rows = [
        (
            f"q{i:02d}",
            4,
            (i % 5) / 4 if i > 2 else float(i < 2),
            -0.9 if i == 3 else i % 7 / 7 if i > 2 else None,
        )
        for i in range(100)
    ]
    frame = pl.DataFrame(rows, ["item", "n_models", "difficulty", "discrimination"], orient="row")
    flag = pl.Series([flags.get(item) for item in frame["item"]], dtype=pl.String)
    return frame.with_columns(backwards=pl.lit(None, pl.Float64), flag=flag)


def two_models(verdict="not_separated", **others):
    """An audit of two models on ten items, of which little is known."""
    only = pair("a", "b", verdict, 0.1, [-0.1, 0.3], 0.3, 80, n=10, clusters=10, **others)
    return {
        **figures(),
        "models": ["a", "b"],
        "items": 10,
        "cautions": [],
        "missing": {"a": {}, "b": {}},
        "pairs": [only],
        "by_stratum": {},
        "ranking": [ranked("a", 0.6, 1, [1, 2], 10), ranked("b", 0.5, 2, [1, 2], 10)],
        "items_flagged": [],
        "suspects": {"items": [], "expected_backwards": 0.0},
        "reliability": {"alpha": None, "over_models": [], "items": 10, "reason": "two models are too few"},
        "variance": dict.fromkeys(("model", "item", "model_item", "replicate", "grading"))
        | {"reason": "nothing varies"},
        "order": dict.fromkeys(("halves_tau", "halves_correlation", "spearman_brown", "without_flagged"))
        | {"between_strata": {}, "reason": "fewer than 3 models"},
    }
