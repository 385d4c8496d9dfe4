from pathlib import Path

import pytest

from tellapart.store import names_of_runs, path_names


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        ([], ()),
        (["runs/base.json"], ("base",)),
        (["runs/base.json", "runs/new.json"], ("base", "new")),
        (["old/base.json", "new/base.json", "new/other.json"], ("old/base", "new/base", "other")),
        # One path is the end of the other.
        (["base.json", "old/base.json"], ("base", "old/base")),
        (["a.scores.parquet", "b.json"], ("a", "b")),
        (["a.json", "a.json", "b.json"], ("a #1", "a #2", "b")),
    ],
)
def test_the_shortest_ends_that_tell_paths_apart(paths, names):
    assert path_names([Path(path) for path in paths]) == names


def test_a_model_has_its_name_and_its_runs_have_their_files():
    paths = [Path(name) for name in ("x/monday.json", "x/friday.json", "x/other.json")]
    assert names_of_runs(["m", "m", "n"], paths) == ("m (monday)", "m (friday)", "n")
