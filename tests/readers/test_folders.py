import shutil
from pathlib import Path

import pytest

from tellapart.errors import InputError, UsageError
from tellapart.readers import read_scores

FIXTURES = Path(__file__).parent / "fixtures"
HEADER = "model,item,score\n"


def names(reading, folder):
    return [str(Path(file).relative_to(folder)) for file in reading.forms]


def test_the_log_folder_of_inspect(tmp_path):
    logs = tmp_path / "logs"
    logs.mkdir()
    for name in ("strong.eval", "weak.eval"):
        shutil.copy(FIXTURES / "inspect" / name, logs)
    (logs / "notes.txt").write_text("not scores")
    (logs / ".hidden.csv").write_text(HEADER + "x,1,1\n")
    reading = read_scores([logs])
    assert names(reading, logs) == ["strong.eval", "weak.eval"]
    assert reading.sources == {str(logs): tuple(reading.table.models)}
    assert len(reading.table.models) == 2


def test_the_output_path_of_lm_evaluation_harness():
    folder = FIXTURES / "lm_eval"
    reading = read_scores([folder])
    assert len(reading.forms) == 4
    assert f"{folder}: 2 files of averages are passed over." in reading.notes
    both = read_scores([folder / "org__strong", folder / "org__weak"])
    assert both.table.frame.equals(reading.table.frame)
    assert [len(models) for models in both.sources.values()] == [1, 1]
    averages = next((folder / "org__weak").glob("results_*.json"))
    with pytest.raises(InputError, match="averages of a run"):
        read_scores([averages])


def test_two_runs_into_one_output_path_are_told_apart_by_run(tmp_path):
    out = tmp_path / "out"
    shutil.copytree(FIXTURES / "lm_eval" / "org__weak", out)
    for file in list(out.iterdir()):
        shutil.copy(file, out / file.name.replace("17-23-28", "18-00-00"))
    reading = read_scores([out])
    times = [model.rpartition(" ")[2] for model in reading.table.models]
    assert times == ["(2026-11-21T17-23-28.552255)", "(2026-11-21T18-00-00.552255)"]
    assert reading.table.frame["task"].n_unique() == 2


def test_tables_of_a_folder_must_be_alike(tmp_path, write):
    write("s/a.csv", HEADER + "a,1,1\n")
    write("s/deep/b.csv", HEADER + "b,1,0\n")
    assert names(read_scores([tmp_path / "s"]), tmp_path / "s") == ["a.csv", "deep/b.csv"]
    write("s/prices.csv", "name,price\na,3\n")
    with pytest.raises(InputError, match="different columns: .*prices.csv has name, price.*such as .*a.csv"):
        read_scores([tmp_path / "s"])
    with pytest.raises(InputError, match="no file in it is recognised as scores; there are: x.txt"):
        read_scores([write("t/x.txt", "words").parent])


def test_sides_of_a_comparison_are_named_after_the_folders(write, tmp_path):
    main, pr = tmp_path / "main", tmp_path / "pr"
    for side in ("main", "pr"):
        write(f"{side}/a.csv", HEADER + "m,1,1\n")
        write(f"{side}/b.csv", HEADER + "m,2,1\n")
    reading = read_scores([main, pr], apart=True)
    assert reading.table.models == ["m (main)", "m (pr)"]
    assert reading.sources == {str(main): ("m (main)",), str(pr): ("m (pr)",)}
    with pytest.raises(UsageError, match="a.csv' is given twice, by .*main' and "):
        read_scores([main, main / "a.csv"])
