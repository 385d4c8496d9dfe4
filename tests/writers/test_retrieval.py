"""Queries, and the ranks that they give in an index of each writer's summaries."""

from dataclasses import replace

import polars as pl
import pytest

from contrastive.fakes import ScriptedMatcher, make_benchmark, make_unit, make_units
from tellapart import writers
from tellapart.contrastive import building
from tellapart.contrastive.benchmark import read_benchmark
from tellapart.core.scores import ScoreTable
from tellapart.errors import InputError
from tellapart.writers.queries import QUERY_KINDS, offline_queries, query_frame
from tellapart.writers.retrieval import QUERY_FILE, RetrievalSettings, estimate_query_cost, writer_ranks

UNITS = make_units("alpha", "beta", "gamma", "delta")
ALPHA, BETA, GAMMA, DELTA = (unit.id for unit in UNITS)
SETS = [("easy", name, ["delta"]) for name in ("alpha", "beta", "gamma")]
NAMES = ("alpha", "beta", "gamma", "delta")
SUMMARIES = [
    *((name, "good", f"{name} {name}") for name in NAMES),
    *((name, "alike", "code") for name in NAMES),
    *((name, "lazy", f"{name} {name}") for name in ("alpha", "delta")),
]
REMOVE = make_unit(
    "remove_user",
    path="app/accounts.py",
    parameters=("user", "force"),
    return_type="bool",
    docstring="Take a person out of the register.\n\nMore.",
)
CALLER = make_unit("clean_up", 20, path="app/jobs.py")
OTHER = make_unit("find_user", 40, path="app/jobs.py")
PAIR = [("easy", "remove_user", ["clean_up"]), ("easy", "clean_up", ["remove_user"])]


@pytest.fixture
def written(tmp_path):
    """Reads a benchmark that is written down."""

    def freeze(units, summaries, sets, name="b"):
        building.freeze(make_benchmark(units, summaries, sets), tmp_path / name)
        return read_benchmark(tmp_path / name)

    return freeze


def shared(query, document):
    return float(sum(word in document.split() for word in query.split()))


def ranks(written, texts):
    """Ranks of queries given as {unit: {kind: text}}."""
    queries, matcher = query_frame(written, texts, {}), ScriptedMatcher(shared, "words")
    return pl.concat(writer_ranks(written, writer, "words", matcher, queries) for writer in written.texts)


def row(frame, writer, query):
    chosen = (pl.col("model") == writer) & (pl.col("item") == f"{query} | words")
    return frame.row(by_predicate=chosen, named=True)


def test_each_writer_s_index_is_searched_and_what_it_lacks_is_missing(written):
    texts = {ALPHA: {"vague": "alpha"}, BETA: {"vague": "beta or delta"}}
    frame = ranks(written(UNITS, SUMMARIES, SETS), texts)
    good = row(frame, "good", f"vague/{ALPHA}")
    assert (good["score"], good["rank"], good["cluster"]) == (1.0, 1, "a.py")
    tied = row(frame, "good", f"vague/{BETA}")
    assert (tied["rank"], tied["ties"], tied["score"]) == (1, 1, 0.75)
    # All alike: the mean of 1, 1/2, 1/3 and 1/4.
    assert row(frame, "alike", f"vague/{ALPHA}")["score"] == pytest.approx(25 / 48)
    # First of the two that it has.
    assert row(frame, "lazy", f"vague/{ALPHA}")["score"] == 1.0
    absent = row(frame, "lazy", f"vague/{BETA}")
    assert (absent["score"], absent["missing"], absent["rank"]) == (None, "infeasible", None)
    strata = ["target", "query_kind", "matcher", "language", "unit_type"]
    assert ScoreTable.from_frame(frame.drop("question", "expected", "response")).strata == strata


def test_parts_and_units_alike_by_documentation_are_not_ranked(written):
    twin = make_unit("beta", 100, docstring="Give the second letter of all.")
    other = make_unit("gamma", 200, docstring="Give the second letter of all.")
    units = [twin, make_unit("alpha", 102), other, make_unit("delta", 300)]
    texts = [("beta", "one"), ("alpha", "second letter"), ("gamma", "second letter"), ("delta", "second")]
    frame = ranks(
        written(units, [(name, "w", text) for name, text in texts], SETS),
        {twin.id: {"vague": "second letter"}},
    )
    # Alpha is a part of beta, and nobody could tell gamma from it; delta alone stands before it.
    found = row(frame, "w", f"vague/{twin.id}")
    assert (found["rank"], found["score"]) == (2, 0.5)


def test_without_queries_or_an_index_nothing_can_be_ranked(written, tmp_path):
    settings = RetrievalSettings(["bm25"])
    written(UNITS, [SUMMARIES[0], SUMMARIES[4]], SETS, "one")
    with pytest.raises(InputError, match="no writer has 2 summaries"):
        writers.retrieve(tmp_path / "one", settings, out=tmp_path / "r")
    # The only query that the code gives is the name and the file, and here the summary says just that.
    written(UNITS, [(name, by, f"{name} a") for by in "wx" for name in NAMES], SETS, "same")
    with pytest.raises(InputError, match="there is no query"):
        writers.retrieve(tmp_path / "same", settings, out=tmp_path / "s")


def test_queries_from_what_is_in_the_code(written):
    named = written([REMOVE, CALLER, OTHER], [("remove_user", "a", "Removes it.")], PAIR)
    queries = offline_queries(named)
    typed = {unit: {} for unit in (REMOVE.id, CALLER.id)}
    for unit, kind, text in queries.drop_nulls("text").select("unit", "kind", "text").iter_rows():
        typed[unit][kind] = text
    # A unit without parameters has nothing to look up.
    assert typed == {
        REMOVE.id: {
            "vague": "user accounts",
            "doc_conceptual": "Take a person out of the register.",
            "doc_api_lookup": "remove user user force bool",
        },
        CALLER.id: {"vague": "clean jobs"},
    }
    assert queries.filter(kind="doc_best_practice")["missing"].to_list() == ["infeasible"] * 2
    assert queries.height == 2 * len(QUERY_KINDS)
    documented = written([REMOVE, CALLER], [("remove_user", "docstring", "Take a person out.")], PAIR, "d")
    assert "doc_conceptual" not in offline_queries(documented).drop_nulls("text")["kind"]


def test_a_run_searches_every_index_and_knows_whose_is_smaller(fruit, tmp_path):
    run = writers.retrieve(fruit, RetrievalSettings(["bm25", "lsa"]), out=tmp_path / "run")
    asked = {"models": ["bm25", "lsa"], "queries": "offline", "server": None}
    assert run.record.config == {"evidence": "retrieval", **asked}
    rows = run.frame("items.parquet")
    assert rows["score"].equals(run.frame("scores.parquet")["score"], null_equal=True)
    assert rows["question"].null_count() == 0
    lacking = rows.filter(pl.col("target").str.contains("elder|fig"), model="terse")
    assert lacking.height and set(lacking["missing"]) == {"infeasible"}
    terse = writers.rank(run.path, weights={"retrieval": 1}).figures.writers[-1]
    by_unit = rows.filter(model="terse").drop_nulls("score").group_by("target").agg(pl.mean("score"))
    assert (terse.name, terse.missing) == ("terse", {"infeasible": 2})
    assert terse.retrieval.value == pytest.approx(by_unit["score"].mean())
    cautions = run.scores().notes.cautions
    assert [len(cautions), "holds 4 of 6 summaries" in cautions[1]] == [2, True]


def test_a_language_model_writes_all_kinds_in_one_call_a_unit(fruit, tmp_path):
    pytest.importorskip("inspect_ai")
    from inspect_ai.model import ModelOutput

    from tellapart.llm.models import LanguageModel
    from tellapart.llm.quoting import material_of
    from tellapart.offline import respond
    from tellapart.offline.contrastive import searcher

    prompts = []

    @respond("asker")
    def asker(prompt):
        prompts.append(prompt)
        if "fig" in material_of(prompt):
            return ModelOutput.from_content("asker", "No.", "content_filter")
        return searcher(prompt)

    settings = RetrievalSettings(["bm25"], LanguageModel("offline/asker"))
    assert estimate_query_cost(fruit, settings, None)["offline/asker"].questions == 6
    run = writers.retrieve(fruit, settings, out=tmp_path / "run")
    assert len(prompts) == 6
    ranking = writers.rank(run.path, weights={"retrieval": 1})
    figures = ranking.figures.queries
    shown = {table.name: table for section in ranking.document().sections for table in section.tables}
    assert {(row[-1].text, row[-1].detail) for row in shown["queries"].rows} == {("1", "refusal 1")}
    assert (figures.source, figures.by_kind) == ("offline/asker", dict.fromkeys(QUERY_KINDS, 5))
    assert figures.missing == {kind: {"refusal": 1} for kind in QUERY_KINDS}
    # The journal of this run answers for another.
    again = writers.retrieve(fruit, replace(settings, models=["lsa"], reuse=run.path), out=tmp_path / "again")
    assert (len(prompts), again.frame(QUERY_FILE).equals(run.frame(QUERY_FILE))) == (6, True)
