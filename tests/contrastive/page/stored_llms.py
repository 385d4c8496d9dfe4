"""A run with two embedding and two language models written by hand, some of whose calls failed.

Eight items, each put to acme/large and acme/small in two orders, twice in each. acme/large is right where the
target stands in the first two slots and has five failed calls; acme/small is always right, except that it
declines one item. bm25 is right on the items of ``easy``, tfidf on those with an even number.
"""

import polars as pl

from contrastive.page import stored_record
from contrastive.page.stored_record import scored, sets

EMBEDDERS, LLMS = ("bm25", "tfidf"), ("acme/large", "acme/small")
MODELS = (*EMBEDDERS, *LLMS)
PLAN = {"orders": 2, "repeats": 2}

FAILED = {(0, 1): "rate_limit", (0, 3): "rate_limit", (5, 0): "server_error", (6, 2): "not_json"}
"""By number of the item and replicate, what happened to a call to acme/large."""

REASON = "all answers score the same"

DECLINED = 7
"""Number of the item that acme/small does not answer."""

CAUSES = {"rate_limit": "provider", "server_error": "provider", "not_json": "parse", "refusal": "refusal"}


def slot_of(number, order, options):
    return (number + 2 * order) % options + 1


def embedded(model, number, item):
    right = number < 4 if model == "bm25" else number % 2 == 0
    return {
        "replicate": 0,
        "correct": float(right),
        "rank": 1 if right else 2,
        "ties": 0,
        "confidence_gap": 0.5 if right else 0.125,
        "margin": 0.5 if right else -0.125,
        "best_distractor": item["distractors"][0],
    }


def ordered(model, number, replicate, item):
    options = len(item["distractors"]) + 1
    slot = slot_of(number, replicate // 2, options)
    asked = {"replicate": replicate, "order": replicate // 2, "slot": slot}
    failure = "refusal" if model == "acme/small" and number == DECLINED else None
    if model == "acme/large":
        failure = FAILED.get((number, replicate))
    if failure:
        return asked | {"missing": CAUSES[failure], "failure": failure}
    right = model == "acme/small" or slot <= 2
    return asked | {
        "picked_slot": slot if right else 1,
        "correct": float(right),
        "rank": 1 if right else slot,
        "ties": 0,
        "best_distractor": item["distractors"][1],
        "confidence": 0.75,
    }


def items():
    rows = []
    for model in MODELS:
        llm = model in LLMS
        for number, item in enumerate(sets().iter_rows(named=True)):
            answers = (
                [ordered(model, number, replicate, item) for replicate in range(4)]
                if llm
                else [embedded(model, number, item)]
            )
            about = {"model": model, "matcher": model, "method": "llm" if llm else "embedding"}
            about |= {"condition": "summary", "source": "docstring", "options": len(item["distractors"]) + 1}
            about |= {name: item[name] for name in ("item", "level", "target")} | {"path": item["target"][:4]}
            rows += [dict.fromkeys(NULL) | about | answer for answer in answers]
    return pl.DataFrame(rows, infer_schema_length=None)


NULL = (
    *("correct", "rank", "ties", "confidence_gap", "margin", "best_distractor", "missing"),
    *("order", "slot", "picked_slot", "confidence", "failure"),
)


def missing(accuracy, ci, bounds, causes, *, n, items_missing=0, askings=16):
    found = scored(accuracy, ci, n=n, missing=items_missing)
    lost = {"askings": askings, "askings_missing": sum(causes.values()), "missing_by_cause": causes}
    return found | lost | {"accuracy_bounds": bounds}


def by_difficulty():
    """Large: easy 4 items of which .5 are right, small: 3 of 4 hard ones answered."""
    return {
        "easy": {
            "bm25": scored(1.0, [0.51, 1.0]),
            "tfidf": scored(0.5, [0.15, 0.85]),
            "acme/large": missing(0.5, [0.15, 0.85], [0.4375, 0.5625], {"provider": 2}, n=4),
            "acme/small": missing(1.0, [0.51, 1.0], [1.0, 1.0], {}, n=4),
        },
        "hard": {
            "bm25": scored(0.0, [0.0, 0.49]),
            "tfidf": scored(0.5, [0.15, 0.85]),
            "acme/large": missing(0.25, [0.05, 0.7], [0.1875, 0.3125], {"provider": 1, "parse": 1}, n=4),
            "acme/small": missing(1.0, [0.44, 1.0], [0.75, 1.0], {"refusal": 4}, n=3, items_missing=1),
        },
    }


def slot_test(p, **z):
    contrasts = dict.fromkeys(("first", "last", "trend", "ends"), 0.0) | z
    return {
        "p": p,
        "spread": 0.4,
        "thirds": [0.8, 0.4, 0.4],
        "z": contrasts,
        "draws": 2000,
        "reason": None if p else REASON,
    }


def figures():
    overall = {
        "bm25": scored(0.5, [0.2, 0.8], n=8),
        "tfidf": scored(0.5, [0.2, 0.8], n=8),
        "acme/large": missing(
            0.375, [0.14, 0.7], [0.3125, 0.4375], {"parse": 1, "provider": 3}, n=8, askings=32
        ),
        "acme/small": missing(
            1.0, [0.65, 1.0], [0.875, 1.0], {"refusal": 4}, n=7, items_missing=1, askings=32
        ),
    }
    stored = stored_record.figures()
    gap = stored["confidence_gap"]["alpha"]
    unknown = dict.fromkeys(("mean_right", "mean_wrong", "correlation", "auroc", "calibration_error"))
    control, swap = stored["controls"]["shuffled"]["alpha"], stored["swap_accuracy"]["alpha"]
    both = {"n": 8, "same_pick": 4, "both_right": 2, "only_llm": 1, "only_embedding": 2, "both_wrong": 3}
    said = {"n": 28, "mean_right": 0.8, "mean_wrong": 0.7, "auroc": 0.625, "calibration_error": 0.375}
    return stored | {
        "overall": overall,
        "by_difficulty": by_difficulty(),
        "by_language": {"python": overall},
        "by_unit_type": {"function": overall},
        "by_distractor_count": {
            level: {model: [0.9, 0.8, 0.7, 0.6, *[0.5] * (options - 4)] for model in MODELS}
            for level, options in stored_record.LEVELS.items()
        },
        "controls": {"shuffled": dict.fromkeys(EMBEDDERS, control)},
        "swap_accuracy": dict.fromkeys(EMBEDDERS, swap),
        "confidence_gap": dict.fromkeys(EMBEDDERS, gap) | dict.fromkeys(LLMS, gap | unknown),
        "slots": {
            "acme/large": {"by_slot": {}, "test": slot_test(0.004, first=2.5, trend=-3.0)},
            "acme/small": {"by_slot": {}, "test": slot_test(None)},
        },
        "failures": {
            "acme/large": {"not_json": 1, "rate_limit": 2, "server_error": 1},
            "acme/small": {"refusal": 4},
        },
        "repaired": {"acme/large": 3, "acme/small": 0},
        "repeats": {
            "acme/large": {"items": 8, "flip_rate": 0.125, "ci": [0.02, 0.47], "disagreement": 0.0625},
        },
        "orders": {
            "acme/large": {"items": 8, "flip_rate": 0.75, "ci": [0.4, 0.93], "disagreement": 0.75},
            "acme/small": {"items": 7, "flip_rate": 0.0, "ci": None, "disagreement": 0.0},
        },
        "agreement": [
            {"llm": "acme/large", "embedding": "bm25", **both, "kappa": 0.25},
            {"llm": "acme/small", "embedding": "bm25", **both, "kappa": None},
        ],
        "combined": {
            "docstring": {"embedding": 0.7, "llm": 0.8, "combined": 0.75} | {"ci": None, "n": 8, "missing": 0}
        },
        "confidence": {"acme/large": said, "acme/small": said | {"mean_wrong": None, "auroc": None}},
        "summaries": {},
    }


def requested(name, **changes):
    asked = {"model": name, "base_url": None, "temperature": 0.0, "max_tokens": 500, "seed": None}
    return asked | {"reasoning_effort": None, "response_schema": False} | changes


def run_record():
    large = {
        "requested": requested("acme/large", seed=7, anthropic_version="2026-10-21"),
        "effective": {"max_tokens": 500, "anthropic_version": "2026-10-21", "service_tier": "auto"},
        "served": ["large-2026-01-05"],
        "calls": 31,
        "failed_calls": 3,
        "input_tokens": 40_000,
        "output_tokens": 3_100,
        "cost": 1.234,
    }
    small = {
        "requested": requested("acme/small"),
        "effective": {"temperature": 0.0, "max_completion_tokens": 500},
        "served": ["small"],
        "calls": 32,
        "failed_calls": 0,
        "input_tokens": 40_000,
        "output_tokens": 3_000,
        "cost": None,
    }
    embedders = {name: {"fingerprint": f"{name} k=1"} for name in EMBEDDERS}
    config = {"models": list(EMBEDDERS), "llms": [large["requested"], small["requested"]], "plan": PLAN}
    models = embedders | {"acme/large": large, "acme/small": small}
    return stored_record.run_record() | {"config": config, "models": models}


def scores_of(frame):
    """The score table of items."""
    columns = {"score": "correct", "cluster": "path", "difficulty": "level"}
    renamed = [pl.col(old).alias(new) for new, old in columns.items()]
    return frame.select("model", "item", "replicate", "missing", *renamed)


def write_llm_record(directory, *, record=None, frame=None, **changes):
    """Write the record as a finished run leaves it."""
    stored_record.write_record(
        directory, extras=False, record=record or run_record(), report=figures() | changes
    )
    frame = items() if frame is None else frame
    frame.write_parquet(directory / "items.parquet")
    scores_of(frame).write_parquet(directory / "scores.parquet")
    return directory
