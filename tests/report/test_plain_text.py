"""Names of strangers do no harm where they are shown."""

import pytest

from tellapart.report.markdown import escape
from tellapart.report.plain_text import plain, shortened, visible

HOSTILE = "x\n::stop-commands::y\x1b[31m\u202ez"


def test_what_no_letter_is_becomes_plain():
    assert plain("a\tb\nc\u00a0d\x00") == "a b c d\N{REPLACEMENT CHARACTER}"
    assert plain("👩‍💻 naïve ‹é›") == "👩‍💻 naïve ‹é›"


def test_what_hides_or_turns_text_is_an_escape_and_lines_stay():
    assert visible(HOSTILE) == "x\n::stop-commands::y\\u001b[31m\\u202ez"
    assert "\x1b" not in escape(HOSTILE)
    assert visible("\x00\x85\u2066\u2069") == "\\u0000\\u0085\\u2066\\u2069"
    assert visible("a\tb\r\n 👩‍💻 \u200fעברית") == "a\tb\r\n 👩‍💻 \u200fעברית"


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        ("short", 5, "short"),
        ("model-large-v1", 9, "mode…e-v1"),
        # Wide letters take two columns each: two before and two after fit in nine.
        ("模型模型模型", 9, "模型…模型"),
    ],
)
def test_names_are_cut_in_their_middle(text, width, expected):
    assert shortened(text, width) == expected
