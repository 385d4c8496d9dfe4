"""A stored contrastive run written by hand, so that what a report says about it can be derived on paper."""

import json
from dataclasses import replace

import polars as pl

from tellapart.core.comparison import compare, to_json
from tellapart.core.scores import ScoreTable
from tellapart.files import sha256_of

MODELS = ("alpha", "beta", "gamma")
LEVELS = {"easy": 4, "hard": 9}
"""Levels and their number of distractors."""

RIGHT = {"easy": {"alpha": 30, "beta": 20, "gamma": 8}, "hard": {"alpha": 20, "beta": 30, "gamma": None}}
"""Of 40 items a level in as many files, how many of the first each model answers; None where it answers none.

So exact tests decide, and every p is 2 / 2^(items that only one of the two answers).
"""

UNITS = [f"{'ab'[i % 2]}.py::unit_{i}#{i:08x}" for i in range(12)]


def scored(accuracy, ci, *, n=4, missing=0):
    """Figures of one model over items."""
    right = (accuracy or 0.0) * n
    return {
        "n": n,
        "missing": missing,
        "askings": n + missing,
        "askings_missing": missing,
        "missing_by_cause": {"timeout": missing} if missing else {},
        "accuracy": accuracy,
        "accuracy_ci": ci,
        "accuracy_bounds": [right / (n + missing), (right + missing) / (n + missing)],
        "top3": None if accuracy is None else 1.0,
        "top5": None if accuracy is None else 1.0,
        "mrr": None if accuracy is None else 0.8125,
        "mean_rank": None if accuracy is None else 1.5,
        "confidence_gap": None if accuracy is None else 0.1,
        "ties": 0,
    }


def by_difficulty():
    return {
        "easy": {
            "alpha": scored(0.75, [0.3, 0.954]),
            "beta": scored(0.5, [0.15, 0.85]),
            "gamma": scored(0.25, None),
        },
        "hard": {
            "alpha": scored(0.5, [0.15, 0.85]),
            "beta": scored(0.75, [0.3, 0.954]),
            "gamma": scored(None, None, n=0, missing=4),
        },
    }


def figures():
    gap = {
        "mean_right": 5.334,
        "mean_wrong": 0.04707,
        "correlation": 0.5,
        "auroc": 0.8,
        "calibration_error": 0.06,
    }
    gap["histogram"] = {"edges": [0.0, 0.5, 1.0], "right": [1, 2], "wrong": [3, 0]}
    all_right = {**gap, "mean_wrong": None, "correlation": None, "auroc": None, "calibration_error": None}
    overall = {"alpha": scored(0.625, [0.3, 0.86], n=8), "beta": scored(0.625, [0.3, 0.86], n=8)}
    overall["gamma"] = scored(0.25, None, missing=4)
    control = {"n": 8, "chance": 0.15, "interval_90": None, "outcome": "cannot tell"}
    swap = {"n": 3, "accuracy": 0.5, "ci": [0.2, 0.8], "missing": {}, "by_kind": {}}
    return {
        "fingerprint": "0123456789abcdef|7|8",
        "overall": overall,
        "by_difficulty": by_difficulty(),
        "by_language": {"python": overall},
        "by_unit_type": {"function": overall},
        "by_distractor_count": {
            "easy": {model: [0.9, 0.8, 0.8, 0.75] for model in MODELS},
            "hard": {model: [0.8, 0.7, 0.6, 0.55, 0.5, 0.45, 0.4, 0.4, 0.4] for model in MODELS[:2]},
        },
        "controls": {
            "identifier": {"alpha": {**control, "value": 0.9, "ratio": 6.0, "interval": [0.6, 0.98]}},
            "shuffled": {
                "alpha": {**control, "value": 0.125, "ratio": 0.83, "interval": [0.02, 0.47]},
                "beta": {
                    **control,
                    "value": 0.875,
                    "ratio": 5.83,
                    "interval": [0.53, 0.98],
                    "outcome": "above chance",
                },
                "gamma": {**control, "n": 0, "value": None, "chance": None, "ratio": None, "interval": None},
            },
        },
        "swap_accuracy": {
            "alpha": {**swap, "by_kind": {"number": {"n": 3, "accuracy": 0.5, "ci": None}}},
            "beta": {**swap, "by_kind": {"opposite": {"n": 3, "accuracy": 0.5, "ci": None}}},
        },
        "misses": {"hard": {"alpha": missed(20, 0.75), "beta": missed(10, 0.25)}},
        "mean_distractor_similarity": {"easy": 0.0837, "hard": None},
        "strategies": {"easy": {"same_type": 16}, "hard": {"semantic": 20, "same_file": 16}},
        "confidence_gap": {"alpha": gap, "beta": all_right, "gamma": gap},
        **dict.fromkeys(
            ("slots", "failures", "repaired", "repeats", "orders", "confidence", "summaries"), {}
        ),
        "agreement": [],
        "combined": None,
    }


def missed(n, share):
    same_file = {"share": 1 - share, "ci": None, "expected": 0.4444}
    semantic = {"share": share, "ci": [share - 0.2, share + 0.2], "expected": 0.5556}
    return {"n": n, "by_strategy": {"same_file": same_file, "semantic": semantic}}


def scores(right=RIGHT):
    """The score table of 40 items a level; what is asked of a page is easier said with few items."""
    rows = [
        {"model": model, "item": f"{level}/{i}", "cluster": f"{i}.py", "difficulty": level}
        | ({"missing": "timeout"} if n is None else {"score": float(i < n)})
        for level, by_model in right.items()
        for model, n in by_model.items()
        for i in range(40)
    ]
    empty = {"score": None, "missing": None}
    return pl.DataFrame([empty | row for row in rows], infer_schema_length=None)


def compared(right):
    """A set-up, as a validation describes it: its comparison is that of an experiment of its own."""
    return to_json(replace(compare(ScoreTable.from_frame(scores({"it": right}))), secondary=None))


def validation():
    """The original method separates alpha from beta on 2 of 40 items; hard does on 10."""
    alike = {"confidence_gap": {}, "mean_distractor_similarity": None}
    easy, hard = (
        {"models": by_difficulty()[level], "comparison": compared(RIGHT[level]), **alike} for level in LEVELS
    )
    original = compared({"alpha": 22, "beta": 20, "gamma": 8})
    baseline = easy | {"comparison": original}
    whole = {"items_needed": {}, "comparison": compared(RIGHT["hard"])}
    return {"baseline": baseline, "phase1": easy, "phase2": {"hard": hard}, **whole}


def bias():
    return {
        "self": {
            "alpha": {"effect": -0.071, "ci": [-0.1, -0.042], "reason": None},
            "beta": {
                "effect": None,
                "ci": None,
                "reason": "needs at least three models and a second selector",
            },
        },
        "accuracy": {"alpha": {"alpha": 0.3, "beta": 0.4}, "fusion": {"alpha": 0.5, "beta": 0.45}},
        "n": 4,
    }


def header():
    return {
        "fingerprint": "0123456789abcdef|7|8",
        "seed": 7,
        "selector": "fusion",
        "selector_fingerprint": "fusion(60)",
        "choices": {
            "summaries": "docstring",
            "candidates": "documented",
            "languages": [],
            "cross_language": False,
            "mask_names": False,
        },
        "levels": list(LEVELS),
        "counts": {"targets": 4, "units": 12},
    }


def run_record(suite="contrastive"):
    return {
        "schema_version": 1,
        "suite": suite,
        "tellapart_version": "0.1.0",
        "config": {"models": ["beta", "alpha"], "base_url": None},
        "inputs": {"benchmark": "0123456789abcdef|7|8"},
        "models": {"alpha": {"fingerprint": "alpha k=1"}, "beta": {"fingerprint": "beta k=2"}},
        "seed": 7,
        "status": "complete",
        "counts": {"models": 3, "items": 8},
    }


def sets():
    rows = [
        {
            "item": f"{level}/{UNITS[i]}",
            "level": level,
            "target": UNITS[i],
            "distractors": [unit for unit in UNITS if unit != UNITS[i]][:count],
            "strategies": ["semantic"] * count,
            "similarities": [0.125] * count,
            "difficulty_score": 40.0 + i,
            "difficulty": "medium",
        }
        for level, count in LEVELS.items()
        for i in range(4)
    ]
    return pl.DataFrame(rows)


def items():
    """Of each model the first items of a level are right; gamma has no answer at hard."""
    rows = []
    for model in MODELS:
        for i, (item, level, target, distractors) in enumerate(
            sets().select("item", "level", "target", "distractors").iter_rows()
        ):
            right = i % 4 < 4 * (by_difficulty()[level][model]["accuracy"] or 0.0)
            found = {
                "correct": float(right),
                "rank": 1 if right else 3,
                "ties": 0,
                "confidence_gap": 0.25 if right else 0.05,
                "margin": 0.25 if right else -0.125,
                "best_distractor": distractors[0],
                "missing": None,
            }
            if model == "gamma" and level == "hard":
                found = dict.fromkeys(found) | {"missing": "timeout"}
            about = {
                "model": model,
                "method": "embedding",
                "matcher": model,
                "condition": "summary",
                "source": "docstring",
                "item": item,
                "level": level,
            }
            rows.append(about | {"target": target, "options": len(distractors) + 1, **found})
    return pl.DataFrame(rows, infer_schema_length=None)


def units():
    rows = [
        {
            "id": unit,
            "path": unit[:4],
            "name": f"unit_{i}",
            "content": f"def unit_{i}():\n    return {i}",
            "start_line": 10 * i + 1,
            "end_line": 10 * i + 2,
            "language": "python",
        }
        for i, unit in enumerate(UNITS)
    ]
    return pl.DataFrame(rows)


def summaries():
    return pl.DataFrame(
        [
            {"unit": unit, "source": "docstring", "text": f"Return the number {i}."}
            for i, unit in enumerate(UNITS)
        ]
    )


def write_record(directory, *, extras=True, record=None, report=None):
    """Write the record as a finished run leaves it."""
    benchmark = directory / "artifacts" / "benchmark"
    benchmark.mkdir(parents=True)
    jsons = {"run.json": record or run_record(), "artifacts/report.json": report or figures()}
    tables = {"units.parquet": units(), "summaries.parquet": summaries(), "sets.parquet": sets()}
    for name, frame in tables.items():
        frame.write_parquet(benchmark / name)
    hashes = {name: sha256_of(benchmark / name) for name in tables}
    jsons["artifacts/benchmark/benchmark.json"] = header() | {"files": hashes}
    jsons["artifacts/suspects.json"] = {"threshold": 0.3, "pairs": 26, "suspects": []}
    if extras:
        jsons |= {"artifacts/validation.json": validation(), "artifacts/bias.json": bias()}
    for name, value in jsons.items():
        (directory / name).write_text(json.dumps(value), encoding="utf-8")
    items().write_parquet(directory / "items.parquet")
    scores().write_parquet(directory / "scores.parquet")
    return directory
