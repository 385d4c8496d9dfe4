"""A report without some items knows nothing of them, and makes no headline; suspects are named."""

from statistics import fmean

import polars as pl
import pytest

from tellapart.contrastive.page import document, json_figures, load
from tellapart.contrastive.page.browser import item_texts
from tellapart.core.comparison import compare, to_json
from tellapart.core.fingerprint import sha256
from tellapart.core.scores import ScoreTable


@pytest.fixture
def left_out(tiny_run, tmp_path):
    """A file that names every item of one target."""
    sets = tiny_run.frame("artifacts/benchmark/sets.parquet")
    items = sets.filter(target=sets["target"][0])["item"].to_list()
    assert 1 < len(items) < sets.height
    path = tmp_path / "items.txt"
    path.write_text("\n".join(items) + "\n\n")
    return path, items


def test_figures_are_those_of_the_other_items_and_there_is_no_headline(tiny_run, left_out):
    path, items = left_out
    view = load(tiny_run, exclude=path)
    figures = json_figures(view)
    rows = tiny_run.frame("items.parquet").filter(~pl.col("item").is_in(items), condition="summary")
    for model, result in figures["overall"].items():
        assert result["accuracy"] == pytest.approx(fmean(rows.filter(model=model)["correct"]), abs=1e-12)
        assert result["n"] == rows["item"].n_unique()
    scores = tiny_run.frame("scores.parquet").filter(~pl.col("item").is_in(items))
    expected = to_json(compare(ScoreTable.from_frame(scores, notes=tiny_run.scores().notes)))
    primary, (_, level) = figures["comparison"]["primary"], tiny_run.scores().notes.primary
    assert primary["pairs"] == expected["primary"]["pairs"]
    assert (primary["scope"], primary["left_out"], primary["declared"]) == (
        f"difficulty={level}",
        len(items),
        False,
    )
    assert figures["comparison"]["secondary"] == expected["secondary"]
    of = tiny_run.frame("artifacts/benchmark/sets.parquet").height
    assert figures["excluded"] == {"sha256": sha256(path.read_bytes()), "items": len(items), "of": of}
    page = document(view)
    assert page.title.startswith(f"No verdict: {len(items)} items were left out")
    assert f"--exclude {path}" in page.commands[-1]
    assert not set(items) & {*item_texts(view), *view.scores.frame["item"]}
