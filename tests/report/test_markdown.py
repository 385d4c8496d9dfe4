import pytest
from markdown_it import MarkdownIt

from tellapart.report.charts import Chart
from tellapart.report.document import Document, Section
from tellapart.report.markdown import escape, markdown_document, markdown_table
from tellapart.report.tables import Cell, table, undefined


@pytest.mark.parametrize(
    "text", ["a|b", "_init_", "*x*", "`x`", "<b>x</b>", "[x](y)", "\\*", "x__y__z", "~~x~~"]
)
def test_escaped_text_reads_as_it_was(text):
    parsed = MarkdownIt("commonmark").enable("strikethrough").parseInline(escape(text))[0].children
    assert "".join(token.content for token in parsed) == text
    assert {token.type for token in parsed} <= {"text", "text_special"}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("@octocat (@a/b)", "@&#8203;octocat (@&#8203;a/b)"),
        ("org/repo#12, #3 and gh-4", "org/repo#&#8203;12, #&#8203;3 and gh-&#8203;4"),
        # Neither an address nor a cutoff is a mention, and a heading or a colour is no issue.
        ("a@b.org, nDCG@10, # 1, #abc", "a@b.org, nDCG@10, # 1, #abc"),
    ],
)
def test_nobody_is_mentioned_and_no_issue_linked(text, shown):
    assert escape(text) == shown


def test_a_table_has_its_title_above_and_its_notes_below():
    rows = [["a|b", Cell("50.0", "40.0–60.0", strong=True)], ["c", undefined("no items")]]
    assert markdown_table(table("t", "Accuracy, %", ["model", "easy"], rows)) == (
        "**Accuracy, %**\n\n| model | easy |\n| --- | ---: |\n"
        "| a\\|b | **50.0** (40.0–60.0) |\n| c | –¹ |\n\n–¹ no items"
    )


def test_a_document_has_its_verdict_first_and_says_what_a_chart_proves():
    chart = Chart("c", "a beats b", "", draw=None)
    found = Document(
        "kind",
        "Verdict",
        ("One.",),
        {"Items": "3"},
        (Section("s", "Part", "Text.", (chart,)),),
        {"Seed": "1"},
        ("go",),
    )
    assert markdown_document(found) == (
        "# Verdict\n\n- One.\n\n**Items** 3\n\n## Part\n\nText.\n\n*a beats b.*\n\n"
        "## How this was made\n\n- **Seed** 1\n\n```sh\ngo\n```\n"
    )
