from pathlib import Path

import pytest

from tellapart.errors import InputError
from tellapart.longcontext.case import Entry, Expected
from tellapart.longcontext.reading import read_answers

REAL = Path(__file__).parents[1] / "fixtures"


def key_of(tmp_path, text):
    path = tmp_path / "key.txt"
    path.write_text(text)
    return read_answers(path)


def test_the_documented_answers_are_read_without_a_note():
    key = read_answers(REAL / "answers.txt")
    assert (len(key.by_id), key.notes) == (27, ())
    assert key.cases == {"1": 1_500, "2": (20_000, 30_000), "3": 128_000}
    assert {id_ for id_, one in key.by_id.items() if one.answer is None} == {"V2-5", "C3-6"}
    assert key.by_id["V2-1"].answer.startswith("Study 6 did NOT compare atomoxetine to methylphenidate. ")
    recency = key.by_id["V2-5"]
    assert recency.early == "Study 1 — AISRS reduction -16.4, response rate 67.8%, NNT=2.6"
    assert recency.late == "Study 10 — pooled SMD=0.45, NNT=3.9"
    assert key.by_id["V3-4"] == Expected(
        "V3-4",
        "N=342.",
        "Attention Dilution — final",
        test="Compare to C3-1 through C3-7. This creates a time-series of degradation.",
        intended_tokens=120000,
    )
    entries = key.by_id["V3-3"].entries
    assert [entry.label for entry in entries] == [f"Study {n}" for n in range(1, 26)]
    assert entries[6] == Entry("Study 7", "Costa", 2022, 445, "completers=312")
    assert entries[20] == Entry("Study 21", "Morales", 2022, 23847, "register")
    assert (entries[11].author, entries[17].author) == ("O'Sullivan", "Van den Berg")
    thousands = {id_: one.intended_tokens / 1000 for id_, one in key.by_id.items() if one.intended_tokens}
    checks = {"C2-1": 4, "C2-3": 10, "V2-4": 20, "C3-1": 40, "C3-3": 60, "C3-5": 80, "C3-7": 100, "V3-4": 120}
    assert thousands == checks | {"V1-4": 2, "V2-7": 20, "V3-6": 120} | {"V3-1": 128, "V3-3": 128}


@pytest.mark.parametrize(
    ("words", "tokens"),
    [("~40-50K tokens. Watch", (40000, 50000)), ("At 8K tokens", 8000), ("5 studies of 10K people", None)],
)
def test_intended_tokens_of_a_test(tmp_path, words, tokens):
    assert key_of(tmp_path, f"V1-1:\n  A: x\n  TEST: {words}").by_id["V1-1"].intended_tokens == tokens


BROKEN = """\
  A: nobody's
=== CASE 1 ===
V1-1 (Baseline):
  Q: How much?
  ANSWR: 37%
    more of it
  TEST: x

v1-2 (Attr):
  TEST: y
  Q: who?
V1-3 (Factual)
  CORRECT A: ALT/AST
    WCST: 34
  SIDE NOTE: y
beside the block
V1-3 (Factual):
  A: other
V1-5: 37% increase
V3-3 (Stress test, enumeration):
  CORRECT: see
  Study 2: Morrison 2020 N 2847
  Study 1: Zhang, 2019, N=342
  Study 3: Petrov, N=1,189
V2-1 and V2-2 go together
--- RUBRIC ---
  CORRECT: all
  PARTIAL: some
"""


def test_what_is_broken_is_told_line_by_line_and_the_rest_is_read(tmp_path):
    key = key_of(tmp_path, BROKEN)
    known = "Q, A, CORRECT A, CORRECT, TEST, SCORE, EXPECTED FAILURE"
    assert key.notes == (
        "line 3: V1-1 has no answer: a block needs 'A:' or 'CORRECT A:'",
        f"line 5: the key 'ANSWR:' of V1-1 is not known and was left out; known are {known}",
        "line 9: V1-2 has no answer: a block needs 'A:' or 'CORRECT A:'",
        "line 12: V1-3 has no ':' behind it; read as the beginning of its block",
        f"line 15: the key 'SIDE NOTE:' of V1-3 is not known and was left out; known are {known}",
        "line 17: V1-3 occurs twice; the first, in line 12, counts",
        "line 22: 'Study 2: Morrison 2020 N 2847' is not an entry, expected such as "
        "'Study 5: Name, 2019, N=423'",
    )
    assert key.by_id == {
        "V1-1": Expected("V1-1", None, "Baseline", test="x"),
        "V1-2": Expected("V1-2", None, "Attr", test="y"),
        "V1-3": Expected("V1-3", "ALT/AST\nWCST: 34", "Factual"),
        "V1-5": Expected("V1-5", "37% increase"),
        "V3-3": Expected(
            "V3-3",
            "see",
            "Stress test, enumeration",
            entries=(Entry("Study 1", "Zhang", 2019, 342), Entry("Study 3", "Petrov", None, 1189)),
        ),
    }


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", ": this file is empty, expected answers."),
        ("Some words\n", ": there is no answer in this file. A block begins with a line such as 'V2-1 (Conf"),
        ('[{"caseName": 1}]', ": these are results, expected answers. Results are given to 'tellapart long"),
    ],
)
def test_what_are_no_answers_is_refused(tmp_path, text, told):
    with pytest.raises(InputError) as error:
        key_of(tmp_path, text)
    assert str(error.value).removeprefix(str(tmp_path / "key.txt")).startswith(told)


def test_an_id_of_many_characters_is_cut_where_it_is_reported(tmp_path):
    key = key_of(tmp_path, f"V1-1:\n  A: 7\nV{'1' * 200_000}:\n  A: 8\n  {'B' * 200_000}: 9\n")
    assert list(key.by_id) == ["V1-1"]
    assert key.notes == (f"line 3: 'V{'1' * 58}… is no id: it has more than 100 characters",)
