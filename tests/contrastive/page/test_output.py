from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from contrastive.page.shown import printed
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
