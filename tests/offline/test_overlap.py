import json

import pytest

pytest.importorskip("inspect_ai")

from contrastive.fakes import make_benchmark, make_units
from tellapart.contrastive.llm_matching import Ordering, OrderPlan, match_questions
from tellapart.contrastive.llm_summaries import Described
from tellapart.llm.questions import Failure, Question
from tellapart.llm.replies import parse, repair_turns
from tellapart.offline import contrastive as offline
from tellapart.offline.contrastive import overlap

REPAIR = repair_turns("prose", Failure("parse", "not_json", "no JSON object"))[-1]["content"]


def test_options_are_in_the_order_of_the_words_that_they_share():
    texts = [("add_all_prices", "me", "add all prices")]
    units = make_units("add_all_prices", "add_all", "other")
    benchmark = make_benchmark(units, texts, [("easy", "add_all_prices", ["add_all", "other"])])
    (question,) = match_questions(benchmark, "me", OrderPlan())
    reply = parse(overlap(question.prompt), question)
    numbers = {
        name: question.prompt.index(f"def {name}()") for name in ("add_all_prices", "add_all", "other")
    }
    slots = sorted(numbers.values())
    assert reply.order == [slots.index(place) + 1 for place in numbers.values()]
    assert reply.confidence == 1.0


@pytest.mark.parametrize("prompt", [REPAIR, "", "Which of these?", "x Summary\n| text\n"])
def test_nothing_to_order_is_said_and_cannot_be_read(prompt):
    assert overlap(prompt) == "There is nothing to order."
    assert parse(overlap(prompt), Question("q", prompt, Ordering)).kind == "not_json"


@pytest.mark.parametrize("name", ["names", "first_line", "vague"])
@pytest.mark.parametrize("prompt", [REPAIR, "", "Describe this:\n|\n"])
def test_nothing_to_describe_is_said_and_cannot_be_read(name, prompt):
    said = getattr(offline, name)(prompt)
    assert said == "There is no code to describe."
    assert parse(said, Question("q", prompt, Described)).kind == "not_json"


def test_one_option_is_an_order_too():
    reply = json.loads(overlap("x Summary\n| a b\n\nx Option 1\n| b\n"))
    assert (reply["order"], reply["selected"], reply["confidence"]) == ([1], 1, 0.5)
