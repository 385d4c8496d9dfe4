import re
from dataclasses import replace

import pytest

from tellapart.errors import UsageError
from tellapart.longcontext.facts import facts_of, states
from tellapart.longcontext.generating import Design, conversation, conversations
from tellapart.longcontext.generating.latent import _PAIRS, MOST
from tellapart.offline.longcontext import NOTHING, everything, reply

DESIGN = Design((2000, 4000), latent=True, distractors=2, conversations=8)
SMALL_WORDS = {"a", "the", "is", "in", "of", "s"}


def words_of(text):
    return set(re.findall(r"[^\W_]+", text.casefold())) - SMALL_WORDS


def test_no_landmark_and_no_city_is_there_twice_or_names_the_other():
    landmarks, cities = zip(*_PAIRS, strict=True)
    assert len(set(landmarks)) == len(set(cities)) == len(_PAIRS) == MOST // 2
    assert not any(words_of(landmark) & words_of(city) for landmark, city in _PAIRS)


def test_a_question_shares_no_word_with_its_evidence_which_stands_once():
    for case in conversations(DESIGN):
        body = "\n".join(message.text for message in case.messages)
        for probe in case.probes:
            for evidence in probe.expected.evidence:
                assert not words_of(probe.text) & words_of(evidence)
                assert body.count(evidence) == 1
                (fact,) = facts_of(probe.expected.answer)
                assert states(evidence, fact)
                assert not states(body.replace(evidence, ""), fact)


def test_no_other_sentence_answers_a_question():
    landmark_of = {city: landmark for landmark, city in _PAIRS}
    for case in conversations(replace(DESIGN, traps=2)):
        body = "\n".join(message.text for message in case.messages)
        for probe in case.probes:
            city = re.search(r"in (.+)\?", probe.text)[1]
            assert body.count(landmark_of[city]) == len(probe.expected.evidence)


def test_questions_differ_within_a_length():
    for length in DESIGN.lengths:
        asked = [probe.text for n in range(8) for probe in conversation(DESIGN, length, n).probes]
        assert len(set(asked)) == len(asked) == 48


def test_more_questions_than_there_are_are_refused():
    assert conversation(replace(DESIGN, traps=0), 2000, MOST // 5 - 1)
    with pytest.raises(
        UsageError, match=f"--latent has {MOST} questions for a length and {len(_PAIRS)} cities"
    ):
        conversation(replace(DESIGN, traps=0), 2000, MOST // 5)
    with pytest.raises(UsageError, match="more are asked for. Ask for fewer --conversations"):
        conversation(replace(DESIGN, distractors=8), 16_000, 0)


def test_a_model_that_only_matches_words_finds_nothing():
    case = conversation(DESIGN, 2000, 0)
    turns = [("user", message.text) for message in case.messages]
    assert {reply([*turns, ("user", probe.text)], everything) for probe in case.probes} == {NOTHING}
