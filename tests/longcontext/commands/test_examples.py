"""The assistants among the examples remember as much as the page on long conversations says."""

import re
import shutil
import sys
from pathlib import Path

import polars as pl

ROOT = Path(__file__).parents[3]
NAMES = {
    "memory": "python:memory_assistant:Memory",
    "the bare model": "offline/recalls-16k",
    "compacting": "python:compacting_assistant:Compacting",
}
STATED = re.compile(
    r"The memory answers ([\d.]+) % of 72 probes, the bare model ([\d.]+) %, compaction ([\d.]+) %"
)


def test_the_figures_of_the_page_are_those_of_the_examples(tellapart, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("memory_assistant", "compacting_assistant"):
        # Put back, and so forgotten, when the test ends.
        monkeypatch.setitem(sys.modules, name, sys)
        monkeypatch.delitem(sys.modules, name)
        shutil.copy(ROOT / "examples" / f"{name}.py", tmp_path)
    models = [word for name in NAMES.values() for word in ("--model", name)]
    for line in (
        ("generate", "--out", "remembered", "--lengths", "8K,32K", "--conversations", "6"),
        ("run", "remembered", *models, "--quiet", "--run", "played"),
        ("grade", "played", "--cases", "remembered", "--out", "report.md", "--run", "graded"),
    ):
        ended = tellapart("longcontext", *line)
        assert ended.code == 0, ended.err
    scores = pl.read_parquet("graded/scores.parquet").filter(pl.col("score").is_not_null())
    page = (ROOT / "docs" / "longcontext.md").read_text(encoding="utf-8")
    stated = [float(value) for value in STATED.search(page).groups()]
    means = [scores.filter(pl.col("model") == model)["score"].mean() for model in NAMES.values()]
    assert [round(100 * mean, 1) for mean in means] == stated
    report = Path("report.md").read_text(encoding="utf-8")
    assert "This evaluation separates all 3 pairs" in report
    assert re.search(
        r"Memory \| offline/recalls-16k \| better \| \+16\.7 \(\+5\.6 to \+27\.8\)"
        r".*\| 72 \(34 to 552\) \| 72",
        report,
    )
    assert re.search(r"offline/recalls-16k \| python\S* \| better \| \+16\.7 \(\+6\.7 to \+26\.7\)", report)
