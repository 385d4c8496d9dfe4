import json
from pathlib import Path

import pytest

FIXTURES = Path(__file__).parents[2] / "longcontext" / "fixtures"
SHORT, LONG, OVERFLOW = (
    FIXTURES / f"{name}.txt" for name in ("case_1_short", "case_2_long", "case_3_overflow")
)
ANSWERS = FIXTURES / "answers.txt"
FIELDS = ["severity", "check", "case", "step", "message"]
SMOKE, REFUSED = FIXTURES / "case_1_smoke_result.json", FIXTURES / "experiment-results-http402.json"


@pytest.fixture
def lint(tellapart):
    return lambda *arguments: tellapart("longcontext", "lint", *arguments)


def test_the_json_is_a_list_of_findings(lint):
    done = lint(SHORT, LONG, OVERFLOW, "--answers", ANSWERS, "--json")
    assert done.code == 1
    findings = json.loads(done.out)
    fields = {one["check"]: list(one) for one in findings}
    assert fields["answerability"] == FIELDS
    assert fields["self-leak"] == [*FIELDS, "pattern", "figures"]
    never = [one["step"] for one in findings if "shows Study 1 (Zhang et al.);" in one["message"]]
    assert never == ["C3-1", "C3-3", "C3-5", "C3-7", "V3-4"]


def test_one_line_says_it_of_all_steps(lint, monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    done = lint(OVERFLOW)
    assert done.code == 1
    assert done.out.count("Study 1 (Zhang et al.)") == 1
    assert "error" in done.out and done.err.endswith(" infos\n")


def test_without_errors_it_exits_0(lint):
    done = lint(OVERFLOW, "--continues", LONG, "--probes-last", "--answers", ANSWERS)
    assert done.code == 0, done.out
    assert done.err.startswith("0 errors, ")
    assert lint(SHORT, "--answers", ANSWERS).code == 0


def test_the_order_is_told_unless_probes_will_come_last(lint):
    def orders(*flags):
        found = json.loads(lint(OVERFLOW, "--json", *flags).out)
        return sum(one["check"] == "order" for one in found)

    assert [orders(), orders("--no-probes-last"), orders("--probes-last")] == [13, 13, 0]


@pytest.mark.parametrize("arguments", [("--results", SMOKE), (SMOKE,), ("--results", REFUSED, SMOKE)])
def test_results_need_no_case_files(lint, arguments):
    done = lint(*arguments, "--json")
    assert done.code == 1
    errors = [one["step"] for one in json.loads(done.out) if one["check"] == "order"]
    assert errors == ["V1-1", "V1-2", "V1-3", "V1-4"]


def test_nothing_to_say_is_said(lint, tmp_path):
    quiet = tmp_path / "quiet.txt"
    quiet.write_text("=== MESSAGE 1 ===\nHello.\n")
    done = lint(quiet)
    assert (done.code, done.out, done.err) == (0, "", "nothing found\n")
    assert json.loads(lint(quiet, "--json").out) == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "nothing to lint"),
        (
            (SHORT, LONG, "--continues", LONG),
            "2 cases (case_1_short, case_2_long) are given, but --continues takes",
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


def test_what_could_not_be_read_is_warned_of(lint, tmp_path):
    answers = tmp_path / "answers.txt"
    answers.write_text(ANSWERS.read_text() + "\nV9-9 (Nothing):\n  TEST: none\n")
    done = lint(SHORT, "--answers", answers)
    assert "warning: " in done.err and "V9-9" in done.err


def test_many_distances_are_a_line_a_length_and_the_json_has_each(lint, tellapart, tmp_path):
    made = tellapart(
        *("longcontext", "generate", "--out", tmp_path / "cases", "--lengths", "1K,2K"),
        *("--depths", "0,50,100", "--conversations", "4", "--traps", "0"),
    )
    assert made.code == 0, made.err
    done = lint(tmp_path / "cases")
    said = [line for line in done.out.splitlines() if line.startswith("info      distance")]
    assert [line.split(maxsplit=2)[2].partition(":")[0] for line in said] == [
        "12 probes meant at 1,000 tokens",
        "12 probes meant at 2,000 tokens",
    ]
    found = json.loads(lint(tmp_path / "cases", "--json").out)
    assert sum(one["check"] == "distance" for one in found) == 24
    assert done.err == f"0 errors, 0 warnings, {len(found)} infos\n"
