"""What lint says of forty questions with keys, against labels that were written before it was run on them.

A question is labelled as one that rules cannot grade where it asks for a clause whose meaning can be said in
other words: why, how, on what condition, what something is like. At the first run 36 of 40 labels agreed, and
``key-beyond-question`` with 32 of 40 lists; three of each have led to corrections since, so
what is asserted is how lint does on keys that it has seen.
"""

from pathlib import Path

import pytest

from tellapart.longcontext.lint import lint
from tellapart.longcontext.reading.cases import read_case

CASE = read_case(Path(__file__).parent / "planted_keys.yaml")

# Questions that rules cannot grade.
NOT_BY_RULES = set(
    ["V4", "V6", "V11", "V17", "V18", "V21", "V22", "V23", "V24", "V27", "V29", "V30", "V34", "V35"]
)
# What a key says beyond its question.
BEYOND = {
    "V2": {"3.12"},
    "V7": {"Mrs Okafor", "17"},
    "V8": {"17"},
    "V10": {"Ines", "Bartek", "Yusuf", "Mr Lindqvist"},
    "V14": {"peanuts"},
    "V19": {"parish hall"},
    "V32": {"580 euros"},
}
# Where lint does not say so: label, and what it says instead.
GRADABLE_DIFFERS = {
    # "To have me in the office on Mondays": the weekday is compared, and what is to happen on it is not.
    "V22",
}
BEYOND_DIFFERS = {
    # A name without its title, and one that begins a list is no name to the rules.
    "V7": {"Okafor", "17"},
    "V10": {"Bartek", "Yusuf", "Lindqvist"},
    # Only facts are listed, and these are plain words.
    "V14": set(),
    "V19": set(),
    # "Which is higher?" names no kind of fact, so that all that stands in the key is asked for.
    "V32": set(),
}


@pytest.fixture(scope="module")
def findings():
    return lint([CASE])


def test_which_questions_rules_cannot_grade(findings):
    told = {one.step for one in findings if one.check == "gradable"}
    assert {one.severity for one in findings if one.check == "gradable"} == {"warning"}
    assert told ^ NOT_BY_RULES == GRADABLE_DIFFERS


def test_what_keys_say_beyond_their_questions(findings):
    told = {one.step: one.message for one in findings if one.check == "key-beyond-question"}
    expected = {step: facts for step, facts in (BEYOND | BEYOND_DIFFERS).items() if facts}
    assert told.keys() == expected.keys()
    for step, facts in expected.items():
        listed = told[step].removeprefix("the key also has ").partition(", which the question")[0]
        assert set(listed.replace(" and ", ", ").split(", ")) == facts, step
