"""The documented run of its first case, played again with the replies that it had."""

import json
from pathlib import Path

import pytest
from inspect_ai.model import ModelOutput, ModelUsage

from longcontext.scripted import hold
from tellapart.longcontext.design import Playing
from tellapart.longcontext.reading import read_case
from tellapart.longcontext.transcript import results_json
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
    playing = Playing(target_tokens=2500, probes_last=False)
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
