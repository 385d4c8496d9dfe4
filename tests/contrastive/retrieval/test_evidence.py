"""Ranks of units in an index of each writer's summaries."""

import polars as pl
import pytest

from contrastive.fakes import ScriptedMatcher, make_benchmark, make_unit, make_units
from tellapart.contrastive.retrieval.evidence import EVIDENCE_SCHEMA, item_id, retrieval_evidence
from tellapart.contrastive.retrieval.queries import Query, usable
from tellapart.core.scores import ScoreTable
from tellapart.errors import InputError

UNITS = make_units("alpha", "beta", "gamma", "delta")
ALPHA, BETA, GAMMA, DELTA = (unit.id for unit in UNITS)
SETS = [("easy", name, ["delta"]) for name in ("alpha", "beta", "gamma")]
SUMMARIES = [
    *((name, "good", f"{name} {name}") for name in ("alpha", "beta", "gamma", "delta")),
    *((name, "alike", "code") for name in ("alpha", "beta", "gamma", "delta")),
    *((name, "lazy", f"{name} {name}") for name in ("alpha", "delta")),
]


def shared(query, document):
    return float(sum(word in document.split() for word in query.split()))


def evidence(benchmark, queries, *names):
    matchers = {name: lambda _, name=name: ScriptedMatcher(shared, name) for name in names or ("words",)}
    return retrieval_evidence(benchmark, matchers, usable(benchmark, queries))


def row(frame, writer, query, matcher="words"):
    return frame.row(
        by_predicate=(pl.col("model") == writer) & (pl.col("item") == item_id(query, matcher)), named=True
    )


def test_each_writer_s_index_is_searched_and_what_it_lacks_is_missing():
    benchmark = make_benchmark(UNITS, SUMMARIES, SETS)
    frame = evidence(benchmark, [Query(ALPHA, "vague", "alpha"), Query(BETA, "vague", "beta or delta")])
    assert frame.schema == EVIDENCE_SCHEMA
    good = row(frame, "good", f"vague/{ALPHA}")
    assert (good["score"], good["rank"], good["Success@1"], good["cluster"]) == (1.0, 1, 1.0, "a.py")
    tied = row(frame, "good", f"vague/{BETA}")
    assert (tied["rank"], tied["ties"], tied["expected_rank"], tied["score"]) == (1, 1, 1.5, 0.75)
    # All alike: the mean of 1, 1/2, 1/3 and 1/4.
    assert row(frame, "alike", f"vague/{ALPHA}")["score"] == pytest.approx(25 / 48)
    # First of two; and third, if beta and gamma came before.
    few = row(frame, "lazy", f"vague/{ALPHA}")
    assert (few["score"], few["least_RR"]) == (1.0, pytest.approx(1 / 3))
    absent = row(frame, "lazy", f"vague/{BETA}")
    assert (absent["score"], absent["missing"], absent["rank"]) == (None, "infeasible", None)
    table = ScoreTable.from_frame(frame)
    assert table.strata == ["target", "query_kind", "matcher", "language", "unit_type"]


def test_units_alike_by_documentation_are_right_too_and_parts_are_not_ranked():
    twin = make_unit("beta", 100, docstring="Give the second letter of all.")
    other = make_unit("gamma", 200, docstring="Give the second letter of all.")
    inside = make_unit("alpha", 102)
    last = make_unit("delta", 300)
    units = [twin, inside, other, last]
    texts = [
        ("beta", "w", "one"),
        ("alpha", "w", "second letter"),
        ("gamma", "w", "letter"),
        ("delta", "w", "x"),
    ]
    frame = evidence(make_benchmark(units, texts, SETS), [Query(twin.id, "vague", "second letter")])
    found = row(frame, "w", f"vague/{twin.id}")
    # The part of beta would be first; gamma is right, beta is tied with delta behind it.
    assert (found["rank"], found["score"], found["Success@1"]) == (1, 1.0, 1.0)


def test_without_queries_or_an_index_nothing_can_be_ranked():
    benchmark = make_benchmark(UNITS, SUMMARIES, SETS)
    with pytest.raises(InputError, match="there is no query"):
        evidence(benchmark, [])
    with pytest.raises(InputError, match="no writer has 2 summaries"):
        evidence(make_benchmark(UNITS, SUMMARIES[:1], SETS), [Query(ALPHA, "vague", "alpha")])
