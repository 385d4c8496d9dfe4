from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from contrastive.page.shown import printed, texts
from tellapart.contrastive.llm_figures import WrittenSummaries
from tellapart.contrastive.page import document
from tellapart.report import markdown_document
from tellapart.report.terminal import terminal

GOLDEN = Path(__file__).parents[2] / "golden"


@pytest.mark.parametrize("name", ["view", "llm_view"])
def test_a_report_is_as_recorded(request, name):
    view, recorded = (
        request.getfixturevalue(name),
        {"view": "contrastive", "llm_view": "contrastive_llm"}[name],
    )
    markdown = markdown_document(document(view))
    assert markdown == (GOLDEN / f"{recorded}_report.md").read_text(encoding="utf-8")
    shown = "\n".join(printed(terminal(document(view)), 80)) + "\n"
    assert shown == (GOLDEN / f"{recorded}_terminal_80.txt").read_text(encoding="utf-8")
    assert max(map(len, shown.splitlines())) <= 80


def test_a_caution_is_told_where_one_model_alone_has_scores(view):
    off = "Given another unit's summary, a model must score near chance. These do not: bm25."
    notes = view.scores.notes.model_copy(update={"cautions": (off,)})
    alone = replace(view.scores, frame=view.scores.frame.filter(pl.col("model") == "bm25"), notes=notes)
    page = document(replace(view, scores=alone))
    assert page.title == "Only bm25 has a score: nothing to compare"
    assert f"Beware: {off}" in page.verdict


def test_summaries_of_writers_are_a_section(view):
    written = {
        "gpt": WrittenSummaries(n=2, missing={"refusal": 1}, mean_characters=5.0),
        "llama": WrittenSummaries(n=0, missing={"provider": 3}, mean_characters=None),
    }
    report = view.report.model_copy(update={"summaries": written})
    (section,) = (one for one in document(replace(view, report=report)).sections if one.name == "summaries")
    (shown,) = section.tables
    assert texts(shown) == [["gpt", "2", "0", "1", "5"], ["llama", "0", "3", "0", "–¹"]]
