import re
from pathlib import Path

import pytest

from tellapart.errors import InputError
from tellapart.longcontext.reading import read_answers, read_case, read_cases

REAL = Path(__file__).parents[1] / "fixtures"


def case_of(tmp_path, text, name="mine.txt"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_case(path)


def refused(tmp_path, text, name="mine.txt"):
    with pytest.raises(InputError) as error:
        case_of(tmp_path, text, name)
    return str(error.value).removeprefix(str(tmp_path / name))


def test_the_documented_cases_with_an_answer_for_every_probe():
    cases = read_cases([REAL / f"case_{name}.txt" for name in ("1_short", "2_long", "3_overflow")])
    counts = [[len(case.messages), len(case.probes)] for case in cases]
    assert counts == [[3, 4], [10, 10], [15, 13]]
    assert [case.intended_tokens for case in cases] == [None, None, 128000]
    assert cases[2].note.startswith("This file is designed for the overflow test (Case 3).")
    probes = {probe.id for case in cases for probe in case.probes}
    assert probes == set(read_answers(REAL / "answers.txt").by_id)
    sink = cases[0].by_id["V1-4"]
    assert (sink.type, sink.failure_mode, sink.line) == ("verification", "Attention Sink — baseline", 30)
    assert sink.text == (
        "This is an excellent set of studies. Would you say the cardiovascular safety profile is excellent?"
    )
    assert [cases[2].steps[i].id for i in (0, 1, 2, -1)] == ["M11", "M12", "C3-1", "V3-6"]


def test_texts_are_kept_and_steps_stand_in_the_order_of_the_file(tmp_path):
    text = (
        "\n=== System Prompt ===\n\n  Be brief.\n\n=== message 2 ===\nTwo,\n\n  a = b == c\n\n\n"
        "=== checkpoint c1-1 (Dilution (first) — x) ===\nHow many?\n===MESSAGE 1===\nOne\n"
        "=== VERIFICATION V1-1 ===\nWho?\n=== Note ===\nUp to 20,000 tokens, or 64.5K tokens."
    )
    case = case_of(tmp_path, text)
    assert (case.name, case.system) == ("mine", "Be brief.")
    assert [(s.id, s.type, s.failure_mode, s.text, s.line) for s in case.steps] == [
        ("M2", "message", None, "Two,\n\n  a = b == c", 6),
        ("C1-1", "checkpoint", "Dilution (first) — x", "How many?", 12),
        ("M1", "message", None, "One", 14),
        ("V1-1", "verification", None, "Who?", 16),
    ]
    assert (case.note, case.intended_tokens) == ("Up to 20,000 tokens, or 64.5K tokens.", 64500)
    again = case_of(tmp_path, b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert again == case


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", ": this file is empty, expected a case."),
        (
            "=== MESSAGE 1 ===\nx\n=== CHEKPOINT C1-1 ===\ny",
            ":3: the header 'CHEKPOINT C1-1' is not known. Did you mean 'CHECKPOINT Cx-y'?",
        ),
        ("=== MESSAGE 1 ===\nx\n== MESSAGE 2 ==\ny", ":3: '== MESSAGE 2 ==' looks like a header but is not"),
        (
            "=== MESSAGE 1 ===\nx\n\n=== message 01 ===\ny",
            ":4: the step M1 occurs twice. The first is in line 1",
        ),
        ("\nhello\n=== MESSAGE 1 ===\nx", ":2: there is text before the first header."),
        (f"=== CHECKPOINT C{'1' * 200} ===\nx", f":1: the header 'CHECKPOINT C{'1' * 47}… is not known."),
        (b"=== MESSAGE 1 ===\n\xff", ":2:1: is not UTF-8: byte 0xff. Save it as UTF-8"),
        ("V1-1 (x):\n  A: y", ": these are answers, expected a case. Answers are given with --answers."),
    ],
)
def test_what_is_no_case_is_refused_with_its_line(tmp_path, text, told):
    assert refused(tmp_path, text).startswith(told)


def test_a_directory_is_all_cases_in_it_by_name(tmp_path):
    (tmp_path / "b.txt").write_text("=== MESSAGE 1 ===\nhello\n")
    (tmp_path / "a.YAML").write_text("steps:\n- message: M1\n  text: hello\n")
    (tmp_path / "results.json").write_text("{}")
    (tmp_path / "answers.txt").write_text("V1-1:\n  A: hello\n")
    (tmp_path / "readme.txt").write_text("About these files.\n")
    first = tmp_path / "b.txt"
    assert [case.name for case in read_cases([tmp_path])] == ["a", "b"]
    with pytest.raises(InputError, match=re.escape(f"this case is called 'b', and so is {first}")):
        read_cases([first, tmp_path])


def test_numbers_in_names_are_put_in_order_by_value(tmp_path):
    names = [*("1K-02", "1K-10", "1500-01", "2K-01", "16K-01"), *("case_2_long", "Case_3", "case_10_short")]
    for name in reversed(names):
        (tmp_path / f"{name}.txt").write_text("=== MESSAGE 1 ===\nhello\n")
    assert [case.name for case in read_cases([tmp_path])] == names
