from tellapart.longcontext.case import AnswerKey, Case, CaseStep, Expected, key_of


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


def test_a_file_answers_what_has_nothing_beside_it_and_a_note_reports_the_rest():
    cases = [
        case("a", probe("V1", Expected("V1", evidence=("e",))), intended_tokens=7),
        case("b", probe("V2", Expected("V2", "mine", banned="superb"))),
    ]
    file = AnswerKey({"V1": ONE, "V2": TWO}, ("line 1: x",), "key.txt", cases={"a": 1, "2": 3})
    key = key_of(cases, file)
    assert key.expected("a", "V1") == Expected("V1", evidence=("e",))
    assert key.expected("b", "v2") == Expected("V2", "mine", banned="superb")
    assert key.expected("other", "v1") == ONE
    assert key.notes == (
        "line 1: x",
        "a/V1: what stands beside the probe counts, and the answer in key.txt, '1', does not",
        "b/V2: what stands beside the probe counts, and the answer in key.txt, '2', does not",
    )
    assert (key.source, key.cases) == ("key.txt", {"a": 7, "2": 3})
