"""Files of harnesses, written as their programs write them, each with the outcome that is right."""

import json

import pytest

from tellapart.errors import InputError, UsageError
from tellapart.readers import item_texts, read_scores
from tellapart.readers.forms import FORMS
from tellapart.readers.reader import NoItemScores
from tellapart.readers.settings import ReadingSettings

IDS = [f"repo__repo-{n}" for n in range(10)]


def rows(path, **settings):
    frame = read_scores([path], ReadingSettings(**settings)).table.frame
    return frame.select("model", "item", "replicate", "score", "missing").rows()


def instance(sample, score, **others):
    return {
        "schema_version": "0.3.0", "evaluation_id": "s/m/1", "model_id": "org/m", "evaluation_name": "bench",
        "evaluation_result_id": "bench", "sample_id": sample, "interaction_type": "single_turn",
        "input": {"raw": f"What is {sample}?", "reference": ["4"]}, "output": {"raw": ["four"]},
        "answer_attribution": [], "evaluation": {"score": score, "is_correct": score > 0.5}, **others,
    }  # fmt: skip


def aggregate(**metric):
    return {
        "schema_version": "0.3.0", "evaluation_id": "s/m/1", "model_info": {"name": "m", "id": "org/m"},
        "eval_library": {"name": "inspect_ai", "version": "0.3.9"},
        "evaluation_results": [{"evaluation_result_id": "bench", "metric_config": metric}],
        "detailed_evaluation_results": {"file_path": "data/u_samples.jsonl"},
    }  # fmt: skip


def test_instances_of_every_eval_ever_have_the_limits_and_direction_of_their_aggregate(write):
    path = write(
        "u_samples.jsonl",
        [instance("a", 3.0), instance("b", 0.0, error="Error code: 429"), instance("a", 1.0)],
        lines=True,
    )
    beside = write("u.json", aggregate(min_score=0, max_score=5, lower_is_better=False))
    reading = read_scores([path])
    assert rows(path) == [
        ("org/m", "bench/a", 0, 3.0, None),
        ("org/m", "bench/a", 1, 1.0, None),
        ("org/m", "bench/b", 0, None, "provider"),
    ]
    assert reading.table.limits == (0, 5)
    assert [part.text for part in item_texts([path])["bench/b"]] == ["What is b?", "4", "four"]
    (form,) = (form for form in FORMS if form.name == "Every Eval Ever instances")
    assert form.read(path, ReadingSettings()).stamps == {"harness": "inspect_ai 0.3.9"}
    with pytest.raises(NoItemScores, match="Give its file of instances"):
        read_scores([beside])
    write("u.json", aggregate(min_score=0, max_score=5, lower_is_better=True))
    assert [score for *_, score, _ in rows(path)] == [-3.0, -1.0, None]


def test_solutions_of_live_code_bench_are_replicates_in_their_order(write):
    def problem(name, **grades):
        return {
            "question_title": "t", "question_content": "c", "platform": "leetcode", "question_id": name,
            "contest_id": "w", "difficulty": "easy", "code_list": ["x", "x"], **grades,
        }  # fmt: skip

    problems = [problem("1", graded_list=[True, True]), problem("2", graded_list=[False, True])]
    path = write("GPT/Scenario.codegeneration_2_0.2_eval_all.json", problems)
    assert rows(path) == [
        ("GPT", "1", 0, 1.0, None),
        ("GPT", "1", 1, 1.0, None),
        ("GPT", "2", 0, 0.0, None),
        ("GPT", "2", 1, 1.0, None),
    ]
    with pytest.raises(NoItemScores, match="Run LiveCodeBench with --evaluate"):
        read_scores([write("GPT/a.json", [problem("1")])])
    with pytest.raises(NoItemScores, match="ends in _eval_all.json"):
        read_scores([write("GPT/b_eval.json", [{"pass@1": 0.7, "detail": {"pass@1": {"0": 1.0}}}])])


def test_a_table_of_mlflow_is_read_by_its_judge_before_readability(write):
    columns = ["inputs", "ground_truth", "outputs", "latency", "ari_grade_level/v1/score"]
    columns += ["correctness/v1/score", "correctness/v1/justification"]
    data = [["2+2?", "4", "4", 1.5, 8.0, 1.0, "right"], ["3+3?", "6", "7", 1.5, 9.0, None, "Error: 429"]]
    path = write("eval_results_table.json", {"columns": columns, "data": data})
    assert [row[3:] for row in rows(path, model=("m",))] == [(1.0, None), (None, "judge")]
    assert rows(path)[0][0] == "eval_results_table"
    assert [row[3] for row in rows(path, metric="ari_grade_level", limits=(0.0, 20.0))] == [8.0, 9.0]


def test_an_experiment_of_phoenix_has_its_repetitions_and_the_causes_of_what_is_missing(write):
    def run(example, repetition, score, error=None, failure=None):
        annotations = [{"name": "right", "score": score, "label": None, "error": failure, "explanation": "w"}]
        return {
            "example_id": example, "repetition_number": repetition, "input": {"q": "2+2?"},
            "reference_output": {"a": "4"}, "output": "4", "error": error, "annotations": annotations,
        }  # fmt: skip

    path = write(
        "gpt.json",
        [run("A", 1, 1.0), run("A", 2, 0.0), run("B", 1, None, "TimeoutError"), run("C", 1, None, None, "x")],
    )
    assert rows(path) == [
        ("gpt", "A", 0, 1.0, None),
        ("gpt", "A", 1, 0.0, None),
        ("gpt", "B", 0, None, "timeout"),
        ("gpt", "C", 0, None, "judge"),
    ]


def test_scores_of_langfuse_are_read_by_name_and_named_by_the_items_of_a_data_set(write):
    def score(name, item, value, kind="NUMERIC"):
        return {
            "id": f"{name}{item}", "traceId": f"t{item}", "observationId": None, "name": name, "value": value,
            "dataType": kind, "source": "EVAL", "metadata": {"dataset_item_id": item, "model": "gpt"},
        }  # fmt: skip

    scores = [score("right", "a", 1), score("tone", "a", 0.5), score("right", "b", 0, "BOOLEAN")]
    for path in (write("s.json", {"data": scores, "meta": {}}), write("s.jsonl", scores, lines=True)):
        assert rows(path) == [("gpt", "a", 0, 1.0, None), ("gpt", "b", 0, 0.0, None)]
        assert rows(path, metric="tone") == [("gpt", "a", 0, 0.5, None)]
    path = write("main.csv", "id,traceId,name,value,dataType\n1,x,right,1,NUMERIC\n2,y,right,0,NUMERIC\n")
    assert rows(path) == [("main", "x", 0, 1.0, None), ("main", "y", 0, 0.0, None)]
    assert any("Items are named by their traces" in note for note in read_scores([path]).notes)


def test_a_table_of_promptfoo_has_a_column_for_each_model(write):
    head = "question,[openai:gpt] Answer {{question}},Grader Reason,Comment,[llama] Answer {{question}},"
    table = f"{head}Grader Reason,Comment\n2+2?,[PASS] 4,ok,,[FAIL] 5,no,\n3+3?,[PASS] 6,ok,,"
    path = write("eval.csv", table + "[ERROR] 429 Too Many Requests,,\n")
    assert [row[3:] for row in rows(path) if row[0] == "llama"] == [(0.0, None), (None, "provider")]
    assert [model for model, _, _, score, _ in rows(path) if score == 1] == ["openai:gpt"] * 2


VOTE = {"question_id": "q", "model_a": "a", "model_b": "b", "winner": "tie", "judge": "j", "turn": 1}
TRACE = {"info": {"trace_id": "tr-1", "trace_location": {}, "state": "OK", "trace_metadata": {}}, "data": {}}


def test_what_holds_no_scores_of_items_is_refused_by_name(write):
    for path, form in (
        (write("votes.json", [VOTE]), "votes on pairs of models"),
        (write("v.jsonl", [VOTE], lines=True), "votes on pairs of models"),
        (write("v.csv", "id,model_a,model_b,prompt,response_a,winner_model_a\n1,a,b,p,x,1\n"), "on pairs"),
        (write("traces.json", [TRACE]), "traces of MLflow"),
        (write("t.csv", "trace_id,trace,client_request_id,execution_duration\n1,{},c,5\n"), "of MLflow"),
    ):
        with pytest.raises(NoItemScores, match=form):
            read_scores([path])
    # Models that are called so are models.
    wide = write("wide.csv", "id,model_a,model_b\nq0,1,0\nq1,0,0\n")
    assert read_scores([wide]).table.scored_models == ["model_a", "model_b"]


def test_statistics_that_helm_splits_between_entries_are_put_together(write):
    def entry(instance, name, mean):
        stats = [{"name": {"name": name}, "count": 1, "mean": mean}]
        return {"instance_id": instance, "train_trial_index": 0, "stats": stats}

    entries = [entry("i", "exact_match", 1.0), entry("i", "num_tokens", 5), entry("i", "exact_match", 0.0)]
    path = write("per_instance_stats.json", entries)
    assert [row[2:] for row in rows(path, model=("m",))] == [(0, 1.0, None), (1, 0.0, None)]
    assert any("1 of 3 entries repeat or complete another one" in note for note in read_scores([path]).notes)


def scored(reading):
    return reading.table.frame.select("model", "item", "score", "missing").rows()


def test_a_report_of_swe_bench_says_what_was_resolved_and_what_could_not_be_tested(write):
    report = {
        "total_instances": 300, "submitted_instances": 5, "resolved_instances": 2, "schema_version": 2,
        "submitted_ids": IDS[:5], "completed_ids": IDS[:3], "resolved_ids": IDS[:2],
        "unresolved_ids": IDS[2:3], "empty_patch_ids": IDS[3:4], "error_ids": IDS[4:5],
        "incomplete_ids": [], "unstopped_instances": 0,
    }  # fmt: skip
    reading = read_scores([write("my-agent.run_7.json", report)])
    assert scored(reading) == [
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
    assert scored(read_scores([folder / "results.json"])) == [
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
