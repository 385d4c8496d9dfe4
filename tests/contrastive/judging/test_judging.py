"""Judges from their questions to the figures of a run."""

import json

import polars as pl
import pytest

pytest.importorskip("inspect_ai")

from contrastive.judging.planted import planted_bench, scripted
from tellapart.contrastive.benchmark import read_benchmark
from tellapart.contrastive.judging import judge_evidence
from tellapart.contrastive.judging.questions import judged_units, showings_of
from tellapart.contrastive.judging.request import JudgeSettings, judge_questions
from tellapart.contrastive.judging.run import judge, warn_of_unusable
from tellapart.contrastive.page import load_judges
from tellapart.core.comparison import ComparisonSettings, Verdict
from tellapart.errors import InputError
from tellapart.llm.models import LanguageModel
from tellapart.offline import respond

BOTH = ("pointwise", "pairwise")
HOUSE = {"offline/family-judge": "house", "offline/first-line": "house"}


def judged(bench, out, *names, methods=("pointwise",), families=None, **others):
    models = [LanguageModel(name) for name in names]
    return judge(bench, JudgeSettings(models, methods, families=families or {}, **others), out=out)


def report_of(run):
    return load_judges(run, ComparisonSettings()).report


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    return planted_bench(tmp_path_factory.mktemp("planted") / "bench")


@pytest.fixture(scope="module")
def planted(bench, tmp_path_factory):
    """Three writers of planted quality under an honest judge and one that prefers its own family."""
    out = tmp_path_factory.mktemp("run") / "run"
    names = ("offline/honest-judge", "offline/family-judge")
    return judged(bench, out, *names, methods=BOTH, families=HOUSE | {"offline/honest-judge": "guild"})


def texts(bench, *summaries):
    """A benchmark of two units in two files with such summaries: (unit's number, writer, text)."""
    rows = [(f"work_{k}", writer, text) for k, writer, text in summaries]
    return planted_bench(bench, count=6, summaries=rows)


def test_no_writer_is_named_in_any_prompt(bench):
    questions = judge_questions(read_benchmark(bench), JudgeSettings([], BOTH))
    prompts = [question.prompt for asked in questions.values() for question in asked]
    # 12 units: 3 summaries each, and 3 pairs in 2 orders.
    assert len(prompts) == len(set(prompts)) == 12 * 3 + 12 * 6
    assert not any("offline" in prompt or "first-line" in prompt for prompt in prompts)


def test_each_pair_is_shown_in_both_orders(bench):
    benchmark = read_benchmark(bench)
    (target,) = judged_units(benchmark, 1)
    showings = [(one.writer, one.opponent) for one in showings_of(benchmark, [target], ["pairwise"])]
    assert sorted(showings) == sorted({(b, a) for a, b in showings}) and len(showings) == 6


def test_scores_are_weighted_and_put_on_the_scale_from_0_to_1(tmp_path):
    bench = texts(tmp_path / "b", (0, "w", "The one text that is judged."))
    scores = {"accuracy": 5, "completeness": 4, "semantic_richness": 3, "abstraction": 2, "conciseness": 1}
    run = judged(bench, tmp_path / "r", scripted("five", lambda _: scores))
    # .25 * 5 + .2 * 4 + .25 * 3 + .15 * 2 + .15 * 1 = 3.25, and (3.25 - 1) / 4 = 0.5625.
    (row,) = run.frame("judgements.parquet").to_dicts()
    assert {name: row[name] for name in scores} == scores
    assert (row["score"], row["reasoning"], row["counted"]) == (3.25, "So it is.", "yes")
    (scored,) = run.frame("scores.parquet").to_dicts()
    columns = ("model", "score", "missing", "cluster", "judge", "method")
    expected = ("w", 0.5625, None, "f00.py", "offline/five", "pointwise")
    assert tuple(scored[name] for name in columns) == expected
    assert judge_evidence(run).rows() == [("w", scored["target"], "f00.py", 0.5625, None)]
    assert run.record.config["evidence"] == "judge"
    (shown,) = run.frame("items.parquet").to_dicts()
    assert (shown["model"], shown["item"]) == ("w", scored["item"])
    assert shown["question"].startswith("def work_0(")
    assert shown["response"] == "The one text that is judged.\n\noffline/five: 3.25 of 5. So it is."


def test_the_planted_order_of_writers_is_found(planted):
    report = report_of(planted)
    assert [one.writer for one in report.writers] == ["offline/names", "offline/first-line", "offline/vague"]
    scores = [one.score.value for one in report.writers]
    assert scores == sorted(scores, reverse=True) and len(set(scores)) == 3
    shares = [one.win_share.value for one in report.writers]
    assert shares == sorted(shares, reverse=True)
    comparison = load_judges(planted, ComparisonSettings()).comparison
    assert comparison.primary.scope == "method=pointwise" and len(comparison.primary.separated) == 3


def test_the_judge_that_prefers_its_own_family_is_found_and_does_not_count(planted):
    report = report_of(planted)
    found = {(bias.judge, bias.method): bias for bias in report.family}
    assert set(found) == {("offline/family-judge", method) for method in BOTH}
    for bias in found.values():
        assert bias.verdict is Verdict.A_BETTER and bias.preference > 0 and bias.p_adjusted <= 0.05
    scores = planted.frame("scores.parquet")
    judges = scores.group_by("model").agg(pl.col("judge").unique().sort()).sort("model")
    honest, family = "offline/honest-judge", "offline/family-judge"
    assert judges.rows() == [
        ("offline/first-line", [honest]),
        ("offline/names", [family, honest]),
        ("offline/vague", [family, honest]),
    ]
    # Its verdicts are kept, all of them: 36 scores and 72 pairs, of these 12 and 48 about its own family.
    own = planted.frame("judgements.parquet").filter(pl.col("counted") != "yes")
    assert set(own["judge"]) == {family} and own.height == 12 + 48
    assert [(use.judge, use.not_counted) for use in report.judges] == [(honest, 0), (family, 60)]


def test_an_honest_judge_with_a_family_is_not_accused(bench, tmp_path):
    guild = {"offline/honest-judge": "guild", "offline/names": "guild"}
    run = judged(bench, tmp_path / "r", "offline/honest-judge", scripted("same", lambda _: 3), families=guild)
    (bias,) = report_of(run).family
    assert bias.judge == "offline/honest-judge" and bias.units == 12
    # More to its own than the other judge gives, and less to the others: only that others agree says which.
    assert bias.own > 0 > bias.others
    both = judged(
        bench, tmp_path / "r2", "offline/honest-judge", "offline/family-judge", families=guild | HOUSE
    )
    (honest, biased) = report_of(both).family
    assert honest.preference == 0 and honest.verdict is not Verdict.A_BETTER
    assert biased.verdict is Verdict.A_BETTER


def test_a_lenient_judge_is_not_taken_for_a_biased_one(bench, tmp_path):
    def lenient(text):
        return 4 if "Works with" in text else 3

    def severe(text):
        return lenient(text) - 2

    names = (scripted("lenient", lenient), scripted("severe", severe))
    families = {"offline/lenient": "guild", "offline/names": "guild"}
    run = judged(bench, tmp_path / "r", *names, families=families)
    report = report_of(run)
    (bias,) = report.family
    assert (bias.own, bias.others, bias.preference) == (2, 2, 0)
    # names is scored by the severe judge alone, and is still a point better: 4 - 1 and 2 + 1 around it.
    assert report.severity == {"offline/lenient": 1, "offline/severe": -1}
    means = {one.writer: one.score.value for one in report.writers}
    assert means == {"offline/names": 3, "offline/first-line": 2, "offline/vague": 2}
    evidence = judge_evidence(run).group_by("writer").agg(pl.mean("score")).sort("writer")
    assert evidence.rows() == [("offline/first-line", 0.25), ("offline/names", 0.5), ("offline/vague", 0.25)]
    # Where writers are compared, it is within a judge.
    pairs = load_judges(run, ComparisonSettings()).comparison.primary.pairs
    assert {(one.a, one.b): (one.n, one.difference) for one in pairs} == {
        ("offline/first-line", "offline/names"): (12, -0.25),
        ("offline/first-line", "offline/vague"): (24, 0),
        ("offline/names", "offline/vague"): (12, 0.25),
    }


def test_a_judge_that_likes_the_first_place_is_found_and_favours_nobody(bench, tmp_path):
    name = scripted("first-place", prefer=lambda first, second: "first")
    run = judged(bench, tmp_path / "r", name, "offline/honest-judge", methods=["pairwise"])
    report = report_of(run)
    place, honest = report.position
    assert (place.first_share, place.pairs, place.same_in_both.value) == (1, 36, 0)
    assert place.verdict is Verdict.A_BETTER
    assert (honest.first_share, honest.same_in_both.value, honest.verdict) == (0.5, 1, Verdict.NOT_SEPARATED)
    only = judged(bench, tmp_path / "r2", name, methods=["pairwise"])
    assert {one.win_share.value for one in report_of(only).writers} == {0.5}
    assert {one.strength.value for one in report_of(only).writers} == {0}


def test_what_is_missing_has_its_cause_and_is_counted(tmp_path):
    @respond("no-reply")
    def no_reply(prompt):
        shown = prompt.split("ummary\n")[1:] or ["a bad one"]
        return "I would rather not." if "bad" in shown[0] else scripted_reply(prompt)

    def scripted_reply(prompt):
        scores = dict.fromkeys(
            ("accuracy", "completeness", "semantic_richness", "abstraction", "conciseness"), 4
        )
        preferred = {"better": "tie"}
        return json.dumps((preferred if "First summary" in prompt else scores) | {"reasoning": "So it is."})

    bench = texts(
        tmp_path / "b",
        (0, "a", "A good summary of a function."),
        (0, "b", "A bad summary of a function."),
        (2, "a", "Another good summary of it."),
    )
    run = judged(bench, tmp_path / "r", "offline/no-reply", methods=BOTH)
    scores = run.frame("scores.parquet").sort("method", "target", "model")
    rows = scores.select("method", "model", "score", "missing").rows()
    assert rows == [
        # Of the pair, the order in which the bad one stands first has no verdict: so the pair does not count.
        ("pairwise", "a", None, "parse"),
        ("pairwise", "b", None, "parse"),
        ("pairwise", "b", None, "infeasible"),
        ("pointwise", "a", 0.75, None),
        ("pointwise", "b", None, "parse"),
        ("pointwise", "a", 0.75, None),
        ("pointwise", "b", None, "infeasible"),
    ]
    report = report_of(run)
    assert report.judges[0].failures == {"parse": 2}
    assert {one.writer: one.no_summary for one in report.writers} == {"a": {}, "b": {"infeasible": 1}}
    assert judge_evidence(run).select("writer", "score", "missing").rows() == [
        ("a", 0.75, None),
        ("a", 0.75, None),
        ("b", None, "parse"),
        ("b", None, "infeasible"),
    ]
    assert warn_of_unusable(run) == []


def test_pairs_need_two_writers(tmp_path):
    bench = texts(tmp_path / "b", (0, "only", "A summary of a function by one."))
    with pytest.raises(InputError, match="no unit has summaries of two writers, so there are no pairs"):
        judged(bench, tmp_path / "r", "offline/honest-judge", methods=["pairwise"])
