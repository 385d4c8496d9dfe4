"""Leaderboards as they are published: uneven, of several revisions, with columns that are no tasks."""

import json
import shlex

import polars as pl
import pytest

from tellapart.errors import InputError, UsageError
from tellapart.leaderboard.reading import read_leaderboard

EN, DE, OTHER = ("test", "en"), ("test", "de"), ("dev", "en")


@pytest.fixture
def results(tmp_path):
    def write(model, revision, tasks):
        folder = tmp_path / model.replace("/", "__") / revision
        folder.mkdir(parents=True)
        for task, parts in tasks.items():
            splits = {}
            for (split, subset), score in parts.items():
                splits.setdefault(split, []).append({"hf_subset": subset, "main_score": score})
            (folder / f"{task}.json").write_text(json.dumps({"task_name": task, "scores": splits}))

    write.path = tmp_path
    return write


def written(path, whole):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(whole if isinstance(whole, str) else json.dumps(whole))
    return path


def named_by(error):
    """The tasks that a refusal tells to paste."""
    words = shlex.split(str(error.value).rsplit("--tasks", 1)[1].removesuffix("."))
    return words[0].split(",")


def test_what_not_every_model_has_is_left_out_or_narrowed_and_named_at_once(results):
    results("a/a", "1", {"T1": {EN: 0.5}, "T2": {EN: float("nan")}, "T3": {EN: 0.2, DE: 0.9}, "T4": {EN: 1}})
    results("b/b", "1", {"T1": {EN: 0.6}, "T2": {EN: 0.5}, "T3": {EN: 0.4}, "T4": {OTHER: 1}, "T5": {EN: 1}})
    board = read_leaderboard([results.path])
    assert board.tasks == ("T1", "T3")
    assert board.scores.tolist() == [[0.5, 0.2], [0.6, 0.4]]
    assert board.parts == {"T1": ("en/test",), "T3": ("en/test",)}
    assert board.notes == (
        "Left out, since these models have no score: T2 (a/a), T5 (a/a).",
        "Left out, since models have other splits, or no subset in common: T4.",
        "Restricted to the subsets that all models have: T3.",
    )
    board = read_leaderboard([results.path], tasks=["T1", "T3"])
    assert (board.tasks, board.models) == (("T1", "T3"), ("a/a", "b/b"))


def test_of_several_revisions_the_fullest_counts_and_equal_ones_are_compared(results):
    results("a/a", "1", {"T1": {EN: 0.5}, "T2": {EN: 0.5}})
    results("a/a", "external", {"T1": {EN: 0.4}})
    results("b/b", "1", {"T1": {EN: 0.6}, "T2": {EN: 0.5}})
    results("b/b", "2", {"T1": {EN: 0.7}, "T2": {EN: 0.8}})
    board = read_leaderboard([results.path])
    assert board.models == ("a/a", "b/b@1", "b/b@2")
    assert board.tasks == ("T1", "T2")
    assert board.notes == ("Left out, since another revision of the model has more tasks: a/a@external.",)


def test_without_a_common_task_the_line_to_paste_works(results):
    results("a/a", "1", {"T1": {EN: 0.5}, "T2": {EN: 0.5}})
    results("b/b", "1", {"T1": {EN: 0.6}, "T2": {EN: 0.4}})
    results("c/c", "1", {"T3": {EN: 0.6}})
    with pytest.raises(InputError, match=r"T1 \(c/c\), T2 \(c/c\), T3 \(a/a and 1 more\)") as refused:
        read_leaderboard([results.path])
    board = read_leaderboard([results.path], tasks=named_by(refused))
    assert (board.models, board.tasks) == (("a/a", "b/b"), ("T1", "T2"))
    assert board.notes == ("Left out, since these models lack some of the tasks: c/c.",)


def test_a_benchmark_of_mteb_chooses_tasks_and_parts_and_models_must_have_them(results):
    mteb = pytest.importorskip("mteb")
    full = {
        task.metadata.name: {(split, subset): 0.5 for split in task.eval_splits for subset in task.hf_subsets}
        for task in mteb.get_benchmark("MTEB(eng, v2)").tasks
    }
    assert len(full) == 41
    more = {**full, "STS17": {("test", "en-en"): 0.7, ("test", "de-de"): 0.1}, "Elsewhere": {EN: 1.0}}
    results("a/a", "1", more)
    results("b/b", "1", full)
    results("c/c", "1", {name: full[name] for name in list(full)[1:]})
    board = read_leaderboard([results.path], benchmark="MTEB(eng, v2)")
    assert board.models == ("a/a", "b/b") and set(board.tasks) == full.keys()
    assert board.parts["STS17"] == ("en-en/test",)
    assert board.scores[0, board.tasks.index("STS17")] == 0.7
    assert board.notes == ("Left out, since these models lack some of the tasks: c/c.",)
    with pytest.raises(UsageError, match=r"no benchmark 'MTEB\(eng v2\)'. Did you mean 'MTEB\(eng, v2\)'"):
        read_leaderboard([results.path], benchmark="MTEB(eng v2)")


TABLE = pl.DataFrame(
    {
        "Model": ["a", "b", "c", "d"],
        "Rank (Borda)": [2, 1, 4, 3],
        "Parameters (B)": [0.1, 0.6, 0.3, 0.5],
        "open": [True, True, False, True],
        "license": ["mit", "mit", None, "apache"],
        "WER": [0.2, 0.3, 0.1, 0.2],
        "First Chunk (s)": [0.2, 0.3, 0.1, 0.2],
        "X": [0.61, 0.72, 0.33, 0.54],
        "Y": [0.55, 0.74, 0.35, 0.36],
        "All": [0.58, 0.73, 0.34, 0.45],
    }
)


def test_columns_that_are_no_tasks_are_left_out_with_a_note(tmp_path):
    TABLE.write_csv(tmp_path / "t.csv")
    TABLE.write_csv(tmp_path / "t.tsv", separator="\t")
    TABLE.write_parquet(tmp_path / "t.parquet")
    frames = [read_leaderboard([tmp_path / f"t.{end}"]) for end in ("csv", "tsv", "parquet")]
    indexed = TABLE.drop("Model").to_pandas().set_axis(["a", "b", "c", "d"])
    for board in (*frames, read_leaderboard(TABLE), read_leaderboard(indexed)):
        assert board.tasks == ("X", "Y") and board.models == ("a", "b", "c", "d")
        assert board.scores.tolist() == [[0.61, 0.55], [0.72, 0.74], [0.33, 0.35], [0.54, 0.36]]
        no_tasks, means = (note for note in board.notes if note.startswith("Left out"))
        assert means == "Left out, since they are the means of other tasks: All."
        for name in ("Rank (Borda)", "Parameters (B)", "open", "WER", "First Chunk (s)"):
            assert name in no_tasks
    assert read_leaderboard(TABLE, tasks=["X", "All"]).tasks == ("X", "All")


def test_columns_on_another_scale_are_asked_about():
    for odd in ([40, 12, 77, 50], [0, 1, 1, 0]):
        with pytest.raises(InputError, match="odd and the other 2 are not on one scale") as refused:
            read_leaderboard(TABLE.select("Model", "X", "Y").with_columns(odd=pl.Series(odd)))
        assert named_by(refused) == ["X", "Y"]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("team,paper,X\na,p,1\nb,q,2\n", "which of team, paper names the models .*--columns model=team"),
        ("task,gpt,qwen\nX,.1,.2\nY,.3,.4\n", "rows are of tasks, .*--columns task; else .*a row for"),
        ("model,X\na,.1\na,.2\n", "several rows, .* of the model 'a'"),
        ("model,wer\na,.1\nb,.3\n", "0 tasks are left, .*Give scores of which more is better"),
        ("model,task,metric,score\na,X,wer,.1\nb,X,wer,.3\n", "of wer usually less is better"),
        ("model,X\na,.1\nb,ok-ish\nc,.2\n", r"'X' is 'ok-ish', expected a number, .*"),
    ],
)
def test_tables_in_doubt_are_refused(tmp_path, table, message):
    with pytest.raises(InputError, match=message):
        read_leaderboard([written(tmp_path / "t.csv", table)])


def test_a_row_for_each_model_and_task_is_the_same_board(tmp_path):
    wide = read_leaderboard(TABLE.select("Model", "X", "Y"))
    long = TABLE.select("Model", "X", "Y").unpivot(index="Model", variable_name="task", value_name="score")
    long.with_columns(metric=pl.lit("acc")).write_csv(tmp_path / "long.csv")
    board = read_leaderboard([tmp_path / "long.csv"])
    assert (board.models, board.tasks) == (wide.models, wide.tasks)
    assert board.scores.tolist() == wide.scores.tolist()
    with pytest.raises(InputError, match="several rows are of the model 'a' and the task 'X'"):
        read_leaderboard(pl.concat([long, long[:1]]))


def test_means_with_their_spreads_are_read_as_means(tmp_path):
    path = written(tmp_path / "b.csv", "team,X,Y\na,71.2 ± 1.3,80.1 ± 0.9\nb,60.0 ± 1.1,52.5 ± 2\n")
    board = read_leaderboard([path])
    assert board.scores.tolist() == [[71.2, 80.1], [60.0, 52.5]]
    assert board.notes == (
        "Read without their spreads, such as ± 1.3: X, Y.",
        "'team' names the models (if it names tasks: --columns task=team): a, b.",
    )


def test_rows_of_tasks_are_turned_round_when_they_are_named():
    frame = pl.DataFrame({"benchmark": ["X", "Y"], "gpt": [0.1, 0.3], "qwen": [0.2, 0.4], "n": ["a", "b"]})
    board = read_leaderboard(frame, columns={"task": "benchmark"})
    assert (board.models, board.tasks) == (("gpt", "qwen"), ("X", "Y"))
    assert board.scores.tolist() == [[0.1, 0.3], [0.2, 0.4]]


def evaluation(name, score, metric=None, **config):
    config = {"lower_is_better": False, **({"metric_name": metric} if metric else {}), **config}
    return {"evaluation_name": name, "metric_config": config, "score_details": {"score": score}}


def test_every_eval_ever(tmp_path):
    for model, shift in (("x/a", 0.0), ("x/b", 0.1)):
        results = [
            evaluation("GSM8K", 0.5 + shift, "exact match"),
            evaluation("GPQA", 0.3 + shift),
            evaluation("GPQA diamond", -1, has_unknown_level=True),
            evaluation("toxicity", 0.2, lower_is_better=True),
            evaluation("Mean score", 0.4),
        ]
        record = {"schema_version": "0.3.0", "model_info": {"id": model}, "evaluation_results": results}
        written(tmp_path / model / "1.json", record)
    board = read_leaderboard([tmp_path])
    assert (board.models, board.tasks) == (("x/a", "x/b"), ("GPQA", "GSM8K"))
    assert board.scores.tolist() == [[0.3, 0.5], [0.4, 0.6]]
    assert set(board.notes) == {
        "Left out, since lower scores are better: toxicity.",
        "Left out, since these do not look like tasks: Mean score.",
        "Left out, since these models have no score: GPQA diamond (x/a and 1 more).",
    }
    # A second run of a model has another metric.
    results = [evaluation("GSM8K", 0.7, "F1")]
    second = {"schema_version": "0.3.0", "model_info": {"id": "x/b"}, "evaluation_results": results}
    written(tmp_path / "x/b/2.json", second)
    with pytest.raises(InputError, match="'GSM8K' has several metrics: .*exact match, .*F1") as refused:
        read_leaderboard([tmp_path])
    assert named_by(refused) == ["GSM8K · exact match", "GPQA"]
    assert read_leaderboard([tmp_path], tasks=named_by(refused)).scores.tolist() == [[0.5, 0.3], [0.6, 0.4]]


def helm_table(title, columns, rows):
    header = [{"value": "Model", "metadata": {}}] + [
        {
            "value": name,
            "lower_is_better": lower,
            "metadata": {"run_group": name} if name != "Mean win rate" else {},
        }
        for name, lower in columns
    ]
    return {
        "title": title,
        "header": header,
        "rows": [[{"value": of[0]}, *({"value": x} if x is not None else {} for x in of[1:])] for of in rows],
    }


def test_helm(tmp_path):
    columns = [("Mean win rate", False), ("BBQ", False), ("MMLU - EM", False), ("Toxicity", True)]
    accuracy = helm_table("Accuracy", columns, [["A", 0.9, 0.5, 0.7, 0.1], ["B", 0.1, 0.4, None, 0.2]])
    other = helm_table("Efficiency", columns[:2], [["A", 0.9, 0.5], ["B", 0.1, 0.4]])
    board = read_leaderboard([written(tmp_path / "core_scenarios.json", [accuracy, other])])
    assert (board.models, board.tasks, board.scores.tolist()) == (("A", "B"), ("BBQ",), [[0.5], [0.4]])
    assert board.notes == (
        "Left out, since these do not look like tasks: Mean win rate.",
        "Left out, since lower scores are better: Toxicity.",
        "Left out, since these models have no score: MMLU - EM (B).",
    )
    with pytest.raises(InputError, match="several tables: Efficiency, Bias.*json beside it"):
        read_leaderboard([written(tmp_path / "two.json", [other, {**other, "title": "Bias"}])])


def test_swe_bench(tmp_path):
    def submission(name, resolved, outcomes=None):
        details = outcomes and {f"i{i}": {"resolved": bool(x)} for i, x in enumerate(outcomes)}
        return {"name": name, "resolved": resolved, "per_instance_details": details}

    results = [submission("a", 75.0, [1, 1, 1, 0]), submission("b", 50.0, [1, 1, 0, 0]), submission("c", 60)]
    results.append(submission("d", 52.8, [0, 0, 0, 1]))
    boards = [{"name": "Verified", "results": results}, {"name": "Lite", "results": [submission("a", 40.0)]}]
    board = read_leaderboard([written(tmp_path / "leaderboards.json", {"leaderboards": boards})])
    assert board.models == ("a", "b") and board.scores.tolist() == [[1, 1, 1, 0], [1, 1, 0, 0]]
    assert board.notes == (
        "Left out, since its instances do not give the share that it states: d (25 for 52.8).",
    )
    boards.append({"name": "bash-only", "results": results})
    path = written(tmp_path / "leaderboards.json", {"leaderboards": boards})
    with pytest.raises(InputError, match="for Verified and bash-only.*--benchmark Verified"):
        read_leaderboard([path])
    assert read_leaderboard([path], benchmark="bash-only").models == ("a", "b")


def test_the_command_prints_ranks_and_writes_every_pair(tmp_path, tellapart):
    TABLE.write_csv(tmp_path / "t.csv")
    done = tellapart("leaderboard", tmp_path / "t.csv", "--html", tmp_path / "t.html")
    assert done.code == 0, done.err
    assert "Left out, since they are the means of other tasks: All." in " ".join(done.out.split())
    assert done.out.startswith("2 tasks cannot separate any two of 4 models")
    rows = [line.split() for line in done.out.splitlines() if line[:2] in ("a ", "b ", "c ", "d ")]
    assert rows == [
        ["b", "1", "0.7300", "1–4", "1"],
        ["a", "2", "0.5800", "1–4", "1"],
        ["d", "3", "0.4500", "1–4", "1"],
        ["c", "4", "0.3400", "1–4", "1"],
    ]
    assert "Tasks won and lost" in (tmp_path / "t.html").read_text()
