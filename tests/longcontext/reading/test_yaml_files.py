from pathlib import Path

import pytest

from tellapart.errors import InputError
from tellapart.longcontext.case import CaseStep, Entry, Expected, Origin, share_of
from tellapart.longcontext.reading import read_case
from tellapart.longcontext.reading.cases import yaml_of

FIXTURES = Path(__file__).parents[1] / "fixtures"

WHOLE = """\
name: trap
system: Be brief.
note: for people
intended_tokens: 8000
origin:
  data_set: Some Set
  licence: MIT
  file: some.json
  sha256: "%s"
  record: q-1
steps:
  - message: M1
    text: |
      First line,

        moved in.
  - checkpoint: C1-1
    failure_mode: Dilution
    text: How many?
    expected: 342
  - message: M2
    session: s2
    date: 2023/05/20 (Sat) 02:21
    text: It moved.
    reply: |
      I see.
  - verification: V1-list
    text: List all.
    rule: enumeration
    banned: superb
    accept: [another]
    prefix: xY7
    early: Study 1
    late: Study 9
    evidence: [one, two]
    intended_tokens: 4000
    test: shows it
    entries:
      - "Study 1:  Zhang, 2019, N=2,342 (pooled)"
      - {label: Study 2, author: Wu}
"""

WHOLE = WHOLE.replace("%s", "0f" * 32)


def path_of(tmp_path, text, name="mine.yaml"):
    path = tmp_path / name
    path.write_text(text)
    return path


def refused(tmp_path, text):
    path = path_of(tmp_path, text)
    with pytest.raises(InputError) as error:
        read_case(path)
    return str(error.value).removeprefix(str(path))


def test_every_key_is_read_and_written_as_it_was_read(tmp_path):
    case = read_case(path_of(tmp_path, WHOLE.replace("expected: 342", "expected: N=342")))
    entries = (Entry("Study 1", "Zhang", 2019, 2342, "pooled"), Entry("Study 2", "Wu", None, None))
    assert case.steps[3].expected == Expected(
        id="V1-list",
        test="shows it",
        early="Study 1",
        late="Study 9",
        entries=entries,
        evidence=("one", "two"),
        rule="enumeration",
        banned="superb",
        accept=("another",),
        prefix="xY7",
        intended_tokens=4000,
    )
    assert case.steps[:3] == (
        CaseStep("M1", "message", "First line,\n\n  moved in."),
        CaseStep("C1-1", "checkpoint", "How many?", "Dilution", Expected("C1-1", "N=342", "Dilution")),
        CaseStep("M2", "message", "It moved.", None, None, 0, "I see.", "s2", "2023/05/20 (Sat) 02:21"),
    )
    assert [step.line for step in case.steps] == [12, 17, 21, 27]
    assert case.origin == Origin("Some Set", "MIT", "some.json", "0f" * 32, "q-1")
    assert (case.name, case.system, case.note, case.intended_tokens) == (
        *("trap", "Be brief.", "for people", 8000),
    )
    again = read_case(path_of(tmp_path, yaml_of(case), "again.yaml"))
    assert again == case


def test_a_length_may_be_a_range_of_which_the_nearer_end_counts(tmp_path):
    probe = "- verification: V1\n  text: Who?\n  intended_tokens: 900-1500\n"
    case = read_case(path_of(tmp_path, f"intended_tokens: 20000-30000\nsteps:\n{probe}"))
    assert (case.intended_tokens, case.steps[0].expected.intended_tokens) == ((20_000, 30_000), (900, 1_500))
    assert "intended_tokens: 20000-30000\n" in yaml_of(case)
    shares = [share_of(tokens, case.intended_tokens) for tokens in (10_000, 20_000, 27_762, 45_000)]
    assert shares == [0.5, 1, 1, 1.5]


@pytest.mark.parametrize("name", ["case_1_short", "case_2_long", "case_3_overflow"])
def test_the_documented_cases_are_read_back_as_they_are(tmp_path, name):
    case = read_case(FIXTURES / f"{name}.txt")
    again = read_case(path_of(tmp_path, yaml_of(case)))
    assert again == case
    assert "  text: |-\n    " in yaml_of(case)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("steps: [", ":2: this is not YAML: "),
        ("name: x", ":1: 'steps' is missing"),
        (
            "steps:\n- message: M1\n  text: a\n- checkpoint: C1\n  text: b\n  expectd: c",
            ":6: the key 'steps[1].expectd' is not known. Did you mean 'expected'?",
        ),
        ("steps:\n- message: M1\n  text: 5", ":3: 'steps[0].text' is 5, expected a text. Put quotes"),
        ("steps:\n- message: C1\n  text: a", ":2: 'steps[0].message' is 'C1', expected an id: M1"),
        ("steps:\n- message: M1\n  text: a\n  rule: facts", ":2: the message M1 has 'rule', which only"),
        (
            "intended_tokens: 4K\nsteps:\n- message: M1\n  text: a",
            ":1: 'intended_tokens' is '4K', expected a whole number. Write 4000",
        ),
    ],
)
def test_what_is_no_case_is_refused_with_its_line(tmp_path, text, told):
    assert refused(tmp_path, text).startswith(told)
