"""The front door in Python: whatever holds scores, and what a result can do."""

import inspect
import subprocess
import sys

import polars as pl
import pytest

import tellapart as ta

N = 60
RIGHT = {"strong": 54, "middle": 42, "weak": 20}
SCORES = {model: {f"q{i:02d}": float(i < right) for i in range(N)} for model, right in RIGHT.items()}
LONG = pl.DataFrame(
    [
        {"system": model, "question": item, "correct": score, "kind": "odd" if int(item[1:]) % 2 else "even"}
        for model, scores in SCORES.items()
        for item, score in scores.items()
    ]
)
NAMES = {"columns": {"model": "system"}, "item": "question", "score": "correct"}


@pytest.fixture(scope="module")
def audited():
    return ta.audit(LONG, **NAMES)


def test_it_imports_nothing_until_something_is_used():
    code = "import sys, tellapart as ta; print('polars' in sys.modules, ta.__version__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", ta.__version__]
    assert dir(ta) == sorted(ta.__all__)


def test_every_form_of_the_same_scores_gives_the_same(audited):
    frames = [LONG.filter(pl.col("system") == model) for model in RIGHT]
    wide = LONG.pivot(on="system", index=["question", "kind"], values="correct")
    assert ta.audit(frames, **NAMES).pairs.equals(audited.pairs)
    for scores in (wide, SCORES, ta.read_scores(SCORES), ta.read_scores(SCORES).table):
        assert ta.audit(scores).pairs.equals(audited.pairs)


def test_the_index_of_a_pandas_frame_names_the_items():
    pandas = pytest.importorskip("pandas")
    old = pandas.DataFrame({"old": [1, 0, 1, 1]}, index=pandas.Index(["a", "b", "c", "d"], name="item"))
    new = pandas.DataFrame({"new": [1, 1, 0, 1]}, index=pandas.Index(["d", "c", "b", "a"], name="item"))
    both = ta.read_scores(old.join(new))
    assert both.table.frame["item"].unique().sort().to_list() == ["a", "b", "c", "d"]
    unnamed = pandas.DataFrame({"old": [1, 0], "new": [0, 1]}, index=["x", "y"])
    assert ta.read_scores(unnamed).table.frame["item"].unique().sort().to_list() == ["x", "y"]
    long = pandas.DataFrame(
        {"model": ["m", "m"], "score": pandas.array([1, None], dtype="Int64")}, index=["x", "y"]
    )
    assert ta.read_scores(long).table.frame.select("item", "score").rows() == [("x", 1.0), ("y", None)]
    # Numbers name the items where nothing else can.
    wide = pandas.DataFrame({"old": [1, 0, 1], "new": [0, 1, 1]}, index=[7, 3, 5])
    assert ta.read_scores(wide).table.frame["item"].unique().sort().to_list() == ["3", "5", "7"]


SHUFFLED = {
    "joined": lambda both: both,
    "filtered": lambda both: both.query("question != 'q3'"),
    "sorted": lambda both: both.sort_values("score"),
    "sampled": lambda both: both.sample(frac=1, random_state=2),
    "backwards": lambda both: both.iloc[::-1],
}


@pytest.mark.parametrize("way", SHUFFLED)
def test_the_index_of_numbers_that_pandas_keeps_is_no_item(way):
    pandas = pytest.importorskip("pandas")
    questions = [f"q{n}" for n in range(40)]
    main, other = (
        pandas.DataFrame({"question": questions, "model": model, "score": [n % k == 0 for n in range(40)]})
        for model, k in (("main", 3), ("new", 2))
    )
    other = other.sample(frac=1, random_state=1).reset_index(drop=True)
    [pair] = ta.audit(SHUFFLED[way](pandas.concat([main, other]))).pairs.rows(named=True)
    kept = [n for n in range(40) if way != "filtered" or n != 3]
    assert pair["n"] == len(kept)
    expected = sum((n % 3 == 0) - (n % 2 == 0) for n in kept) / len(kept)
    assert pair["difference"] == pytest.approx(expected)


def test_the_frames_of_an_audit(audited):
    assert audited.pairs.select("a", "b", "verdict").rows() == [
        ("middle", "strong", "b>a"),
        ("middle", "weak", "a>b"),
        ("strong", "weak", "a>b"),
    ]
    row = audited.pairs.row(0, named=True)
    # 12 of 60 items, all of them the better one's.
    assert row["difference"] == pytest.approx(-0.2)
    assert row["low"] < -0.2 < row["high"] < 0
    assert audited.ranking.select("model", "mean", "rank").rows() == [
        ("strong", 0.9, 1),
        ("middle", 0.7, 2),
        ("weak", 1 / 3, 3),
    ]
    assert audited.items.height == N
    assert audited.items.filter(item="q59")["flag"].item() == "all_fail"


def test_strata_are_rows_of_kinds_and_pairs():
    kinds = ta.audit(LONG, **NAMES | {"columns": {"model": "system", "kind": "kind"}}).strata
    assert kinds.height == 2 * 3
    row = kinds.row(by_predicate=(pl.col("value") == "odd") & (pl.col("b") == "strong"), named=True)
    assert (row["column"], row["items"], row["mean_a"], row["mean_b"]) == ("kind", 30, 21 / 30, 27 / 30)


def test_it_prints_the_verdict_and_the_pairs(audited):
    text = str(audited)
    assert text == repr(audited)
    assert text.startswith("Use strong: it beats both others.\n• This evaluation separates all 3 pairs.\n")
    assert "Pairs of models (differences in percentage points)" in text
    assert max(map(len, text.splitlines())) <= 100


def test_a_notebook_shows_the_page_in_a_frame_of_its_own():
    page = ta.compare(SCORES, baseline="strong")._repr_html_()
    assert page.startswith('<iframe title="')
    assert page.count("<iframe") == 1
    assert "&lt;!doctype html&gt;" in page.lower()


def test_a_gate_in_python(audited):
    result = ta.compare({"old": SCORES["strong"]}, {"new": SCORES["middle"]}, max_drop=0.02)
    assert result.passed is False
    assert result.verdict.startswith("FAILED. new is worse than old. It scored 20 points lower on 60 items; ")
    assert result.flips.row(0) == ("new", "q42", 1.0, 0.0)
    assert result.metrics["compare/new/difference"] == pytest.approx(-0.2)
    assert (result.metrics["compare/new/n"], result.metrics["compare/new/passed"]) == (60, 0)
    assert result.pairs["difference"].to_list() == pytest.approx([-0.2])
    assert result.items.row(42) == ("q42", 1.0, 0.0)
    assert result.ranking.rows() == [("old", 0.9, 0), ("new", 0.7, 0)]
    assert ta.compare(SCORES, baseline="weak", candidates=["strong"], max_drop=0.02).passed is True
    assert "24 more; to list all: the result's flips" in str(
        ta.compare(SCORES, baseline="strong", candidates="weak")
    )


def test_lists_arrays_and_records_are_scores():
    numpy = pytest.importorskip("numpy")
    scores = {"a": [1, 0, 1, None], "b": [0, 0, 1, 1]}
    frame = ta.read_scores(scores).table.frame
    assert frame.filter(model="a")["score"].to_list() == [1.0, 0.0, 1.0, None]
    arrays = {model: numpy.array(values, dtype=float) for model, values in scores.items()}
    assert ta.read_scores(arrays).table.frame.equals(frame)
    records = [
        {"model": model, "item": str(i), "score": score}
        for model, values in scores.items()
        for i, score in enumerate(values, start=1)
    ]
    assert ta.read_scores(records).table.frame.equals(frame)
    sides = ta.compare(numpy.array([1, 0, 1, 1]), [0, 0, 1, 1])
    assert sides.record.models == ("baseline", "candidate 1")
    assert sides.record.gate.n == 4


def test_flips_show_the_question_and_both_answers(tmp_path):
    for model, shift in (("main", 0), ("pr", 1)):
        wrong = [shift * (i % 3 == 0) for i in range(30)]
        rows = [(f"q{i}", f"What is {i}+{i}?", str(2 * i + off), not off) for i, off in enumerate(wrong)]
        names = ["id", "question", "response", "passed"]
        pl.DataFrame(rows, schema=names, orient="row").write_ndjson(tmp_path / f"{model}.jsonl")
    result = ta.compare(tmp_path / "main.jsonl", tmp_path / "pr.jsonl", max_drop=0.02)
    assert result.pairs.select("better", "worse").rows() == [("main", "pr")]
    page = result.save(tmp_path / "page.md").read_text()
    assert "| lost | q3 (What is 3+3?) | 1 (6) | 0 (7) |" in page


def test_leaderboards_are_paths_frames_and_dictionaries(tmp_path):
    tasks = [f"t{t}" for t in range(12)]
    board = {
        f"m{m}": {task: 0.9 - 0.2 * m + 0.01 * (t % 3) for t, task in enumerate(tasks)} for m in range(3)
    }
    result = ta.leaderboard(board)
    assert result.ranking["model"].to_list() == ["m0", "m1", "m2"]
    assert result.pairs["separated"].to_list() == [True, True]
    frame = pl.DataFrame([{"model": model, **row} for model, row in board.items()])
    frame.write_csv(tmp_path / "board.csv")
    pandas = pytest.importorskip("pandas")
    means = frame.unpivot(index="model", variable_name="task").to_pandas()
    series = means.groupby(["model", "task"])["value"].mean()
    for other in (frame, tmp_path / "board.csv", [str(tmp_path / "board.csv")], frame.to_dicts(), series):
        assert ta.leaderboard(other).to_dict() == result.to_dict()
    unnamed = pandas.DataFrame({"team": ["p", "q"], "paper": ["u", "v"], "x": [0.1, 0.2]})
    with pytest.raises(ta.TellapartError, match=r"Name it: columns=\{'model': 'team'\}"):
        ta.leaderboard(unnamed)
    assert ta.leaderboard(unnamed, columns={"model": "team"}, tasks="x").ranking["model"][0] == "q"
    with pytest.raises(ta.TellapartError, match=r"scores are 'int', expected a path"):
        ta.leaderboard(3)
    assert result.verdict in str(result)
    assert result.save(tmp_path / "board.html").stat().st_size > 1000


def test_the_next_items_to_ask():
    items = [f"i{i}" for i in range(300)]
    scores = {
        model: {items[i * 23 % 60]: int((i * k) % 7 > 3) for i in range(60)}
        for model, k in (("a", 3), ("b", 5))
    }
    asking = ta.next_items(scores, items=items, max_items=200)
    assert not asking.stop
    assert set(asking.next_items) <= set(items[60:])
    assert "more item" in asking.reason
    assert ta.next_items(scores, items=items[:60]).stop
    assert len(ta.next_items(None, items=items, max_items=200).next_items) == 10


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ta.audit(3), "scores are 'int', expected a path, a pattern"),
        (lambda: ta.audit({"a": 3}), r"the scores of 'a' are 'int', expected \{item: score\} or a list"),
        (lambda: ta.audit({"a": [1, 0], "b": [1]}), "the lists are of different lengths: 'a' 2, 'b' 1"),
        (lambda: ta.audit([1, 0]), "scores of one model without its name"),
        (lambda: ta.audit({"a": [1, 4], "b": [2, 5]}), r"such as limits=\(1, 5\)"),
        (lambda: ta.audit(LONG, **NAMES | {"score": "corect"}), "no column 'corect'"),
        (lambda: ta.audit(ta.read_scores(SCORES), metric="f1"), "read already, so metric cannot be applied"),
        (lambda: ta.audit(""), "the path of the scores is empty"),
        (lambda: ta.audit([]), "there are no scores: the list is empty"),
        (lambda: ta.audit({}), "there are no scores: the dictionary is empty"),
        (lambda: ta.leaderboard({"a": {}}), "this table has no rows"),
        (lambda: ta.leaderboard({"a": [1]}, columns={"modl": "a"}), "'model' or 'task', not 'modl'"),
        (lambda: ta.audit(SCORES, models=3), "models is 3: Input should be a valid tuple"),
        (lambda: ta.audit(SCORES, columns="group"), "columns is 'group': Input should be a valid dictionary"),
        (lambda: ta.audit(SCORES, limits=(1, 0)), r"limits=\(1.0, 0.0\): expected the lowest and then"),
        (lambda: ta.audit(SCORES, seed=1.5), "seed is 1.5: Input should be a valid integer"),
        (
            lambda: ta.compare(SCORES, baseline="weak", max_drop=-1),
            "max_drop is -1, expected a number from 0",
        ),
        (lambda: ta.audit(SCORES, primary="odd"), "primary is 'odd', expected COLUMN=VALUE"),
        (lambda: ta.audit(scores=SCORES, alpha=2), "alpha is 2 and power 0.8, expected 0 < alpha"),
        (lambda: ta.open_run(3), "path is 3, expected a path"),
        (lambda: ta.audit({"a": {"x": [1]}}), r"a score is \[1\], expected a number"),
    ],
)
def test_what_cannot_be_read_is_named(call, message):
    with pytest.raises(ta.TellapartError, match=message):
        call()


def test_a_suite_is_run_with_its_own_name(repository, tmp_path):
    options = ta.contrastive.BuildOptions(targets=10)
    ta.contrastive.build([repository], options, str(tmp_path / "bench"))
    run = ta.contrastive.run(str(tmp_path / "bench"), ["bm25", "tfidf"], out=str(tmp_path / "run"))
    assert ta.open_run(str(tmp_path / "run")).record == run.record
    assert ta.audit(run).findings.models == ("bm25", "tfidf")


def test_the_functions_are_described_with_their_arguments():
    arguments = inspect.signature(ta.audit).parameters
    assert {"scores", "sesoi", "item", "limits"} <= arguments.keys()
    assert ta.audit.__doc__.startswith("audit(scores")
    assert "cheapest fix" in ta.audit.__doc__
    assert all(f"\n    {name}: " in inspect.getdoc(ta.audit) for name in arguments)
    assert "max_drop" in inspect.signature(ta.compare).parameters
    with pytest.raises(TypeError, match="basline"):
        ta.audit(SCORES, basline="weak")


def test_lists_of_scores_are_models_whatever_their_names():
    # Names that a table would take for a label or a number of an item.
    scores = {"y": [1, 0, None] * 8, "label": [1, 1, 0] * 8, "id": [0, 1, 1] * 8}
    result = ta.audit(scores)
    assert set(result.findings.models) == set(scores)
    assert result.findings.items == 24
