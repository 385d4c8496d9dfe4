from pathlib import Path

import pytest

FIXTURES = Path(__file__).parents[2] / "longcontext" / "fixtures"
SHORT, LONG, OVERFLOW = (
    FIXTURES / f"{name}.txt" for name in ("case_1_short", "case_2_long", "case_3_overflow")
)
ANSWERS = FIXTURES / "answers.txt"
SMOKE, REFUSED = FIXTURES / "case_1_smoke_result.json", FIXTURES / "experiment-results-http402.json"


@pytest.fixture
def lint(tellapart):
    return lambda *arguments: tellapart("longcontext", "lint", *arguments)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "nothing to lint"),
        (
            (SHORT, LONG, "--continues", LONG),
            "2 cases are given, but --continues takes",
        ),
        ((ANSWERS,), "answers"),
        ((SHORT, "--results", SHORT), "case"),
        ((SHORT, "--answers", SHORT), "case"),
        (("missing.txt",), "cannot read"),
    ],
)
def test_what_cannot_be_linted_is_refused_in_a_paragraph(lint, arguments, said):
    done = lint(*arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: ") and said in done.err and "Traceback" not in done.err
