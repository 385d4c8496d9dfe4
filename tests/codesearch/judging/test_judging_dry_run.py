from dataclasses import replace

import pytest

from codesearch.judging.judged import make_case, make_repositories, reply, verdicts_in
from tellapart.codesearch.judging.relevance import estimate_judging, gather, judge_cases
from tellapart.llm.budget import Limits
from tellapart.llm.models import LanguageModel
from tellapart.llm.run_models import RunCalls

FILES = {f"shop/f{i}.py": f"value = {i}" for i in range(7)}
CASE = make_case(FILES, truth=["shop/f0.py"])
MODEL = LanguageModel("anthropic/claude-x")


@pytest.fixture
def repositories(tmp_path):
    return make_repositories(tmp_path / "repositories", FILES)


@pytest.fixture
def without_inspect(monkeypatch):
    """Neither Inspect nor a key is needed."""
    monkeypatch.setitem(__import__("sys").modules, "inspect_ai.model", None)
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)


@pytest.mark.usefixtures("without_inspect")
def test_what_is_asked_of_explored_conversations(repositories, tmp_path):
    price = Limits(price=(3.0, 15.0))
    found = estimate_judging([CASE], MODEL, repositories, RunCalls(tmp_path, limits=price))
    prompts = [question.prompt for question in gather([CASE], repositories, MODEL).questions()]
    expected = found.expected
    assert expected.calls == len(prompts) == 2
    assert expected.input_tokens == -(-sum(map(len, prompts)) // 3)
    # {"judgements":[]} and for each file, 3 on average, 120 characters in
    # {"file":"1-000000","relevant":false,"actionable":"maybe","reasoning":""} and a comma.
    assert expected.output_tokens == -(-2 * (17 + 3 * (73 + 120)) // 3)
    assert expected.cost == pytest.approx(
        (3 * expected.input_tokens + 15 * expected.output_tokens) / 1e6, rel=1e-3
    )


def test_what_is_known_costs_nothing(repositories, tmp_path):
    from tellapart.offline import respond

    respond("known")(reply)
    model = LanguageModel("offline/known")
    calls = RunCalls(tmp_path / "run")
    judged = verdicts_in(judge_cases([CASE], model, repositories, calls))
    here = estimate_judging([CASE], model, repositories, calls)
    there = estimate_judging([CASE], model, repositories, RunCalls(tmp_path, reuse=tmp_path / "run"))
    assert (here.answered, here.expected.calls) == (2, 0)
    assert there.answered == 2
    earlier = [replace(CASE, verdicts={file: judged[file] for file in sorted(judged)[:5]})]
    left = estimate_judging([CASE], model, repositories, RunCalls(tmp_path), earlier=earlier)
    assert left.questions == 1
    none = estimate_judging([], MODEL, repositories, RunCalls(tmp_path))
    assert (none.questions, none.expected.calls) == (0, 0)
