"""CORRECT is sure: what stands at a right value and is not known to belong to it leaves the answer open."""

import pytest

from tellapart.longcontext.case import Expected
from tellapart.longcontext.probes import grade_by_rules
from tellapart.longcontext.transcript import PlayedStep

DRUG = "Which drug was given? (A) aspirin (B) ibuprofen (C) codeine"
DOGS = "The kennel has 9 dogs and 4 cats."
# By kind: question, key, what was said, more of the key; right answers; answers of which code cannot be sure.
KINDS = {
    "a unit that is not known": (
        ("How long is the timeout?", "30 s", None, {}),
        ("30 s", "30", "thirty seconds", "It is 30 in all."),
        ("30 ns", "30 μs", "30 us", "30 jiffies", "30 A", "30 fl oz"),
    ),
    "a currency that is not known": (
        ("What did the desk cost?", "$420", None, {}),
        ("$420", "US$420", "420 dollars", "We paid 420, including delivery."),
        ("NZ$420", "R$420", "₩420", "AED 420", "420 Kč", "420 (CAD)", "420 ₸", "kr 420"),
    ),
    "a sign at a bare number": (
        ("How many pages has it?", "88", None, {}),
        ("88", "**88**", "$88$", "88!", "• 88"),
        ("$88", "88°", "88×", "√88", "88 °C"),
    ),
    "another noun than the key's": (
        ("How many dogs are in the kennel?", "9 dogs", DOGS, {}),
        ("9", "nine dogs", "9 big dogs", "9 in the kennel"),
        ("9 cats", "9 kennels", "9 pairs of dogs", "9 owners"),
    ),
    "percentage points": (
        ("By how much did it rise?", "4 percentage points", None, {}),
        ("4 percentage points", "4 points"),
        ("4 %", "four percent"),
    ),
    "percent": (
        ("What share passed?", "4 %", None, {}),
        ("4 %", "four percent", "400 basis points"),
        ("4 percentage points", "1/25"),
    ),
    "a letter that is not plainly chosen": (
        (DRUG, "B", None, {}),
        ("b)", "(B) ibuprofen", "The answer is B.", "I'd go with option B.", "B is correct."),
        ("B) aspirin", "It's B, codeine.", "I would eliminate B.", "B is out.", "B is ruled out.", "Plan B"),
    ),
    "letter case": (
        ("What is the password?", "Tulip77x", None, {}),
        ("Tulip77x", "It is `Tulip77x`."),
        ("tulip77x", "TULIP77X"),
    ),
    "letter case of a path": (
        ("Which file?", "lib/Utils.py", None, {}),
        ("lib/Utils.py",),
        ("lib/utils.py", "LIB/UTILS.PY"),
    ),
    "a code in capitals": (("Which order?", "ZK-4402-Q", None, {}), ("zk4402q", "ZK 4402 Q"), ()),
    "a flag is no letter": (("Which flag?", "-v", None, {}), (), ("-V", "V")),
    "a version with an operator": (
        ("Which version is used?", "3.4.1", None, {}),
        ("v3.4.1", "3.4.1 is used"),
        ("^3.4.1", "~3.4.1", "3.4.1 beta"),
    ),
    "an answer after a refusal": (
        ("What colour was the car?", "never said", "The bike was blue.", {"rule": "abstention"}),
        ("You never told me.", "Sorry, I don't have that information.", "Das wurde nicht erwähnt."),
        ("You never said; red.", "I don't know, but it was red.", "Das weiß ich nicht, vermutlich rot."),
    ),
    "exact with signs": (("What?", "a=b", None, {"exact": True}), ("a=b", "A = B.", "**a=b**!"), ("a≠b",)),
    "exact with accents": (("Who?", "Müller", None, {"exact": True}), ("müller",), ("Muller",)),
    "exact with brackets": (("Where?", "(0, 1]", None, {"exact": True}), ("(0, 1]",), ("[0, 1)", "0, 1")),
    "what is only supposed": (
        ("How many chairs has the hall?", "40", None, {}),
        ("I would say 40.",),
        ("It would have been 40", "Hypothetically 40", "I made that up, but 40", "40 is too many", "40 vs 5"),
    ),
    "seconds": (("When does it begin?", "20:10", None, {}), ("20:10:00", "8:10 pm"), ("20:10:45",)),
    "a loss": (
        ("What was the result?", "-3 million dollars", None, {}),
        ("3 million in the red", "-$3 million"),
        ("($3 million)",),
    ),
    "a day before its month": (("When?", "7 June 2024", None, {}), ("7 June 2024",), ("7. June 2024",)),
    "slashes": (("Which file?", r"D:\data\x.csv", None, {}), (r"D:\data\x.csv",), ("D:/data/x.csv",)),
}


def graded(asked, response):
    question, key, said, more = asked
    step = PlayedStep("V1", "verification", "Recall", question, response)
    return grade_by_rules(step, Expected("V1", key, **more), (said or f"For the record: {key}.",)).category


@pytest.mark.parametrize("kind", KINDS)
def test_code_is_sure_or_does_not_tell(kind):
    asked, right, unsure = KINDS[kind]
    assert {response: graded(asked, response) for response in right} == dict.fromkeys(right, "CORRECT")
    assert {response: graded(asked, response) for response in unsure} == dict.fromkeys(unsure, "EVAL_ERROR")


@pytest.mark.parametrize(
    ("key", "right", "other"),
    [
        ("+1 555 010 9999", ("(555) 010-9999", "+1 555 010 9999"), ("+44 555 010 9999", "+49 555 010 9999")),
        ("+44 20 7946 0958", ("020 7946 0958",), ("+1 20 7946 0958", "030 7946 0958")),
        ("030 1234567", ("030/1234567", "+49 30 1234567"), ("040 1234567",)),
    ],
)
def test_a_telephone_number_of_another_country_or_city_is_another_one(key, right, other):
    asked = ("What is her phone number?", key, None, {})
    assert {graded(asked, response) for response in right} == {"CORRECT"}
    assert {graded(asked, response) for response in other} == {"HALLUCINATED"}
