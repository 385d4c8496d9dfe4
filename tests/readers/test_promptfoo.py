"""The fixtures are results of promptfoo 0.121.20.

`repeats` has two providers and three tests twice, as JSON and as JSON Lines; `prompts` two prompts with two
providers, graded by a model that fails once.
"""

import json
from pathlib import Path

from tellapart.readers import read_scores
from tellapart.readers.forms import FORMS
from tellapart.readers.settings import ReadingSettings

(promptfoo,) = (form for form in FORMS if form.name == "promptfoo results")
FIXTURES = Path(__file__).parent / "fixtures" / "promptfoo"
REPEATS, LINES, PROMPTS = (FIXTURES / name for name in ("repeats.json", "repeats.jsonl", "prompts.json"))


def read(path, **choices):
    return promptfoo.read(path, ReadingSettings(**choices))


def changed(tmp_path, change, source=REPEATS):
    """A log after a change to it and its results."""
    log = json.loads(source.read_text())
    change(log, log["results"]["results"])
    path = tmp_path / "out.json"
    path.write_text(json.dumps(log))
    return path


def test_providers_of_one_name_are_told_apart(tmp_path):
    def change(log, results):
        for result in results:
            result["provider"] = {"id": "openai:gpt"} if result["promptIdx"] else "openai:gpt"

    frame = read(changed(tmp_path, change)).frame
    assert frame["model"].unique().sort().to_list() == ["openai:gpt #0", "openai:gpt #1"]


def test_repeats_are_numbered_whatever_the_order_of_the_results(tmp_path):
    keys = ["model", "item", "replicate"]
    backwards = read(changed(tmp_path, lambda log, results: results.reverse())).frame
    assert backwards.sort(keys).equals(read(REPEATS).frame.sort(keys))


def test_an_item_is_its_variables_and_assertions(tmp_path):
    def change(log, results):
        results[0]["testCase"]["assert"][0]["weight"] = 3
        results[1]["testCase"]["vars"]["answer"] = 5
        results[2]["testCase"]["vars"] = dict(reversed(results[2]["testCase"]["vars"].items()))
        results[3]["testCase"]["description"] = None

    before, after = read(REPEATS).frame["item"], read(changed(tmp_path, change)).frame["item"]
    assert [x == y for x, y in zip(before, after, strict=True)] == [False, False, True, False] + [True] * 8
    assert before[3].split(" #")[1] == after[3].split(" #")[1]
    assert after[3].startswith("2+2 #")


def test_what_answers_cost_is_a_metric_of_which_less_is_better(tmp_path):
    def change(log, results):
        for place, result in enumerate(results):
            result["cost"] = None if place == 3 else place / 1000

    # Two of the results are errors.
    paid = read(changed(tmp_path, change), metric="cost")
    assert set(paid.frame["score"]) == {None, *(i / 1000 for i in range(12) if i not in (3, 6, 8))}
    assert paid.less_is_better
    assert read_scores([REPEATS], ReadingSettings(metric="latencyMs")).table.frame["score"].max() == -1
