"""The fixtures are results of promptfoo 0.121.20.

`repeats` has two providers and three tests twice, as JSON and as JSON Lines; `prompts` two prompts with two
providers, graded by a model that fails once.
"""

import json
from pathlib import Path

import polars as pl
import pytest

from tellapart.errors import InputError
from tellapart.readers.promptfoo import FORMS
from tellapart.readers.settings import ReadingSettings

promptfoo = FORMS[0]
FIXTURES = Path(__file__).parent / "fixtures" / "promptfoo"
REPEATS, LINES, PROMPTS = (FIXTURES / name for name in ("repeats.json", "repeats.jsonl", "prompts.json"))


def read(path, **choices):
    return promptfoo.read(path, ReadingSettings(**choices))


def column(frame, model, name="score"):
    rows = frame.filter(model=model).with_columns(test=pl.col("item").str.split(" #").list.first())
    return dict(zip(rows.select("test", "replicate").rows(), rows[name], strict=True))


def changed(tmp_path, change, source=REPEATS):
    """A log after a change to it and its results."""
    log = json.loads(source.read_text())
    change(log, log["results"]["results"])
    path = tmp_path / "out.json"
    path.write_text(json.dumps(log))
    return path


def test_scores_repeats_and_causes():
    scores = read(REPEATS)
    strong, weak = (column(scores.frame, model) for model in ("strong", "weak"))
    assert strong == dict.fromkeys([(test, k) for test in ("q1", "7*8", "q6") for k in (0, 1)], 1)
    assert weak == {
        ("q1", 0): 1,
        ("q1", 1): 1,
        ("7*8", 0): pytest.approx(1 / 3),
        ("7*8", 1): None,
        ("q6", 0): None,
        ("q6", 1): pytest.approx(1 / 6),
    }
    missing = column(scores.frame, "weak", "missing")
    assert {key: cause for key, cause in missing.items() if cause} == {
        ("7*8", 1): "refusal",
        ("q6", 0): "timeout",
    }
    assert set(missing) == set(weak)
    assert scores.limits is None
    assert scores.notes == (
        "Read the metric 'score'; there are also 'success', 'exact', 'length' (--metric NAME).",
    )


def test_metadata_are_strata_and_cluster():
    frame = read(REPEATS).frame
    assert frame.columns[6:] == ["subject"]
    assert column(frame, "weak", "subject") == {
        (test, k): "geography" if test == "q6" else "arithmetic"
        for test in ("q1", "7*8", "q6")
        for k in (0, 1)
    }
    assert column(frame, "strong", "cluster") == {
        (test, k): cluster
        for test, cluster in (("q1", "sums"), ("7*8", "sums"), ("q6", None))
        for k in (0, 1)
    }


def test_a_conversation_is_a_cluster(tmp_path):
    def change(log, results):
        for result in results:
            result["testCase"]["metadata"] = {"conversationId": 7}

    assert read(changed(tmp_path, change)).frame["cluster"].unique().to_list() == ["7"]


@pytest.mark.parametrize(
    ("metric", "value", "limits"), [("success", 0, (0, 1)), ("length", 1, None), ("exact", 0, None)]
)
def test_named_metrics_and_success(metric, value, limits):
    scores = read(REPEATS, metric=metric)
    assert column(scores.frame, "weak")["7*8", 0] == value
    assert scores.limits == limits
    assert scores.notes == ()


def test_a_metric_that_an_answer_lacks_is_missing(tmp_path):
    path = changed(tmp_path, lambda log, results: results[0]["namedScores"].pop("exact"))
    frame = read(path, metric="exact").frame
    assert frame.row(0, named=True)["missing"] == "judge"
    assert frame["score"].null_count() == 3


def test_json_lines_are_read_as_json():
    scores = read(LINES)
    assert scores.frame.sort("model", "item", "replicate").equals(
        read(REPEATS).frame.sort("model", "item", "replicate")
    )


def test_several_prompts_are_several_models_and_a_failed_grader_is_no_zero():
    scores = read(PROMPTS)
    models = ["strong · plain", "strong · polite", "weak · plain", "weak · polite"]
    assert scores.frame["model"].unique().sort().to_list() == models
    assert column(scores.frame, "weak · polite") == {("2+2", 0): 0.8, ("Chad", 0): None}
    assert column(scores.frame, "weak · polite", "missing")["Chad", 0] == "judge"
    assert column(scores.frame, "weak · plain", "missing")["Chad", 0] == "timeout"
    assert scores.frame["score"].null_count() == 2


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


@pytest.mark.parametrize("version", [1, 5, None])
def test_another_version_is_refused(tmp_path, version):
    path = changed(tmp_path, lambda log, results: log["results"].update(version=version))
    with pytest.raises(
        InputError, match=rf"version of the results is {version}; expected one of 2, 3\. Export them again"
    ):
        read(path)
