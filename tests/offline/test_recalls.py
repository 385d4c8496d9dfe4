import pytest

from tellapart.longcontext.generating import Design, conversation
from tellapart.offline.longcontext import (
    NOTHING,
    READ,
    ends,
    everything,
    guesses_16k,
    latest,
    recalls,
    recalls_16k,
    recalls_ends,
    reply,
)

KEEPER = "The keeper of the Brovik lighthouse is Alda Menur."
STORY = [
    ("system", "Answer from the text."),
    ("user", f"Rain fell. {KEEPER} The granary of Tosk stores 4,120 barrels.\nDr. Ulm left."),
    ("assistant", "Read."),
]


def asked(case, probe):
    turns = [("system", case.system)]
    for message in case.messages:
        turns += [("user", message.text), ("assistant", READ)]
    return [*turns, ("user", probe.text)]


def answers(model, length, **settings):
    """What it says on every fact by its depth in percent, and on traps."""
    case = conversation(Design((length,), distractors=3, **settings), length, 0)
    body = "\n".join(message.text for message in case.messages)
    found = {}
    for probe in case.probes:
        said = model(asked(case, probe))
        said = said if isinstance(said, str) else said.completion
        evidence = probe.expected.evidence
        place = 5 * round(20 * body.index(evidence[0]) / len(body)) if evidence else "trap"
        found[place] = "right" if evidence == (said,) else "none" if said == NOTHING else "wrong"
    return found


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Who is the keeper of the Brovik lighthouse?", KEEPER),
        ("How many barrels does the granary of Tosk store?", "The granary of Tosk stores 4,120 barrels."),
        ("Who is the architect of the Brovik lighthouse?", NOTHING),
        ("Who is the keeper of the Brovak lighthouse?", NOTHING),
        ("Who keeps the Broviks lighthouse?", NOTHING),
        ("Go on.", READ),
        ("More text.\n\nQuestion: Who is the keeper of the Brovik lighthouse?", KEEPER),
    ],
)
def test_a_question_is_answered_by_the_sentence_that_has_its_words(question, said):
    assert reply([*STORY, ("user", question)], everything) == said


def test_a_question_of_common_words_alone_has_no_answer():
    assert reply([*STORY, ("user", "And what is it?")], everything) == NOTHING
    assert reply([("user", "Who is the keeper of the Brovik lighthouse?")], everything) == NOTHING


def test_a_question_that_was_asked_before_is_no_answer_and_the_latest_word_counts():
    question = ("user", "Who is the keeper of the Brovik lighthouse?")
    again = [*STORY, question, ("assistant", NOTHING)]
    assert reply([*again, question], everything) == KEEPER
    later = ("user", "The keeper of the Brovik lighthouse is now Ono Pell.")
    assert reply([*again, later, ("assistant", READ), question], everything) == later[1]


def test_evidence_and_question_may_be_one_turn():
    asked = f"{KEEPER}\n\nWho is the keeper of the Brovik lighthouse?"
    assert reply([("user", asked)], everything) == KEEPER


def test_what_a_model_looks_at():
    text = "a" * 65_536 + "b" * 30_000
    assert everything(text) == text
    assert latest(text) == text[-65_536:]
    assert ends(text) == f"{text[:19_107]}\n{text[-19_107:]}"
    assert ends(text[:16_384]) == text[:16_384]


ALL = {0: "right", 25: "right", 50: "right", 75: "right", 100: "right"}


def test_one_that_remembers_everything():
    assert answers(recalls, 32_000) == ALL | {"trap": "none"}


def test_one_that_forgets_what_is_far_back():
    assert answers(recalls_16k, 16_000) == ALL | {"trap": "none"}
    assert answers(recalls_16k, 32_000) == ALL | {0: "none", 25: "none", "trap": "none"}
    assert answers(recalls_16k, 128_000) == dict.fromkeys((0, 25, 50, 75), "none") | {
        100: "right",
        "trap": "none",
    }


def test_one_that_forgets_the_middle():
    assert answers(recalls_ends, 4000) == ALL | {"trap": "none"}
    forgets = dict.fromkeys((25, 50, 75), "none")
    assert answers(recalls_ends, 8000) == {0: "right", 100: "right", "trap": "none"} | forgets
    assert answers(recalls_ends, 64_000) == answers(recalls_ends, 8000)


def test_one_that_guesses_is_wrong_where_the_other_says_nothing():
    assert answers(guesses_16k, 16_000) == ALL | {"trap": "wrong"}
    assert answers(guesses_16k, 32_000) == ALL | {0: "wrong", 25: "wrong", "trap": "wrong"}
