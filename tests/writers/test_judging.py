"""Judges from their questions to the figures."""

import json

import polars as pl
import pytest

pytest.importorskip("inspect_ai")

from tellapart import writers
from tellapart.contrastive.benchmark import read_benchmark
from tellapart.errors import InputError
from tellapart.llm.models import LanguageModel
from tellapart.offline import respond
from tellapart.writers.evidence import sample
from tellapart.writers.judging import (
    JudgeSettings,
    batches,
    families_of,
    is_same_family,
    warnings_of_unusable,
)
from writers.planted import planted_bench, scripted

BOTH = ("pointwise", "pairwise")
HONEST, FAMILY = "offline/honest-judge", "offline/family-judge"
HOUSE = {FAMILY: "house", "offline/first-line": "house"}
CRITERIA = ("accuracy", "completeness", "semantic_richness", "abstraction", "conciseness")


def judged(bench, out, *names, methods=("pointwise",), families=None):
    models = [LanguageModel(name) for name in names]
    return writers.judge(bench, JudgeSettings(models, methods, families=families or {}), out=out)


def ranked(run):
    return writers.rank(run.path, weights={"judge": 1}).figures


def texts(bench, *summaries):
    """A benchmark of two units in two files with such summaries: (unit's number, writer, text)."""
    rows = [(f"work_{k}", writer, text) for k, writer, text in summaries]
    return planted_bench(bench, count=6, summaries=rows)


@pytest.fixture(scope="module")
def planted(bench, tmp_path_factory):
    """Three writers of planted quality under an honest judge and one that prefers its own family."""
    out = tmp_path_factory.mktemp("run") / "run"
    return judged(bench, out, HONEST, FAMILY, methods=BOTH, families=HOUSE | {HONEST: "guild"})


def test_no_writer_is_named_in_any_prompt_and_pairs_are_asked_in_both_orders(bench):
    made = batches(read_benchmark(bench), JudgeSettings([LanguageModel(HONEST)], BOTH))
    prompts = [question.prompt for batch in made for question in batch.questions]
    # 12 units: 3 summaries each, and 3 pairs in 2 orders.
    assert len(prompts) == len(set(prompts)) == 12 * 3 + 12 * 6
    assert not any("offline" in prompt or "first-line" in prompt for prompt in prompts)
    orders = {
        (row["writer"], row["opponent"])
        for batch in made
        if batch.method == "pairwise"
        for row, _ in batch.shown
    }
    assert len(orders) == 6 and orders == {(b, a) for a, b in orders}
    few = sample(read_benchmark(bench), 4)
    assert len(set(few)) == 4 and few == sample(read_benchmark(bench), 4)


def test_scores_are_weighted_and_put_on_the_scale_from_0_to_1(tmp_path):
    bench = texts(tmp_path / "b", (0, "w", "The one text that is judged."))
    scores = dict(zip(CRITERIA, (5, 4, 3, 2, 1), strict=True))
    run = judged(bench, tmp_path / "r", scripted("five", lambda _: scores))
    # .25 * 5 + .2 * 4 + .25 * 3 + .15 * 2 + .15 * 1 = 3.25, and (3.25 - 1) / 4 = 0.5625.
    (row,) = run.frame("judgements.parquet").to_dicts()
    assert {name: row[name] for name in scores} == scores
    assert (row["score"], row["reasoning"]) == (3.25, "So it is.")
    (scored,) = run.frame("scores.parquet").to_dicts()
    columns = ("model", "score", "missing", "cluster", "judge", "method")
    expected = ("w", 0.5625, None, "f00.py", "offline/five", "pointwise")
    assert tuple(scored[name] for name in columns) == expected
    (shown,) = run.frame("items.parquet").to_dicts()
    assert (shown["model"], shown["item"]) == ("w", scored["item"])
    assert shown["question"].startswith("def work_0(")
    assert shown["response"] == "The one text that is judged."
    assert shown["verdict"] == "3.25 of 5. So it is."


def test_the_planted_order_of_writers_comes_out_whatever_a_partial_judge_says(planted):
    figures = ranked(planted)
    order = ["offline/names", "offline/first-line", "offline/vague"]
    assert [writer.name for writer in figures.writers] == order
    values = [writer.judge.value for writer in figures.writers]
    assert values == sorted(values, reverse=True) and len(set(values)) == 3
    assert len(figures.comparison.primary.separated) == 3
    scores = planted.frame("scores.parquet")
    judges = scores.group_by("model").agg(pl.col("judge").unique().sort()).sort("model")
    assert judges.rows() == [
        ("offline/first-line", [HONEST]),
        ("offline/names", [FAMILY, HONEST]),
        ("offline/vague", [FAMILY, HONEST]),
    ]
    # Of 36 scores and 72 pairs, 12 and 48 are about the partial judge's own family: it is not asked.
    asked = planted.frame("judgements.parquet").group_by("judge").len().sort("judge")
    assert asked.rows() == [(FAMILY, 36 + 72 - 12 - 48), (HONEST, 36 + 72)]


def test_severity_of_judges_is_taken_off(bench, tmp_path):
    def lenient(text):
        return 4 if "Works with" in text else 3

    names = (scripted("lenient", lenient), scripted("severe", lambda text: lenient(text) - 2))
    families = {"offline/lenient": "guild", "offline/names": "guild"}
    figures = ranked(judged(bench, tmp_path / "r", *names, families=families))
    # names is scored by the severe judge alone, and is still a point better: 4 - 1 and 2 + 1 around it.
    severity = {use.judge: use.severity for use in figures.judges}
    assert severity == {"offline/lenient": 1, "offline/severe": -1}
    shares = {writer.name: writer.judge.value for writer in figures.writers}
    assert shares == {"offline/names": 0.5, "offline/first-line": 0.25, "offline/vague": 0.25}


def test_a_judge_that_likes_the_first_place_favours_nobody(bench, tmp_path):
    name = scripted("first-place", prefer=lambda first, second: "first")
    place, honest = ranked(judged(bench, tmp_path / "r", name, HONEST, methods=["pairwise"])).judges
    assert (place.first_share.value, place.first_share.n, place.same_in_both.value) == (1, 36, 0)
    assert (honest.first_share.value, honest.same_in_both.value) == (0.5, 1)


def test_what_is_missing_has_its_cause_and_is_counted(tmp_path):
    @respond("no-reply")
    def no_reply(prompt):
        if "bad" in (prompt.split("ummary\n")[1:] or ["a bad one"])[0]:
            return "I would rather not."
        reply = {"better": "tie"} if "First summary" in prompt else dict.fromkeys(CRITERIA, 4)
        return json.dumps(reply | {"reasoning": "So it is."})

    bench = texts(
        tmp_path / "b",
        (0, "a", "A good summary of a function."),
        (0, "b", "A bad summary of a function."),
        (2, "a", "Another good summary of it."),
    )
    run = judged(bench, tmp_path / "r", "offline/no-reply", methods=BOTH)
    scores = run.frame("scores.parquet").sort("method", "target", "model")
    assert scores.select("method", "model", "score", "missing").rows() == [
        # Of the pair, the order in which the bad one stands first has no verdict: so the pair does not count.
        ("pairwise", "a", None, "parse"),
        ("pairwise", "b", None, "parse"),
        ("pairwise", "b", None, "infeasible"),
        ("pointwise", "a", 0.75, None),
        ("pointwise", "b", None, "parse"),
        ("pointwise", "a", 0.75, None),
        ("pointwise", "b", None, "infeasible"),
    ]
    figures = ranked(run)
    assert figures.judges[0].failures == {"parse": 2}
    missing = {writer.name: (writer.judge.n, writer.missing) for writer in figures.writers}
    assert missing == {"a": (2, {}), "b": (0, {"infeasible": 1, "parse": 1})}
    assert warnings_of_unusable(run) == []


def test_a_judge_without_any_usable_verdict_and_a_writer_without_a_judge_are_told(bench, tmp_path, tellapart):
    @respond("mute-judge")
    def mute(prompt):
        return "I would rather not."

    command = ("writers", "judge", bench, "--judge", "offline/mute-judge", "--max-failures", 0)
    done = tellapart(*command, "--out", tmp_path / "r")
    assert done.code == 0, done.err
    assert "warning: offline/mute-judge: no verdict could be used (" in done.err
    run = judged(bench, tmp_path / "partial", FAMILY, families=HOUSE)
    caution = "No judge was asked about offline/first-line: every judge is of the same family"
    assert run.scores().notes.cautions == (f"{caution}, or there was nothing to judge.",)


def test_pairs_need_two_writers_and_a_judge_one_of_another_family(tmp_path):
    bench = texts(tmp_path / "b", (0, "only", "A summary of a function by one."))
    with pytest.raises(InputError, match="no unit has summaries of two writers, so there are no pairs"):
        judged(bench, tmp_path / "r", HONEST, methods=["pairwise"])
    with pytest.raises(InputError, match="no judge has anything to judge"):
        judged(bench, tmp_path / "r", HONEST, families={HONEST: "house", "only": "house"})


@pytest.mark.parametrize(
    ("name", "families"),
    [
        ("bedrock/anthropic.claude-3-5-sonnet-20241022-v2:0", {"anthropic"}),
        ("azureai/gpt4o", {"openai"}),
        ("openrouter/openai/o3-mini", {"openai"}),
        # The model's own name decides, not the kind of the server.
        ("openai/llama-3", {"meta"}),
        ("openai-api/lab/m7", set()),
        # Distilled from one and into another.
        ("groq/deepseek-r1-distill-llama-70b", {"deepseek", "meta"}),
        # No word of a name, though it begins like one.
        ("ollama/commander", set()),
    ],
)
def test_the_family_is_in_the_name(name, families):
    assert families_of(name, {}) == families


def test_a_family_that_is_given_comes_first_and_a_model_is_always_its_own():
    named = {"openai-api/lab/m7": "lab", "openai/gpt-5-mini": "lab"}
    assert is_same_family("openai-api/lab/m7", "openai/gpt-5-mini", named)
    assert not is_same_family("openai-api/lab/m7", "openai/gpt-5-mini", {})
    assert is_same_family("openai-api/lab/m7", "openai-api/lab/m7", {})
