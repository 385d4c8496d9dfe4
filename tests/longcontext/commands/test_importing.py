import json

import pytest

from longcontext.importing.data_sets import locomo, longmemeval, mrcr, nolima, parquet, written
from support.recorded import calls_of


def test_what_cannot_be_imported_is_refused(tmp_path, tellapart):
    path = written(tmp_path / "some.json", [longmemeval()])

    def told(*arguments):
        done = tellapart("longcontext", "import", *arguments, "--out", tmp_path / "cases")
        assert done.code == 2
        return done.err

    assert "there is no form 'longmemevel'. Did you mean 'longmemeval'?" in told("longmemevel", path)
    assert "cannot read this file: No such file" in told(tmp_path / "nowhere.json")
    assert "this is a directory, expected a file" in told(tmp_path)
    assert "3 names are given" in told("longmemeval", path, path)
    assert "longmemeval has no use for --lengths" in told(path, "--lengths", "2K")
    other = written(tmp_path / "other.json", [{"a": 1}])
    assert "the form of this data set is not recognised. Name it before the file, one of: " in told(other)


@pytest.mark.parametrize("form", ["locomo", "mrcr", "nolima"])
def test_each_form_goes_all_the_way_to_grades(form, tmp_path, tellapart):
    (tmp_path / "book.txt").write_text("A sentence is here. " * 400)
    path, more, calls = {
        "locomo": lambda: (written(tmp_path / "locomo10.json", [locomo()]), (), 5),
        "mrcr": lambda: (parquet(tmp_path / "2needle_0.parquet", [mrcr()]), (), 1),
        "nolima": lambda: (
            *(
                written(tmp_path / "set.json", [nolima()]),
                ("--haystack", tmp_path / "book.txt", "--lengths", "1K"),
            ),
            20,
        ),
    }[form]()
    cases, run, graded = (tmp_path / name for name in ("cases", "run", "graded"))
    done = tellapart("longcontext", "import", path, "--out", cases, *more)
    assert done.code == 0, done.err
    done = tellapart("longcontext", "lint", cases)
    assert done.code == 0, done.out
    asking = ("--model", "offline/recalls", "--fork-probes", "--quiet", "--run", run)
    assert tellapart("longcontext", "run", cases, *asking).code == 0
    assert sum("turn" in call for call in calls_of(run)) == calls
    done = tellapart(
        "longcontext", "grade", run, "--cases", cases, "--run", graded, "--out", tmp_path / "r.md"
    )
    assert done.code == 0, done.err
    probes = json.loads((graded / "artifacts/grades.json").read_text())["probes"]
    assert len(probes) == calls
    assert all(probe["value"] is not None and 0 <= probe["value"] <= 1 for probe in probes)
