"""A report without some items knows nothing of them, and makes no headline; suspects are named."""

from dataclasses import replace
from statistics import fmean

import polars as pl
import pytest

from tellapart.contrastive.page import document, json_figures, load
from tellapart.contrastive.page.browser import item_texts
from tellapart.contrastive.page.distractors import suspect_lines
from tellapart.contrastive.suspects import Suspect, suspect_effect
from tellapart.core.comparison import ComparisonSettings, compare, to_json
from tellapart.core.fingerprint import sha256
from tellapart.core.scores import ScoreTable
from tellapart.errors import InputError


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
    # Without a verdict there is none that could change.
    assert figures["suspects"]["changed"] is None
    page = document(view)
    assert page.title.startswith(f"No verdict: {len(items)} items were left out")
    assert f"--exclude {path}" in page.commands[-1]
    assert not set(items) & {*item_texts(view), *view.scores.frame["item"]}


def test_what_cannot_be_left_out_is_named(tiny_run, left_out):
    path, items = left_out
    for text, message in (
        (f"{items[0]}\n{items[1]}x", f"1 of the 2 items .* such as '{items[1]}x'. Did you mean '{items[1]}'"),
        ("", "leaves out none of the"),
    ):
        path.write_text(text)
        with pytest.raises(InputError, match=message):
            load(tiny_run, exclude=path)


def test_a_report_lists_suspects_and_what_hangs_on_them(tiny_run):
    view = load(tiny_run)
    target, distractor = view.benchmark.targets[:2]
    items = tuple(item for item in view.benchmark.sets["item"] if item.endswith(target.id))
    suspect = Suspect(
        target=target.id,
        distractor=distractor.id,
        items=items,
        agreed=2,
        summary="s",
        distractor_summary="s",
    )
    view = replace(view, suspects=(suspect,))
    figures = json_figures(view)["suspects"]
    held = set(items)
    assert 0 < len(held) == figures["items"] < figures["of"]
    others = tiny_run.frame("scores.parquet").filter(~pl.col("item").is_in(held))
    verdicts = [
        {(pair.a, pair.b): pair.verdict for pair in compare(ScoreTable.from_frame(rows)).primary.pairs}
        for rows in (tiny_run.frame("scores.parquet"), others)
    ]
    changed = {pair for pair, verdict in verdicts[0].items() if verdicts[1][pair] != verdict}
    assert {(pair["a"], pair["b"]) for pair in figures["changed"]} == changed
    section = next(section for section in document(view).sections if section.name == "suspects")
    assert section.tables[0].rows[0][0].text == figures["suspects"][0]["target"] == target.id


def test_a_changed_verdict_is_put_into_words():
    items = [f"{i}" for i in range(40)]
    scores = pl.DataFrame(
        [
            {"model": model, "item": item, "cluster": item, "score": float(int(item) < right)}
            for model, right in {"a": 30, "b": 20}.items()
            for item in items
        ]
    )
    table = ScoreTable.from_frame(scores)

    def lines(held):
        suspect = Suspect(
            target="t", distractor="d", items=tuple(held), agreed=0, summary="s", distractor_summary="s"
        )
        found = (suspect,)
        return suspect_lines(suspect_effect(found, items, table, ComparisonSettings(), compare(table)))

    # Of ten items that only a gets right, p is 2 / 2^10; of the last three .25.
    assert "Without these items no verdict changes." in lines(["0"])[0]
    assert "the verdict changes on a and b from 'a is better' to 'cannot tell'." in lines(items[20:27])[0]
    assert lines([]) == ["No item has a distractor that looks like a second right answer."]
