"""The whole report of a run with two language and two embedding models, some of whose calls failed."""

from pathlib import Path

import pytest

from contrastive.page.shown import printed
from contrastive.page.stored_llms import LLMS, figures, items, run_record
from tellapart.contrastive.page import document, terminal
from tellapart.report import markdown_document

GOLDEN = Path(__file__).parents[3] / "golden"


def test_markdown_is_as_recorded(llm_view):
    assert markdown_document(document(llm_view)) == (GOLDEN / "contrastive_llm_report.md").read_text(
        encoding="utf-8"
    )


@pytest.mark.parametrize("width", [80, 120])
def test_the_terminal_is_as_recorded(llm_view, width):
    shown = "\n".join(printed(terminal(llm_view), width)) + "\n"
    assert shown == (GOLDEN / f"contrastive_llm_terminal_{width}.txt").read_text(encoding="utf-8")
    assert max(map(len, shown.splitlines())) <= width


def alone(llm_view_of):
    """The same run without embedding models."""
    changes = {"controls": {}, "swap_accuracy": {}, "agreement": [], "combined": None}
    changes["overall"] = {model: figures()["overall"][model] for model in LLMS}
    frame = items()
    return llm_view_of(
        record=run_record() | {"config": run_record()["config"] | {"models": []}},
        frame=frame.filter(frame["method"] == "llm"),
        **changes,
    )


def test_without_embedding_models_there_is_no_empty_table_or_chart(llm_view_of):
    view = alone(llm_view_of)
    shown = document(view)
    assert [section.name for section in shown.sections] == [
        "comparison",
        "accuracy",
        "names",
        "slots",
        "language-models",
        "distractors",
        "gap",
        "groups",
        "items",
    ]
    assert all(table.rows for section in shown.sections for table in (*section.tables, *section.folded))
    gap = next(section for section in shown.sections if section.name == "gap")
    assert (gap.charts, [table.name for table in gap.tables]) == ((), ["stated"])
    assert "Controls" not in "\n".join(printed(terminal(view), 100))
