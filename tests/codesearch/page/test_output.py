"""The report as text: golden Markdown and the terminal."""

import io
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from tellapart.codesearch.figures import SampledRecall
from tellapart.codesearch.looping.trend import History, Stop
from tellapart.codesearch.page import document
from tellapart.codesearch.page.verdict import remarks, sentences
from tellapart.report import markdown_document
from tellapart.report.terminal import terminal

GOLDEN = Path(__file__).parents[2] / "golden"


def test_markdown_is_as_recorded(view):
    assert markdown_document(document(view)) == (GOLDEN / "codesearch_report.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("width", [80, 120])
def test_the_terminal_is_as_recorded(view, width):
    console = Console(width=width, record=True, file=io.StringIO())
    for part in terminal(document(view)):
        console.print(part)
    lines = [line.rstrip() for line in console.export_text().splitlines()]
    golden = (GOLDEN / f"codesearch_terminal_{width}.txt").read_text(encoding="utf-8")
    assert "\n".join(lines) + "\n" == golden
    assert max(map(len, lines)) <= width


def test_what_both_missed_is_left_out_only_where_no_sample_was_taken(view):
    assert "--sample-rest" in " ".join(remarks(view))
    sampled = view.metrics.model_copy(update={"sampled_recall": SampledRecall.model_construct()})
    taken = replace(view, evaluation=replace(view.evaluation, metrics=sampled))
    assert "--sample-rest" not in " ".join(remarks(taken))


@pytest.mark.parametrize(("reason", "following"), [("thresholds", ""), ("regression", "do as the first")])
def test_a_loop_that_stopped_shows_its_figures_and_what_follows(view, reason, following):
    stopped = Stop(reason=reason, iteration=2, text="So it is.")
    plain, said = sentences(view), sentences(replace(view, history=History(iterations=(), stopped=stopped)))
    assert said[:-1] == ["The loop stopped after iteration 2: So it is.", *plain[:-1]]
    assert said[-1].startswith(f"Next: {following}") and (following or said[-1] == plain[-1])
