"""Units, selectors and matchers that are written down instead of extracted, fitted or loaded."""

import numpy as np
import polars as pl

from reference import contrastive as slow
from tellapart.contrastive.answers import ITEM_SCHEMA
from tellapart.contrastive.benchmark import SETS, Benchmark, Choices, Header
from tellapart.contrastive.summaries import Summary
from tellapart.core.record import Record
from tellapart.extraction.unit import Parameter, Unit


def make_unit(name, line=1, *, path="a.py", kind="function", language="python", **others):
    """A unit of nine lines; parameters by name."""
    details = {"content": f"def {name}(): ...", "signature": f"def {name}()", "return_type": None}
    details |= {"docstring": None} | others
    parameters = tuple(Parameter(parameter) for parameter in details.pop("parameters", ()))
    span = {"start_line": line, "end_line": line + 8}
    about = {"id": f"{path}::{name}#00000000", "path": path, "name": name, "type": kind, "language": language}
    return Unit(parameters=parameters, **about, **details, **span)


def make_units(*names, **others):
    """Units one below the other."""
    return [make_unit(name, 1 + 10 * row, **others) for row, name in enumerate(names)]


class ScriptedSelector:
    """Ranks by the inner products of vectors that are written down."""

    name = "scripted"
    fingerprint = "scripted 1"

    def __init__(self, vectors):
        self.vectors = np.array(vectors, dtype=np.float64)

    def neighbours(self, targets, pool, k, *, on_targets=bool):
        return np.array(slow.nearest(self.vectors, self.vectors, targets, pool, k), dtype=np.int64)

    def nearness(self, target, others):
        return self.vectors[others] @ self.vectors[target]


class ScriptedMatcher:
    """Scores by a function of both texts, and remembers what it was asked."""

    def __init__(self, score, name="scripted"):
        self.score, self.name, self.fingerprint = score, name, f"{name} 1"
        self.unit = name
        self.calls = []

    def score_pairs(self, queries, documents, query_index, document_index):
        pairs = [(queries[q], documents[d]) for q, d in zip(query_index, document_index, strict=True)]
        self.calls.append(pairs)
        return np.array([self.score(query, document) for query, document in pairs], dtype=np.float64)


def make_benchmark(units, summaries, sets, *, seed=7):
    """A benchmark of hand-made items.

    Args:
        units: In order.
        summaries: Triples of unit name, source and text.
        sets: Triples of level, target's name and distractors' names.
    """
    ids = {unit.name: unit.id for unit in units}
    row_of = {unit.name: row for row, unit in enumerate(units)}
    rows = [
        {
            "item": f"{level}/{ids[target]}",
            "level": level,
            "target": row_of[target],
            "distractors": [row_of[name] for name in distractors],
            "strategies": ["random"] * len(distractors),
            "similarities": [0.5] * len(distractors),
            "difficulty_score": 30.0,
            "difficulty": "easy",
        }
        for level, target, distractors in sets
    ]
    header = Header(
        seed=seed,
        selector="scripted",
        selector_fingerprint="scripted 1",
        levels=list(dict.fromkeys(level for level, _, _ in sets)),
        choices=choices(),
        counts={},
    )
    texts = [Summary(ids[name], source, text) for name, source, text in summaries]
    return Benchmark(header, units, texts, pl.DataFrame(rows, schema=SETS))


def choices(**others):
    """What was chosen of a benchmark's units, as by default."""
    defaults = {"summaries": "docstring", "candidates": "documented"}
    defaults |= {"languages": [], "cross_language": False, "mask_names": False}
    return Choices(**defaults | others)


def item_rows(*rows):
    """Rows of items: ranks and gaps are given, the rest follows or does not matter."""
    return pl.DataFrame([complete(number, **row) for number, row in enumerate(rows)], schema=ITEM_SCHEMA)


def complete(number, *, rank=1, ties=0, missing=None, **row):
    defaults = {"model": "m", "condition": "summary", "item": f"easy/{number}", "level": "easy"}
    defaults |= {"path": f"{number}.py", "options": 5, "language": "python", "unit_type": "function"}
    defaults |= {"replicate": 0, "confidence_gap": 0.1, "missing": missing}
    if missing is None:
        orders = np.arange(rank, rank + ties + 1)
        defaults |= {"rank": rank, "ties": ties, "expected_rank": orders.mean()}
        defaults |= {"correct": (orders == 1).mean(), "reciprocal_rank": (1 / orders).mean()}
        defaults |= {f"top{k}": (orders <= k).mean() for k in (3, 5)}
    return dict.fromkeys(ITEM_SCHEMA) | defaults | row


def ends(interval):
    """An interval as figures give it."""
    return [interval.low, interval.high]


def as_json(value):
    """Records, in whatever holds them, as a command prints them."""
    if isinstance(value, Record):
        return value.to_json()
    if isinstance(value, dict):
        return {key: as_json(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(inner) for inner in value]
    return value
