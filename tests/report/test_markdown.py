import pytest
from markdown_it import MarkdownIt

from tellapart.report.markdown import escape


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
