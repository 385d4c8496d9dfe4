"""Files that people publish, written as their programs write them, each with the outcome that is right."""

import json

import pytest

from tellapart.errors import InputError, UsageError
from tellapart.readers import read_scores
from tellapart.readers.settings import ReadingSettings

IDS = [f"repo__repo-{n}" for n in range(10)]


@pytest.fixture
def write(tmp_path):
    def to(name, content):
        path = tmp_path / name
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return path

    return to


def rows(reading):
    return reading.table.frame.select("model", "item", "score", "missing").rows()


def test_a_report_of_swe_bench_says_what_was_resolved_and_what_could_not_be_tested(write):
    report = {
        "total_instances": 300, "submitted_instances": 5, "resolved_instances": 2, "schema_version": 2,
        "submitted_ids": IDS[:5], "completed_ids": IDS[:3], "resolved_ids": IDS[:2],
        "unresolved_ids": IDS[2:3], "empty_patch_ids": IDS[3:4], "error_ids": IDS[4:5],
        "incomplete_ids": [], "unstopped_instances": 0,
    }  # fmt: skip
    reading = read_scores([write("my-agent.run_7.json", report)])
    assert rows(reading) == [
        ("my-agent", IDS[0], 1.0, None),
        ("my-agent", IDS[1], 1.0, None),
        ("my-agent", IDS[2], 0.0, None),
        ("my-agent", IDS[3], None, "parse"),
        ("my-agent", IDS[4], None, "judge"),
    ]
    assert "2 of 5 instances have no patch or were not tested" in reading.notes[0]


def test_results_of_a_submission_to_swe_bench_are_of_its_folder(tmp_path):
    folder = tmp_path / "20250101_agent" / "results"
    folder.mkdir(parents=True)
    lists = {"no_generation": IDS[:1], "generated": IDS[1:4], "applied": IDS[1:4], "resolved": IDS[1:2]}
    (folder / "results.json").write_text(json.dumps(lists))
    assert rows(read_scores([folder / "results.json"])) == [
        ("20250101_agent", IDS[0], None, "parse"),
        ("20250101_agent", IDS[1], 1.0, None),
        ("20250101_agent", IDS[2], 0.0, None),
        ("20250101_agent", IDS[3], 0.0, None),
    ]


@pytest.mark.parametrize(("metric", "expected"), [(None, [1, 0, 0]), ("base_status", [1, 1, 0])])
def test_solutions_of_evalplus_pass_all_tests_or_those_of_the_original(write, metric, expected):
    def solution(task, base, plus):
        return {"task_id": task, "solution": "…", "base_status": base, "plus_status": plus}

    results = {
        "HumanEval/0": [solution("HumanEval/0", "pass", "pass"), solution("HumanEval/0", "pass", "fail")],
        "HumanEval/1": [solution("HumanEval/1", "timeout", "timeout")],
    }
    path = write("gpt_eval_results.json", {"date": "2026", "hash": "0", "eval": results})
    frame = read_scores([path], ReadingSettings(metric=metric)).table.frame
    assert frame["model"].unique().to_list() == ["gpt"]
    assert frame["replicate"].to_list() == [0, 1, 0]
    assert frame["score"].to_list() == expected


def test_scores_by_model_and_item_are_no_rankings(write):
    scores = {model: {f"q{n}": n % k for n in range(20)} for k, model in ((2, "gpt"), (1, "llama"))}
    assert read_scores([write("s.json", scores)]).table.scored_models == ["gpt", "llama"]
    with pytest.raises(InputError, match="give their judgments: --qrels"):
        read_scores([write("r.json", {f"q{n}": {f"d{n}": 0.5, f"d{n + 1}": 0.1} for n in range(20)})])


def test_annotations_of_alpaca_eval_are_preferences_over_the_reference(write):
    def annotated(model, preferences, judge="judge"):
        rows = [
            {"instruction": f"write {n}", "output_1": "…", "generator_1": "base", "dataset": "x",
             "output_2": "…", "generator_2": model, "annotator": judge,
             "preference": preference, "price_per_example": 0.01, "time_per_example": 0.4}
            for n, preference in enumerate(preferences)
        ]  # fmt: skip
        return write(f"{model}_annotations.json", rows)

    reading = read_scores([annotated("a", [2, 1.5, None]), annotated("b", [1, 1, 1])])
    scores = reading.table.frame.filter(model="a")
    assert sorted(scores["score"].drop_nulls()) == [0.5, 1.0]
    assert scores["missing"].drop_nulls().to_list() == ["judge"]
    assert reading.table.frame.filter(model="b")["score"].to_list() == [0, 0, 0]
    # Two judges: with that caution, or not at all.
    assert reading.table.notes.cautions == ()
    paths = [annotated("a", [2]), annotated("b", [1], judge="other")]
    (caution,) = read_scores(paths).table.notes.cautions
    assert caution.startswith("judge is 'judge' in ") and "'other' in " in caution
    with pytest.raises(UsageError, match="so a difference may come from it. Make both logs alike, or leave"):
        read_scores(paths, ReadingSettings(strict=True))


def test_one_input_tested_twice_by_deepeval_has_two_replicates(write):
    def case(score):
        return {"input": "same", "expectedOutput": "x", "metricsData": [{"name": "m", "score": score}]}

    path = write("run.json", {"testRunData": {"testCases": [case(1), case(0)]}})
    frame = read_scores([path]).table.frame
    assert frame.select("replicate", "score").rows() == [(0, 1.0), (1, 0.0)]
