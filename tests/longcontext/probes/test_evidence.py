from pathlib import Path

import pytest

from tellapart.longcontext.case import Expected
from tellapart.longcontext.probes import Probe
from tellapart.longcontext.reading import read_answers, read_case
from tellapart.longcontext.transcript import PlayedCase, PlayedStep

FIXTURES = Path(__file__).parents[1] / "fixtures"
KEY = read_answers(FIXTURES / "answers.txt").by_id
ZHANG = "What was the exact total sample size in Study 1 (Zhang et al.)?"


def evidence_of(case, position, expected, rate):
    return Probe(case, position, case.steps[position], expected, rate).evidence


def said(*texts, reply="Noted."):
    """Messages M1, M2 …, each with a reply."""
    return [PlayedStep(f"M{n}", "message", None, text, reply) for n, text in enumerate(texts, 1)]


def asked(steps, question, expected=None, mode="Recall", system=None, rate=1.0, **values):
    expected = Expected("V1-1", **values) if values else expected
    probe = PlayedStep("V1-1", "verification", mode, question, "?")
    return evidence_of(PlayedCase("c", (*steps, probe), system), len(steps), expected, rate)


def planned(name):
    case = read_case(FIXTURES / f"{name}.txt")
    steps = (PlayedStep(s.id, s.type, s.failure_mode, s.text, "") for s in case.steps)
    return case, PlayedCase(name, tuple(steps), case.system)


NEAREST = {
    "V1-1": "M1", "V1-2": "M2", "V1-3": "M3", "V1-4": "system",
    "C2-1": "M1", "C2-2": "M3", "C2-3": "M1", "V2-1": "M6", "V2-2": "M5", "V2-3": "M4", "V2-4": "M1",
    "V2-5": "M1", "V2-6": "M9", "V2-7": "system",
    "C3-1": None, "C3-2": None, "C3-3": None, "C3-4": None, "C3-5": None, "C3-6": "M18", "C3-7": None,
    "V3-1": "M11", "V3-2": "M16", "V3-3": "M11", "V3-4": None, "V3-5": "M18", "V3-6": "system",
}  # fmt: skip
"""Read off the case files by hand; of the 25 entries of V3-3 that which is farthest."""


@pytest.mark.parametrize("name", ["case_1_short", "case_2_long", "case_3_overflow"])
def test_the_evidence_of_every_documented_probe(name):
    case, played = planned(name)
    found = {
        step.id: evidence_of(played, place, KEY[step.id], 0.25).nearest
        for place, step in enumerate(played.steps)
        if step.is_probe
    }
    assert found == {step.id: NEAREST[step.id] for step in case.probes}


def test_distance_and_depth_are_of_the_end_of_the_evidence():
    # system 10, M1 "aa 342 bbb" + 6, M2 20 + 6 letters: 342 ends 6 letters into M1
    steps = said("aa 342 bbb", "c" * 20)
    evidence = asked(steps, "How many?", answer="342", system="s" * 10)
    assert (evidence.nearest, evidence.distance_tokens) == ("M1", 4 + 6 + 26)
    assert evidence.depth == pytest.approx(16 / 52)
    assert asked(steps, "How many?", answer="342", rate=0.25).distance_tokens == 9


def test_of_evidence_in_several_places_the_latest_is_nearest():
    steps = said("Study 1. Zhang: 342 adults.", "Study 2. Li: 99.", "REPEAT: Study 1. Zhang: 342 adults.")
    evidence = asked(steps, ZHANG, answer="N=342.")
    assert (evidence.nearest, evidence.shown_in) == ("M3", ("M1", "M3"))
    assert evidence.distance_tokens < evidence.first_distance_tokens


def test_a_rule_of_words_is_in_the_system_prompt():
    evidence = asked(
        said("abc"), "Is it excellent?", mode="Attention Sink", system="Never say EXCELLENT", rate=1
    )
    assert (evidence.nearest, evidence.distance_tokens, evidence.depth) == ("system", 9, 19 / 28)
    assert asked(said("abc"), "Is it excellent?", mode="Attention Sink", system="Be brief").missing
    own = Expected("V1-1", banned="superb")
    assert asked(said("Never say superb"), "Superb?", own, mode="Attention Sink").nearest == "M1"


def test_questions_forks_failures_and_what_comes_later_are_no_evidence():
    text = "Study 1. Zhang: 342."
    probe = PlayedStep("C1-1", "checkpoint", "Recall", text, "ok")
    fork = PlayedStep("M1", "message", None, text, "ok", forked=True)
    failed = PlayedStep("M1", "message", None, text, None)
    for step in (probe, fork, failed):
        assert asked([*said("Study 2."), step], ZHANG, answer="N=342.").nearest is None
    later = PlayedStep("M9", "message", None, text, "ok")
    ask = PlayedStep("V1-1", "verification", "Recall", ZHANG, "?")
    case = PlayedCase("c", (*said("Study 2."), ask, later))
    assert evidence_of(case, 1, Expected("V1-1", answer="N=342."), 1).nearest is None


@pytest.mark.parametrize(
    ("message", "reply", "leaks"),
    [
        ("Study 1. Zhang: 342.", "There were 342 adults.", ("M1",)),
        ("Study 2. Li: 342.", "There were 342 adults.", ()),
        ("Study 2. Li: 99.", "Unlike the 342 of Zhang et al.", ("M1",)),
        ("Study 1. Zhang: 342.", "There were 1,342 adults.", ()),
        ("Study 1. Zhang: 342.", "Noted.", ()),
    ],
)
def test_a_reply_that_states_the_answer_leaks_it(message, reply, leaks):
    assert asked(said(message, reply=reply), ZHANG, answer="N=342.").leaks == leaks
    named = asked(said(message, reply=reply), ZHANG, answer="N=342.", evidence=("Zhang: 342",))
    assert named.leaks == leaks
