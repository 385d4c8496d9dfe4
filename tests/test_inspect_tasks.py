"""What Inspect finds of ours by the entry point, in a process of its own."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log

from tellapart.contrastive import building
from tellapart.contrastive.build_options import BuildOptions
from tellapart.contrastive.selection.levels import levels_named
from tellapart.readers import read_scores

PACKAGE = Path(__file__).parent / "contrastive" / "fixtures" / "package"


@pytest.mark.slow
@pytest.mark.process
def test_inspect_eval_finds_the_task_and_the_offline_model_by_name(tmp_path):
    package = shutil.copytree(PACKAGE, tmp_path / "package")
    options = BuildOptions(targets=2, levels=levels_named(["trivial", "hard"]))
    building.freeze(building.draft([package], options), tmp_path / "bench")
    inspect = Path(sys.executable).with_name("inspect")
    chosen = ["-T", "bench=bench", "-T", "orders=2", "-T", "levels=trivial,hard", "-T", "source=docstring"]
    model = ["--model", "offline/overlap", "--display", "none", "--log-dir", "logs"]
    done = subprocess.run(
        [inspect, "eval", "tellapart/contrastive", *model, *chosen],
        cwd=tmp_path,
        env=os.environ | {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = (tmp_path / "logs").glob("*.eval")
    log = read_eval_log(str(path), header_only=True)
    assert log.status == "success"
    assert log.eval.task == "tellapart/contrastive"
    assert log.eval.dataset.name == "bench"
    table = read_scores([path]).table.frame
    assert table.height == 8
    assert set(table["difficulty"]) == {"trivial", "hard"}
    assert set(table["replicate"]) == {0, 1}
    assert table["score"].null_count() == 0
