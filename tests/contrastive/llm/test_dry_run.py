import json
import math
from pathlib import Path

import pytest

from tellapart.contrastive import running
from tellapart.contrastive.benchmark import read_benchmark
from tellapart.contrastive.build_options import BuildOptions
from tellapart.contrastive.dry_run import estimate_build_cost, estimate_run_cost, slots_again
from tellapart.contrastive.llm_matching import MatchQuestions, OrderPlan
from tellapart.contrastive.request import RunSettings, run_request
from tellapart.errors import InputError, UsageError
from tellapart.files.journal_lines import DamageWarning
from tellapart.llm.budget import Limits
from tellapart.llm.models import LanguageModel

MODEL = LanguageModel("anthropic/claude-x")


@pytest.fixture(autouse=True)
def without_inspect(monkeypatch):
    """Neither Inspect nor a key is needed."""
    monkeypatch.setitem(__import__("sys").modules, "inspect_ai.model", None)
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)


def look(bench, *llms, plan=OrderPlan(), limits=Limits(), reuse=None, out=Path("never")):  # noqa: B008
    settings = RunSettings(["bm25"], llms=llms, plan=plan, limits=limits, reuse=reuse)
    return estimate_run_cost(bench, settings, out)


def test_every_item_is_one_call_in_every_order_and_repeat(bench):
    benchmark = read_benchmark(bench)
    found = look(bench, MODEL, plan=OrderPlan(orders=2, repeats=3))[MODEL.name]
    assert found.questions == found.expected.calls == 6 * benchmark.sets.height
    prompts = [question.prompt for question in MatchQuestions(benchmark, "docstring", OrderPlan(2, 3))]
    assert found.expected.input_tokens == -(-sum(map(len, prompts)) // 3)
    assert not Path("never").exists()


def test_a_longer_list_of_options_takes_a_longer_reply(bench):
    # {"order":[…],"selected":1,"confidence":0.85,"reasoning":"…"} is 58 characters around the list and 120 of
    # reasoning; the numbers up to 5, 10 and 20 with their commas are 9, 20 and 50.
    reply = {5: 178 + 9, 10: 178 + 20, 20: 178 + 50}
    sizes = [len(distractors) + 1 for distractors in read_benchmark(bench).sets["distractors"].to_list()]
    expected = round(sum(reply[size] for size in sizes) / len(sizes)) * len(sizes) / 3
    assert set(sizes) == {5, 10, 20}
    assert look(bench, MODEL)[MODEL.name].expected.output_tokens == math.ceil(expected)


def test_each_model_has_its_own_price(bench):
    other = LanguageModel("openai/gpt-x")
    limits = Limits(price={"anthropic/claude-x": (3.0, 15.0), "openai/gpt-x": (1.0, 5.0)})
    found = look(bench, MODEL, other, limits=limits)
    dear, cheap = (found[name].expected for name in ("anthropic/claude-x", "openai/gpt-x"))
    assert dear.cost == pytest.approx(3 * cheap.cost)
    assert cheap.cost == pytest.approx((cheap.input_tokens + 5 * cheap.output_tokens) / 1e6, rel=1e-3)


def test_what_the_partial_run_holds_is_known(bench, tmp_path):
    journal = tmp_path / "r.partial" / "calls.jsonl"
    journal.parent.mkdir()
    journal.write_text("broken\n")
    with pytest.warns(DamageWarning, match=r"r\.partial/calls\.jsonl: 1 damaged line \(1\)"):
        look(bench, MODEL, out=tmp_path / "r")


def test_the_directory_that_follows_from_the_question_is_looked_into(bench, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    look(bench, MODEL, out=None)
    assert list(tmp_path.iterdir()) == []
    wanted = run_request(read_benchmark(bench), RunSettings(["bm25"], llms=[MODEL]))
    wanted.partial.mkdir(parents=True)
    (wanted.partial / "calls.jsonl").write_text("broken\n")
    with pytest.warns(DamageWarning, match=r"\.partial/calls\.jsonl: 1 damaged line \(1\)"):
        look(bench, MODEL, out=None)


def test_a_complete_run_is_estimated_and_another_one_is_refused(bench, tmp_path):
    finished = running.run(bench, ["bm25"], out=tmp_path / "run")
    assert look(bench, out=finished.path) == {}
    with pytest.raises(UsageError, match="another run exists already"):
        look(bench, MODEL, out=finished.path)


def test_a_run_to_be_taken_over_must_have_a_journal(bench, tmp_path):
    with pytest.raises(InputError, match="no journal of calls here"):
        look(bench, MODEL, reuse=tmp_path)


def test_summaries_are_one_call_a_target_and_model(package, tmp_path):
    options, out = BuildOptions(targets=7), tmp_path / "b"
    other = LanguageModel("openai/gpt-x")
    found = estimate_build_cost(
        [package],
        options,
        out,
        llms=[MODEL, other],
        limits=Limits(price=(1.0, 1.0)),
        reuse=None,
        candidates="documented",
    )
    assert {name: estimate.expected.calls for name, estimate in found.items()} == {
        "anthropic/claude-x": 7,
        "openai/gpt-x": 7,
    }
    assert found["openai/gpt-x"].expected.cost > 0
    assert list(tmp_path.iterdir()) == []


def test_summaries_of_an_interrupted_build_are_known(package, tmp_path):
    journal = tmp_path / "b.partial" / "llm" / "calls.jsonl"
    journal.parent.mkdir(parents=True)
    journal.write_text(json.dumps({"no": "call"}) + "\n")
    with pytest.warns(DamageWarning, match=r"calls\.jsonl: 1 damaged line \(1\)"):
        estimate_build_cost(
            [package],
            BuildOptions(targets=7),
            tmp_path / "b",
            llms=[MODEL],
            limits=Limits(),
            reuse=None,
            candidates="documented",
        )


def test_a_benchmark_to_be_taken_over_must_have_a_journal(tmp_path):
    with pytest.raises(InputError, match="no journal of calls here"):
        estimate_build_cost(
            [Path("nowhere")],
            BuildOptions(),
            tmp_path / "b",
            llms=[MODEL],
            limits=Limits(),
            reuse=tmp_path,
            candidates="documented",
        )


def test_orders_beyond_the_options_are_told_by_level(bench):
    benchmark = read_benchmark(bench)
    assert slots_again(benchmark, 5) is None
    told = slots_again(benchmark, 11)
    assert told == (
        "11 orders are more than some items have options (trivial 5, easy 5, medium 10, hard 10): once its "
        "target has stood in every slot it begins anew, among distractors in another order"
    )
