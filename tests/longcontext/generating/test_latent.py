import re

from tellapart.longcontext.facts import facts_of, states
from tellapart.longcontext.generating import Design, conversation, conversations
from tellapart.offline.longcontext import NOTHING, everything, reply

DESIGN = Design((2000, 4000), latent=True, distractors=2, conversations=8)
SMALL_WORDS = {"a", "the", "is", "in", "of", "s"}


def words_of(text):
    return set(re.findall(r"[^\W_]+", text.casefold())) - SMALL_WORDS


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


def test_a_model_that_only_matches_words_finds_nothing():
    case = conversation(DESIGN, 2000, 0)
    turns = [("user", message.text) for message in case.messages]
    assert {reply([*turns, ("user", probe.text)], everything) for probe in case.probes} == {NOTHING}
