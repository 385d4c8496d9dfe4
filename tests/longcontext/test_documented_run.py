"""The documented run of its first case, played again with the replies that it had."""

import json
from pathlib import Path

import pytest
from inspect_ai.model import ModelOutput, ModelUsage

from longcontext.scripted import hold
from tellapart.longcontext.plan import Playing
from tellapart.longcontext.play import results_json
from tellapart.longcontext.reading import read_case, read_results
from tellapart.offline import respond_to_all

FIXTURES = Path(__file__).parent / "fixtures"
OURS = {"model", "epoch", "systemPrompt"}


@pytest.fixture(scope="module")
def documented():
    return json.loads((FIXTURES / "case_1_smoke_result.json").read_text(encoding="utf-8"))["cases"][0]


@pytest.fixture(scope="module")
def played(documented, tmp_path_factory):
    steps = iter(documented["steps"])

    @respond_to_all("documented")
    def documented_model(turns):
        step = next(steps)
        assert turns[-1] == ("user", step["userMessage"])
        usage = step["usage"]
        output = ModelOutput.from_content("m", step["assistantResponse"])
        output.usage = ModelUsage(
            input_tokens=usage["prompt_cache_miss_tokens"],
            output_tokens=usage["completion_tokens"],
            total_tokens=usage["total_tokens"],
            input_tokens_cache_read=usage["prompt_cache_hit_tokens"],
        )
        return output

    # Under 2,500 tokens means three rounds: the peak before the last message is 2,498.
    playing = Playing(target_tokens=2500, order="as-written")
    case = read_case(FIXTURES / "case_1_short.txt")
    found = hold(tmp_path_factory.mktemp("played"), [case], "offline/documented", playing=playing)
    return results_json(found)


def without_times(value):
    times = ("timestamp", "startedAt", "finishedAt")
    if isinstance(value, dict):
        return {key: without_times(inner) for key, inner in value.items() if key not in times}
    return [without_times(inner) for inner in value] if isinstance(value, list) else value


def test_every_field_but_times_is_as_it_was(played, documented):
    case = {key: value for key, value in played["cases"][0].items() if key not in OURS}
    assert without_times(case) == without_times(documented)
    assert played["cases"][0]["systemPrompt"].startswith("You are a medical information assistant")
    assert (played["cases"][0]["model"], played["cases"][0]["epoch"]) == ("offline/documented", 0)


def test_keys_are_in_their_order(played, documented):
    def orders(case):
        ours = [key for key in case if key not in OURS]
        return [ours, *(list(one) for one in [*case["steps"], *case["conversationLog"]])]

    assert orders(played["cases"][0]) == orders(documented)
    assert list(played) == ["cases", "generatedAt"]


def test_a_file_that_is_cut_off_keeps_who_answered_and_the_system_prompt(played, tmp_path):
    path = tmp_path / "half.json"
    text = json.dumps(played)
    path.write_text(text[: text.index('"V1-2"')])
    (case,) = read_results(path).cases
    whole = played["cases"][0]
    assert list(whole)[:5] == ["caseName", "model", "epoch", "systemPrompt", "steps"]
    assert (case.model, case.epoch, case.system) == ("offline/documented", 0, whole["systemPrompt"])
    assert len(case.steps) == [step["stepId"] for step in whole["steps"]].index("V1-2")


def test_times_are_those_of_calls(played):
    case = played["cases"][0]
    log, steps = case["conversationLog"], case["steps"]
    assert [turn["timestamp"] for turn in log] == sorted(turn["timestamp"] for turn in log)
    assert [turn["timestamp"] for turn in log[1::2]] == [step["timestamp"] for step in steps]
    assert case["startedAt"] == log[0]["timestamp"]
    assert case["finishedAt"] == played["generatedAt"] == steps[-1]["timestamp"]
