"""The fixtures are results of promptfoo 0.121.20.

`repeats` has two providers and three tests twice, as JSON and as JSON Lines; `prompts` two prompts with two
providers, graded by a model that fails once.
"""

import json
from pathlib import Path

import polars as pl
import pytest

from tellapart.audit.reading import inspect_log, lm_eval, promptfoo, read_scores
from tellapart.audit.reading.reader import Choices
from tellapart.core.scores import ScoreTable
from tellapart.errors import InputError

FIXTURES = Path(__file__).parent / "fixtures" / "promptfoo"
REPEATS, LINES, PROMPTS = (FIXTURES / name for name in ("repeats.json", "repeats.jsonl", "prompts.json"))


def read(path, **choices):
    return promptfoo.read(path, Choices(**choices))


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
        "Read the metric 'score'; there are also 'success', 'exact', 'length' (--metric).",
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
    assert scores.notes[0] == "repeats.jsonl: identical tests count as repeats."


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


def test_the_users_name_is_for_files_of_one_model(tmp_path):
    def change(log, results):
        log["results"]["results"] = [result for result in results if result["promptIdx"] == 0]

    assert read(changed(tmp_path, change), model="mine").frame["model"].unique().to_list() == ["mine"]
    scores = read(REPEATS, model="mine")
    assert scores.notes[0] == "repeats.json: the 2 models have the names in the file, not 'mine'."
    assert scores.frame["model"].n_unique() == 2


def unrepeated(log, results):
    log["runtimeOptions"].pop("repeat")
    log["config"]["evaluateOptions"].pop("repeat")


def test_without_repeats_the_same_test_twice_is_named(tmp_path):
    path = changed(tmp_path, unrepeated)
    assert read(path).frame["replicate"].unique().to_list() == [0]
    with pytest.raises(InputError, match="occurs twice"):
        ScoreTable.from_frame(read(path).frame)


def test_repeats_are_numbered_whatever_the_order_of_the_results(tmp_path):
    keys = ["model", "item", "replicate"]
    backwards = read(changed(tmp_path, lambda log, results: results.reverse())).frame
    assert backwards.sort(keys).equals(read(REPEATS).frame.sort(keys))


@pytest.mark.parametrize(
    "told",
    [
        lambda log, results: log.update(runtimeOptions={"repeat": 2}),
        lambda log, results: log["config"].update(evaluateOptions={"repeat": 2}),
        lambda log, results: log["config"].update(commandLineOptions={"repeat": 2}),
        lambda log, results: results[0]["testCase"].update(options={"repeat": 2}),
    ],
)
def test_wherever_repeats_are_told(tmp_path, told):
    def change(log, results):
        unrepeated(log, results)
        told(log, results)

    assert read(changed(tmp_path, change)).frame["replicate"].unique().sort().to_list() == [0, 1]


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


def test_long_texts_are_cut(tmp_path):
    def change(log, results):
        for result in results:
            result["prompt"]["label"] = f"{result['promptIdx']} " + "long\n" * 20
            result["testCase"]["description"] = "word " * 20

    frame = read(changed(tmp_path, change)).frame
    assert frame["model"].unique().sort()[0] == f"strong · {('0 ' + 'long ' * 20)[:39]}…"
    assert set(frame["item"].str.split(" #").list.first()) == {("word " * 20)[:39] + "…"}


def test_the_result_alone_is_read(tmp_path):
    path = tmp_path / "summary.json"
    path.write_text(json.dumps(json.loads(PROMPTS.read_text())["results"]))
    assert promptfoo.recognises(path)
    assert read(path).frame.equals(read(PROMPTS).frame)


def test_errors_of_versions_without_a_failure_reason(tmp_path):
    def change(log, results):
        log["results"]["version"] = 2
        for result in results:
            del result["failureReason"]

    assert read(changed(tmp_path, change)).frame.equals(read(REPEATS).frame)


def test_several_forms_and_files_are_one_table():
    reading = read_scores([PROMPTS, REPEATS])
    assert set(reading.forms.values()) == {"promptfoo results"}
    assert len(reading.table.models) == 6


def test_an_unknown_metric_is_named():
    with pytest.raises(InputError, match=r"no metric 'exakt'\. Did you mean 'exact'\?"):
        read(REPEATS, metric="exakt")


@pytest.mark.parametrize("version", [1, 5, None])
def test_another_version_is_refused(tmp_path, version):
    path = changed(tmp_path, lambda log, results: log["results"].update(version=version))
    with pytest.raises(
        InputError, match=rf"version of the results is {version}; expected one of 2, 3\. Export them again"
    ):
        read(path)


@pytest.mark.parametrize("value", [float("inf"), float("nan"), "0.5"])
def test_a_score_that_is_no_finite_number_is_refused(tmp_path, value):
    path = changed(tmp_path, lambda log, results: results[1].update(score=value))
    with pytest.raises(InputError, match=r"out\.json: result 2: 'score' is .*, expected a finite number"):
        read(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda log, results: results.clear(), r"there are no results in this file"),
        (lambda log, results: results[1].pop("testIdx"), r"result 2: the result has no 'testIdx'\. Export"),
        (lambda log, results: results[0].update(promptIdx="0"), r"result 1: 'promptIdx' is '0'"),
        (lambda log, results: results.append(3), r"'results': found 3, expected an object"),
        (lambda log, results: log.update(results=[]), r"'results': found \[\], expected an object"),
    ],
)
def test_results_of_another_shape_are_refused(tmp_path, change, message):
    with pytest.raises(InputError, match=message):
        read(changed(tmp_path, change))


def test_json_that_is_cut_off_names_the_line(tmp_path):
    path = tmp_path / "cut.json"
    path.write_text("\n".join(REPEATS.read_text().splitlines()[:99]))
    with pytest.raises(InputError, match=r"cut\.json:99:[0-9]+: this is not JSON"):
        read(path)
    path.write_bytes(LINES.read_bytes()[:-20])
    with pytest.raises(InputError, match=r"cut\.json:12:[0-9]+: this is not JSON"):
        read(path)


def test_only_results_of_promptfoo_are_recognised(tmp_path):
    assert all(map(promptfoo.recognises, FIXTURES.iterdir()))
    copy = tmp_path / "scores"
    copy.write_bytes(LINES.read_bytes())
    assert promptfoo.recognises(copy)
    others = [f for f in FIXTURES.parent.rglob("*") if f.parent != FIXTURES]
    assert len(others) > 5
    assert not any(map(promptfoo.recognises, others))
    assert not any(form.recognises(file) for form in (inspect_log, lm_eval) for file in FIXTURES.iterdir())
    for text in ("", "{", '{"model": "a", "testIdx": 0}\n', '{"version": 3, "results": []}'):
        copy.write_text(text)
        assert not promptfoo.recognises(copy)
