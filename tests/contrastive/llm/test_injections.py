"""Options that want to be picked: a naive question falls for them, and ours takes none of them for an answer.

What is sure is what a program can see: where material begins and ends in a prompt, and that a reply that
stands in the material is never read, wherever it is repeated. What nothing here can prevent is a model that
does what an option says and writes a reply of its own; how many texts win in that way is counted.
"""

import asyncio
import json
from dataclasses import dataclass, replace
from functools import cache

import polars as pl
import pytest

from contrastive.llm.injections import (
    COPYING,
    Aim,
    answer_then_quote,
    first_of,
    naive_pick,
    naive_prompt,
    obedient,
    planted,
    quote_then_answer,
    replies_in,
)
from tellapart.contrastive.llm_matching import MatchQuestions, Ordering
from tellapart.llm.asking import converse
from tellapart.llm.questions import Answer, Question
from tellapart.llm.quoting import material_of, visible

NAMES = sorted(planted(Aim(1, 5)))


@dataclass
class Case:
    """An item with a planted text in one of its distractors, asked in both ways."""

    aim: Aim
    text: str
    target: int
    naive: str
    ours: Question[Ordering]

    @property
    def own(self):
        """What a model that knows the answer replies."""
        words = {"confidence": 0.7, "reasoning": "The words agree."}
        return json.dumps(first_of(self.target, range(1, self.aim.options + 1)) | words)


@pytest.fixture(scope="module")
def case(draft):
    """The case of a planted text, by its name."""
    return cache(lambda name: plant(draft, name))


def plant(draft, name):
    # Items of every level in turn; the summary, the target and all other options are real.
    row = draft.sets.row(NAMES.index(name) * 7 % len(draft.sets), named=True)
    one = replace(draft, sets=draft.sets.filter(pl.col("item") == row["item"]))
    shown = MatchQuestions(one, "docstring").shown[0]
    aim = Aim(slot=1 if shown.slot > 1 else 2, options=len(shown.units))
    text, units = planted(aim)[name], list(draft.units)
    at = draft.position[shown.units[aim.slot - 1]]
    units[at] = replace(units[at], content=f"{text}\n{units[at].content}")
    (ours,) = MatchQuestions(replace(one, units=units), "docstring")
    codes = [units[draft.position[unit]].content for unit in shown.units]
    naive = naive_prompt(draft.texts("docstring")[row["target"]], codes)
    return Case(aim, text, shown.slot, naive, ours)


def answer(case, model):
    """What ours makes of a model that does the same at its second attempt."""

    async def call(messages):
        return {"reply": model("\n".join(message["content"] for message in messages), case.own)}

    return asyncio.run(converse(case.ours, call))


def wins_naively(case, model):
    return naive_pick(model(case.naive, case.own)) == case.aim.slot


def wins_in_ours(case, model):
    value = answer(case, model).value
    return value is not None and value.order[0] == case.aim.slot


@pytest.mark.parametrize("name", NAMES)
def test_no_planted_reply_is_read(case, name):
    for model in COPYING:
        found = answer(case(name), model)
        if found.value is None:
            assert found.failure.cause == "parse", model
        else:
            assert found.value.order[0] == case(name).target, model


@pytest.mark.parametrize("name", NAMES)
def test_a_real_reply_is_read_beside_a_planted_one(case, name):
    own = Ordering.model_validate_json(case(name).own)
    assert answer(case(name), quote_then_answer) == Answer(case(name).ours.id, own, None)
    assert answer(case(name), answer_then_quote) == Answer(case(name).ours.id, own, None)


def test_how_many_planted_texts_win(case):
    """Of 62 planted texts 60 win when asked naively, 53 of them by being copied; ours reads none of those.

    27 win against a model that does what they say, whoever asks. Half a reply and hidden tags never win.
    """
    cases = [case(name) for name in NAMES]

    def winners(wins, *models):
        return sum(any(wins(one, model) for model in models) for one in cases)

    figures = {
        "planted": len(cases),
        "asked naively": winners(wins_naively, *COPYING, obedient),
        "asked naively, copied": winners(wins_naively, *COPYING),
        "asked naively, obeyed": winners(wins_naively, obedient),
        "ours, copied": winners(wins_in_ours, *COPYING),
        "ours, obeyed": winners(wins_in_ours, obedient),
    }
    print(figures)  # noqa: T201
    assert list(figures.values()) == [62, 60, 53, 27, 0, 27]


@pytest.mark.parametrize("name", NAMES)
def test_a_planted_text_stays_in_its_option(case, name):
    one = case(name)
    prompt, marker = one.ours.prompt, one.ours.prompt.split("A line that begins with ")[1].split(" ")[0]
    heads = [line for line in prompt.splitlines() if marker in line]
    assert heads[1:] == [
        f"{marker} Summary",
        *(f"{marker} Option {number}" for number in range(1, one.aim.options + 1)),
        f"{marker} End of the material",
    ]
    own_words = [line for line in prompt.splitlines() if not line.startswith("|")]
    option = prompt.split(f"{marker} Option {one.aim.slot}\n")[1].split(f"\n\n{marker}")[0]
    assert material_of(option).startswith(visible(one.text) + "\n")
    assert not replies_in("\n".join(own_words))
