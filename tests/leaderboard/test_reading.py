"""MTEB's results as they are published: uneven, of several revisions, with scores that are no numbers."""

import json

import pytest

from tellapart.errors import InputError
from tellapart.leaderboard.reading import read_leaderboard


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


EN, DE, OTHER = ("test", "en"), ("test", "de"), ("dev", "en")


def test_what_not_every_model_has_is_left_out_or_narrowed_and_named_at_once(results):
    results(
        "a/a", "1", {"T1": {EN: 0.5}, "T2": {EN: float("nan")}, "T3": {EN: 0.2, DE: 0.9}, "T4": {EN: 0.1}}
    )
    results(
        "b/b", "1", {"T1": {EN: 0.6}, "T2": {EN: 0.5}, "T3": {EN: 0.4}, "T4": {OTHER: 0.7}, "T5": {EN: 1}}
    )
    board = read_leaderboard([results.path])
    assert board.tasks == ("T1", "T3")
    assert board.scores.tolist() == [[0.5, 0.2], [0.6, 0.4]]
    assert board.parts == {"T1": ("en/test",), "T3": ("en/test",)}
    assert board.notes == (
        "Without a main score of some model: T2.",
        "Left out, since not every model has a score: T2, T5.",
        "Left out, since models have scores on different splits, or on no subset in common: T4.",
        "Only the subsets that all models have are read of: T3.",
    )


def test_of_several_revisions_the_fullest_counts_and_equal_ones_are_compared(results):
    results("a/a", "1", {"T1": {EN: 0.5}, "T2": {EN: 0.5}})
    results("a/a", "external", {"T1": {EN: 0.4}})
    results("b/b", "1", {"T1": {EN: 0.6}, "T2": {EN: 0.5}})
    results("b/b", "2", {"T1": {EN: 0.7}, "T2": {EN: 0.8}})
    board = read_leaderboard([results.path])
    assert board.models == ("a/a", "b/b@1", "b/b@2")
    assert board.tasks == ("T1", "T2")
    assert board.notes == ("Of a/a the revision with the most tasks is read, 1; left out: external.",)


def test_without_a_common_task_the_model_to_leave_out_is_named(results):
    results("a/a", "1", {"T1": {EN: 0.5}, "T2": {EN: 0.5}})
    results("b/b", "1", {"T3": {EN: 0.6}})
    with pytest.raises(InputError, match=r"no task on which .*fewest tasks, 'b/b' \(1\)"):
        read_leaderboard([results.path])
