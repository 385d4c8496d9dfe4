import pytest

from tellapart.longcontext.facts import facts_of, states
from tellapart.longcontext.facts.entries import references
from tellapart.longcontext.facts.numerals import numerals


def fact(text):
    return facts_of(text)[0]


@pytest.mark.parametrize(
    ("text", "normals"),
    [
        ("N=2,847 adults at 40mg/day", ["2847||1", "0.04|g|1/1000"]),
        ("18.7% (n=79), >3x, $4,230", ["18.7|%|1", "79||1", "3|x|1", "4230|$|1"]),
        ("from 16.4 to 21.7%", ["16.4|%|1", "21.7|%|1"]),
        ("Forty-eight adults, three hundred and forty-two", ["48||1", "342||1"]),
        ("p=3.2x10-9 and r = .67", ["0.0000000032||1", "0.67||1"]),
        ("rs78423156 on 6q14.1 in SLC22A1", ["rs78423156", "6q14.1", "slc22a1"]),
        ("using AAQoL, WHOQOL-BREF and PDQ-20", ["aaqol", "whoqolbref", "pdq20"]),
        ("TWO studies, Study 7 and Study 8", []),
        ("led by Van den Berg, H. and Dr. Ana Bergström", ["van den berg", "bergstrom"]),
        ("in Biology of Sex Differences", ["biology of sex differences"]),
        ("Atomoxetine was NOT compared.", []),
    ],
)
def test_facts(text, normals):
    assert [one.normal for one in facts_of(text)] == normals


@pytest.mark.parametrize(
    ("stated", "text", "whether"),
    [
        ("342", "a total of 342 adults", True),
        ("342", "1,342", False),
        ("342", "342.5", False),
        ("342", "342%", False),
        ("342.", "It was 342.", True),
        ("2,847", "2847", True),
        ("50.0%", "50 percent", True),
        ("37%", "37 adults", False),
        ("10", "ten", True),
        ("PDQ-20", "the PDQ 20", True),
        ("WCST", "wcst", False),
        ("SLC22A1", "SLC22A11", False),
        ("O'Sullivan et al.", "O’Sullivan found", True),
        ("Bergström, J.", "by Bergstrom", True),
        ("Webb, M.", "Webber", False),
    ],
)
def test_states(stated, text, whether):
    assert states(text, fact(stated)) is whether
    assert not states("", fact(stated))


def test_references_are_no_numbers():
    assert [n for n, _ in references("Studies 18-19 and Study 7, 312 of 445")] == [18, 19, 7]
    assert [one.value for one in numerals("Study 7, 312 of 445")] == ["312", "445"]


def test_lines_of_a_list_are_no_range_and_a_hyphen_ends_a_number():
    assert [(one.value, one.unit) for one in numerals("n=86\n- 40 mg: n=85")] == [
        ("86", ""),
        ("0.04", "g"),
        ("85", ""),
    ]
    assert [one.value for one in numerals("a 43-patient subsample")] == ["43"]
    assert numerals("5-HT") == ()
