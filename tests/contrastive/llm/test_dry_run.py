from pathlib import Path

import pytest

from tellapart.contrastive.benchmark import read_benchmark
from tellapart.contrastive.llm_matching import OrderPlan, match_questions
from tellapart.contrastive.running import RunSettings, estimate_run_cost
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
    prompts = [question.prompt for question in match_questions(benchmark, "docstring", OrderPlan(2, 3))]
    assert found.expected.input_tokens == -(-sum(map(len, prompts)) // 3)
    assert not Path("never").exists()
