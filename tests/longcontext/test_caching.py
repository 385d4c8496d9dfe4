"""What prompt caches save: requested, counted, priced and estimated, over a real wire."""

import json
from pathlib import Path

import pytest

from support.loopback import LoopbackServer, PromptCache
from tellapart.llm.budget import Limits
from tellapart.llm.models import LanguageModel
from tellapart.longcontext.play import Playing
from tellapart.longcontext.reading import read_cases
from tellapart.longcontext.run import RunRequest, estimate_run

STEPS = 50
CASE = "=== SYSTEM PROMPT ===\nBe brief.\n\n" + "\n\n".join(
    f"=== CHECKPOINT C1-{i} (Recall) ===\nWhat did fact {i - 1} say?"
    if i % 5 == 0
    else f"=== MESSAGE {i} ===\nFact {i}: " + f"the trial number {i} enrolled {i * 7} adults. " * 9
    for i in range(1, STEPS + 1)
)
PRICES = {"deepseek/deepseek-chat": "0.27,1.1,0.07", "anthropic/m": "3,15,0.3"}


@pytest.fixture
def play(tellapart, monkeypatch, tmp_path):
    """Run a command against a server that caches, with tokens of three letters as estimates guess them."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    Path("case.txt").write_text(CASE)
    served = PromptCache(lambda request: f"{len(request.messages):04}" * 50, characters_a_token=3.0)

    def run(model, *arguments):
        how = ("--model", model, "--delay", 0, "--quiet", "--price", PRICES[model])
        ended = tellapart("longcontext", "run", "case.txt", *how, *arguments)
        assert ended.code == 0, ended.err
        return ended

    with LoopbackServer(served) as server:
        for name, value in server.environment().items():
            monkeypatch.setenv(name, value)
        run.requests = server.requests
        yield run


def estimated(model, *, forked):
    """What a dry run expects."""
    limits = Limits(price=tuple(float(part) for part in PRICES[model].split(",")))
    llm = LanguageModel(model, temperature=0.3, max_tokens=2000)
    request = RunRequest(read_cases([Path("case.txt")]), [llm], Playing(fork_probes=forked))
    return estimate_run(request, limits=limits)[model].expected


@pytest.mark.parametrize(("model", "forked"), [("deepseek/deepseek-chat", False), ("anthropic/m", True)])
def test_many_steps_cost_what_a_dry_run_with_caching_says(play, model, forked):
    expected, forks = estimated(model, forked=forked), ("--fork-probes",) if forked else ()
    printed = play(model, "--dry-run", *forks).out
    for figure in (
        f"{expected.cost:.2f}",
        f"{expected.cached_tokens:,}",
        f"{expected.cost_with_caching:.2f}",
    ):
        assert figure in printed.split()
    assert len(play.requests) == 0
    ended = play(model, "--run", "run", "--out", "results.json", *forks)
    record = json.loads(Path("run/run.json").read_text())
    asked = record["models"][model]
    steps = json.loads(Path("results.json").read_text())["cases"][0]["steps"]
    usages = [step["usage"] for step in steps]
    assert len(play.requests) == len(steps) == asked["calls"] == STEPS
    hits = sum(usage["prompt_cache_hit_tokens"] for usage in usages)
    assert hits == asked["cached_tokens"] == record["counts"]["cached_tokens"]
    assert hits + sum(usage["prompt_cache_miss_tokens"] for usage in usages) == asked["input_tokens"]
    assert f"{hits:,} of {asked['input_tokens']:,} prompt tokens came from a cache" in ended.err
    sent, back, read = (float(part) for part in PRICES[model].split(","))
    written = sum(usage.get("prompt_cache_write_tokens", 0) for usage in usages)
    assert (written > 0) == (model == "anthropic/m")
    fresh = asked["input_tokens"] - hits - written
    paid = fresh * sent + hits * read + written * sent * 1.25 + asked["output_tokens"] * back
    assert asked["cost"] == pytest.approx(paid / 1e6)
    assert expected.cost_with_caching == pytest.approx(asked["cost"], rel=0.1)
    assert expected.cached_tokens == pytest.approx(hits, rel=0.1)
    assert asked["cost"] < expected.cost / 2
