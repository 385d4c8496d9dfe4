from dataclasses import replace

from tellapart.longcontext.case import AnswerKey, Case, CaseStep, Entry, Expected, key_of, merged


def probe(id_, expected=None):
    return CaseStep(id_, "verification", "q", None, expected)


def case(name, *steps, **further):
    return Case(name, None, (CaseStep("M1", "message", "x"), *steps), **further)


ONE, TWO = Expected("V1", "1"), Expected("V1", "2")


def test_answers_beside_probes_are_those_of_their_case():
    cases = [
        case("a", probe("V1", ONE), probe("V2"), intended_tokens=2000, source="a.yaml"),
        case("b", probe("V1", TWO), probe("V3", Expected("V3", "3")), source="b.yaml"),
        case("c", probe("V3", Expected("V3", "3"))),
    ]
    key = key_of(cases)
    assert (key.expected("a", "V1"), key.expected("b", "V1")) == (ONE, TWO)
    # The V1 or V3 of another case may ask for anything.
    assert key.expected("other", "V1") is key.expected("other", "V3") is None
    assert (key.cases, key.source, key.notes) == ({"a": 2000}, "a.yaml, b.yaml", ())
    assert key_of([]) == AnswerKey({})


def test_a_file_fills_in_what_stands_open_beside_the_probe():
    entries = (Entry("Study 1", "Wu", None, 4),)
    beside = key_of(
        [
            case("a", probe("V1", Expected("V1", evidence=("e",), intended_tokens=9)), intended_tokens=7),
            case("b", probe("V2", Expected("V2", "mine", banned="superb"))),
        ]
    )
    file = AnswerKey(
        {
            "V1": Expected(
                "V1", "1", test="t", entries=entries, evidence=("f",), banned="no", intended_tokens=8
            ),
            "V2": Expected("V2", "other", banned="fine"),
            "V9": ONE,
        },
        ("line 1: x",),
        "key.txt",
        cases={"a": 1, "2": 3},
    )
    key = merged(beside, file)
    whole = Expected("V1", "1", test="t", entries=entries, evidence=("e",), banned="no", intended_tokens=9)
    assert key.expected("a", "V1") == whole
    assert key.expected("b", "V2") == Expected("V2", "mine", banned="superb")
    assert key.expected("other", "V1") == file.by_id["V1"]
    assert key.by_id["V9"] == ONE
    assert key.notes == (
        "line 1: x",
        "b/V2: the answer beside the probe is 'mine', that in key.txt is 'other'; the one beside the probe "
        "counts",
    )
    assert (key.source, key.cases) == ("key.txt", {"a": 7, "2": 3})
    assert merged(key_of([]), file) == file
    same = replace(beside, by_id=dict(beside.by_id))
    assert merged(same, AnswerKey({})) == beside
