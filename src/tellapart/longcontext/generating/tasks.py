"""What a conversation can ask for whose facts stand in filler: a function a task; and made-up words.

Source:
    Hsieh et al. 2024, "RULER: What's the Real Context Size of Your Long-Context Language Models?", section 3,
    for ``multi-key``, ``multi-value``, ``multi-query`` and ``variables``. Deviations: the sentences are
    others, keys are made-up names, there is no worked example before the text, a question about variables
    does not say how many there are, and a conversation has a question for each depth, with the keys or the
    chains of all of them.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from itertools import pairwise
from typing import Any

import numpy as np

from tellapart.longcontext.design import Design
from tellapart.report.numbers import listed

_ONSETS = "b br d dr f g gr h k kl l m n p pl r s t tr v z".split()  # noqa: SIM905
_VOWELS = "aeiou"
_CODAS = ("", "n", "r", "l", "th", "x", "sk")
_OF_FORM = {"A": "BCDFGHJKLMNPQRSTVWXZ", "0": "23456789"}


def data_of(name: str) -> dict[str, Any]:
    """Read a file of words or sentences of this package."""
    return tomllib.loads(files(__package__).joinpath(name).read_text(encoding="utf-8"))


class Unused:
    """Names and values of one conversation."""

    def __init__(self, rng: np.random.Generator) -> None:
        """Begin with none used."""
        self._rng = rng
        self._used: set[str] = set()

    def value(self, form: str, *arguments: Any) -> str:
        """Draw a value of a form, such as ``"identifier", "AA0000"``."""
        value: str = getattr(self, form)(*arguments)
        return value

    def name(self) -> str:
        """Make up a word with a capital, such as ``Drovaken``."""
        return self._new(self._word)

    def person(self) -> str:
        """Make up a first name and a surname."""
        return self._new(lambda: f"{self._word()} {self._word()}")

    def number(self, low: int, high: int) -> str:
        """Draw a whole number below ``high``, with a comma between thousands."""
        return self._new(lambda: f"{int(self._rng.integers(low, high)):,}")

    def identifier(self, form: str) -> str:
        """Draw letters for ``A`` and digits from 2 to 9 for ``0``, as in ``AA0000``."""
        return self._new(lambda: "".join(self._one(_OF_FORM[kind]) for kind in form))

    def similar(self, name: str) -> str:
        """Make up a name that differs in one vowel."""
        places = [i for i, letter in enumerate(name) if i and letter in _VOWELS]

        def changed() -> str:
            at = places[int(self._rng.integers(len(places)))]
            return f"{name[:at]}{self._one(_VOWELS)}{name[at + 1 :]}"

        return self._new(changed)

    def _new(self, draw: Callable[[], str]) -> str:
        while (word := draw()).casefold() in self._used:
            pass
        self._used.add(word.casefold())
        return word

    def _word(self) -> str:
        parts = [f"{self._one(_ONSETS)}{self._one(_VOWELS)}" for _ in range(3)]
        return "".join(parts).capitalize() + self._one(_CODAS)

    def _one(self, choices: Sequence[str]) -> str:
        return choices[int(self._rng.integers(len(choices)))]


_FILLER = data_of("filler.toml")

NOUNS: list[str] = _FILLER["nouns"].split()

_LISTS: dict[str, Sequence[str]] = {
    **dict.fromkeys("nmo", NOUNS),
    **dict.fromkeys("pq", _FILLER["people"].split()),
    **dict.fromkeys("vw", _FILLER["verbs"].split()),
    **dict.fromkeys("ab", _FILLER["adjectives"].split()),
    **dict.fromkeys("de", _FILLER["adverbs"].split()),
    "t": _FILLER["times"],
    "l": _FILLER["links"],
}


def filler(rng: np.random.Generator) -> Iterator[str]:
    """Make up sentences, without end; the same generator gives the same ones."""
    forms: list[str] = _FILLER["forms"]
    while True:
        chosen_forms = rng.integers(0, len(forms), 256)
        picks = rng.random((256, len(_LISTS)))
        for form, row in zip(chosen_forms, picks, strict=True):
            drawn = zip(_LISTS.items(), row, strict=True)
            text = forms[form].format(
                **{key: words[int(share * len(words))] for (key, words), share in drawn}
            )
            yield f"{text[0].upper()}{text[1:]}."


@dataclass(frozen=True)
class Placed:
    """A sentence and how far into the text it is to stand, from 0 to 1."""

    depth: float
    sentence: str


@dataclass(frozen=True)
class TaskQuestion:
    """A question of a task; ``placed`` are all sentences that stand in the text for it, evidence or not."""

    text: str
    answer: str
    mode: str
    rule: str
    evidence: tuple[str, ...]
    placed: tuple[Placed, ...] = ()
    early: str | None = None


@dataclass(frozen=True)
class Draft:
    """What the questions of one conversation are made from; ``number`` is which conversation it is."""

    design: Design
    number: int
    rng: np.random.Generator
    unused: Unused

    def after(self, depth: float, sentences: Sequence[str]) -> tuple[Placed, ...]:
        """Place the first of some sentences at a depth, the others in order behind it."""
        depths = depth + (1 - depth) * self.rng.random(len(sentences) - 1)
        return tuple(map(Placed, [depth, *sorted(depths.tolist())], sentences))

    def anywhere(self, sentence: str) -> Placed:
        """Place a sentence at a depth that is drawn."""
        return Placed(float(self.rng.random()), sentence)

    def shuffled(self, names: Sequence[str]) -> list[str]:
        """Put names in an order that is drawn."""
        return [names[i] for i in self.rng.permutation(len(names)).tolist()]


NEVER = "The text does not say."

_NEEDLES: list[dict[str, Any]] = data_of("needles.toml")["kinds"]
"""What facts are about; the facts of a conversation take turns."""


def _needles(draft: Draft) -> list[TaskQuestion]:
    """Ask for single facts, each at its depth among its distractors, and for things that were never said."""
    depths = sorted(draft.design.depths)
    # The names and values of all are drawn first, then the depths.
    facts = [_fact(draft, i) for i, _ in enumerate(depths)]
    traps = [_trap(draft, i) for i in range(draft.design.traps)]
    placed = [
        replace(fact, placed=(Placed(depth, fact.evidence[0]), *map(draft.anywhere, alike)))
        for depth, (fact, alike) in zip(depths, facts, strict=True)
    ]
    return placed + [replace(trap, placed=tuple(map(draft.anywhere, said))) for trap, said in traps]


def _fact(draft: Draft, index: int) -> tuple[TaskQuestion, list[str]]:
    """A question on a fact, and sentences that look like the fact and do not answer."""
    kind, (sentence, question, answer), other = _attributes(draft, index)
    unused = draft.unused
    entity, value = unused.name(), unused.value(*kind["value"])
    alike = []
    for turn in range(draft.design.distractors):
        form, about = other[0], entity
        if turn != 1:
            form, about = sentence, unused.name() if turn % 3 == 2 else unused.similar(entity)
        alike.append(form.format(e=about, v=unused.value(*kind["value"])))
    answer, stated = answer.format(v=value), sentence.format(e=entity, v=value)
    # A made-up name has no other form; code compares numbers and dates in whatever form they have.
    rule = "facts" if re.search(r"\d", answer) else "match"
    mode = f"Needle recall - {kind['name']}"
    return TaskQuestion(question.format(e=entity), answer, mode, rule, (stated,)), alike


def _trap(draft: Draft, index: int) -> tuple[TaskQuestion, list[str]]:
    """A question on a thing of which something else is said, and what is said."""
    kind, (sentence, question, _), other = _attributes(draft, index)
    unused = draft.unused
    entity = unused.name()
    said = [other[0].format(e=entity, v=unused.value(*kind["value"]))]
    if draft.design.distractors:
        # One that differs in a letter has an answer, so that who confuses the two is caught.
        said.append(sentence.format(e=unused.similar(entity), v=unused.value(*kind["value"])))
    mode = f"Never stated - {kind['name']}"
    return TaskQuestion(question.format(e=entity), NEVER, mode, "abstention", ()), said


def _attributes(draft: Draft, index: int) -> tuple[dict[str, Any], list[str], list[str]]:
    """The kind whose turn it is, with the attribute that is asked for and the other one."""
    kind, first = _NEEDLES[(index + draft.number) % len(_NEEDLES)], int(draft.rng.integers(2))
    return kind, kind["attributes"][first], kind["attributes"][1 - first]


KEYS = VALUES = QUERIES = 4
"""Keys in the text for each question, values of a key, keys that are asked for at once: as published."""

DEPOSIT = "The deposit number of {key} is {value}."
ONE_DEPOSIT = "One deposit number of {key} is {value}."
DEPOSIT_ASKED = "What is the deposit number of {key}?"
ALL_OF_KEY = "What are all the deposit numbers of {key}?"
ALL_KEYS = "What are the deposit numbers of {keys}?"


def _multi_key(draft: Draft, depth: float, _: int) -> TaskQuestion:
    """Ask for the value of one key out of several; its sentence stands at the depth, the others anywhere."""
    unused = draft.unused
    key, value = unused.name(), unused.identifier("0000000")
    stated = DEPOSIT.format(key=key, value=value)
    others = [
        draft.anywhere(DEPOSIT.format(key=unused.name(), value=unused.identifier("0000000")))
        for _ in range(KEYS - 1)
    ]
    placed = (Placed(depth, stated), *others)
    question = DEPOSIT_ASKED.format(key=key)
    return TaskQuestion(question, value, "Multi-key needles", "match", (stated,), placed)


def _multi_value(draft: Draft, depth: float, _: int) -> TaskQuestion:
    """Ask for all values of one key; the first stands at the depth, the others anywhere behind it."""
    key = draft.unused.name()
    values = [draft.unused.identifier("0000000") for _ in range(VALUES)]
    stated = [ONE_DEPOSIT.format(key=key, value=value) for value in values]
    return _all_of(draft, depth, ALL_OF_KEY.format(key=key), values, stated, "Multi-value needles")


def _multi_query(draft: Draft, depth: float, _: int) -> TaskQuestion:
    """Ask for the values of several keys at once; the first stands at the depth, the others behind it."""
    keys = [draft.unused.name() for _ in range(QUERIES)]
    values = {key: draft.unused.identifier("0000000") for key in keys}
    stated = [DEPOSIT.format(key=key, value=value) for key, value in values.items()]
    names = draft.shuffled(keys)
    question, right = ALL_KEYS.format(keys=listed(names)), [values[name] for name in names]
    return _all_of(draft, depth, question, right, stated, "Multi-query needles")


def _all_of(
    draft: Draft, depth: float, question: str, right: Sequence[str], stated: Sequence[str], mode: str
) -> TaskQuestion:
    """Ask for several strings, whose sentences stand in order from a depth on."""
    return TaskQuestion(question, ", ".join(right), mode, "match", tuple(stated), draft.after(depth, stated))


HOPS = 4
"""Assignments of a chain after the first, as published; a chain has one variable more."""

SET = "The variable {name} is set to {value}."
COPIED = "The variable {name} is set to the value of {source}."
HOLDING = "Which variables hold the value {value}, directly or through other variables?"


def _variables(draft: Draft, depth: float, _: int) -> TaskQuestion:
    """Ask for all variables of a chain; it begins at the depth and goes on in order anywhere behind it."""
    value = draft.unused.identifier("00000")
    names = [draft.unused.identifier("AAAAA") for _ in range(HOPS + 1)]
    copies = (COPIED.format(name=name, source=source) for source, name in pairwise(names))
    stated = [SET.format(name=names[0], value=value), *copies]
    return _all_of(draft, depth, HOLDING.format(value=value), names, stated, "Variable tracking")


CONTRADICTED = (
    ("The toll of the {e} bridge is {v} crowns.", "the toll of the {e} bridge"),
    ("The {e} choir has {v} singers.", "the size of the {e} choir"),
)
WHICH_LATER = "Two statements on {what} contradict each other. Which number does the later one give?"


def _contradiction(draft: Draft, depth: float, index: int) -> TaskQuestion:
    """Ask for the later of two statements without a word of correction; it stands at the depth."""
    statement, what = CONTRADICTED[(index + draft.number) % len(CONTRADICTED)]
    entity = draft.unused.name()
    early, late = (draft.unused.number(100, 1_000) for _ in range(2))
    stated = tuple(statement.format(e=entity, v=value) for value in (early, late))
    placed = (Placed(depth * float(draft.rng.random()), stated[0]), Placed(depth, stated[1]))
    question = WHICH_LATER.format(what=what.format(e=entity))
    return TaskQuestion(question, late, "Contradiction", "updated", stated, placed, early)


STORM = "A storm struck {e}."
BEFORE = "Of the storms at {names}, how many were reported before that at {e}?"
_STORMS = 4


def _event_order(draft: Draft, depth: float, _: int) -> TaskQuestion:
    """Ask for the order in which events were told; the first stands at the depth, the others behind it."""
    places = [draft.unused.name() for _ in range(_STORMS)]
    names = listed(draft.shuffled(places))
    stated = tuple(STORM.format(e=place) for place in places)
    before = int(draft.rng.integers(1, _STORMS))
    text = BEFORE.format(names=names, e=places[before])
    return TaskQuestion(text, str(before), "Event order", "count", stated, draft.after(depth, stated))


_WARES = ("salt", "wool", "iron", "timber")
BROUGHT = "The carrier {v} brought {ware} to {e}."
HOW_MANY = "How many carriers brought {ware} to {e}?"
_FEWEST_BROUGHT, _MOST_BROUGHT = 3, 8


def _distribution(draft: Draft) -> list[TaskQuestion]:
    """Ask about all entries at once; they stand anywhere, so that no part of the text has the answer."""
    town = draft.unused.name()
    counts = {ware: int(draft.rng.integers(_FEWEST_BROUGHT, _MOST_BROUGHT + 1)) for ware in _WARES}
    questions = []
    for ware, count in counts.items():
        stated = tuple(BROUGHT.format(v=draft.unused.name(), ware=ware, e=town) for _ in range(count))
        text, placed = HOW_MANY.format(ware=ware, e=town), tuple(map(draft.anywhere, stated))
        questions.append(TaskQuestion(text, str(count), "Distribution - number", "count", stated, placed))
    return questions


Task = Callable[[Draft], list[TaskQuestion]]
"""From what a conversation is made from to its questions; their order does not matter."""


def _at_each_depth(question: Callable[[Draft, float, int], TaskQuestion]) -> Task:
    """Ask a question of each depth of the design; it is given which of the conversation it is."""
    return lambda draft: [question(draft, depth, i) for i, depth in enumerate(sorted(draft.design.depths))]


NEEDLES = "needles"

TASKS: Mapping[str, Task] = {
    NEEDLES: _needles,
    "multi-key": _at_each_depth(_multi_key),
    "multi-value": _at_each_depth(_multi_value),
    "multi-query": _at_each_depth(_multi_query),
    "variables": _at_each_depth(_variables),
    "contradiction": _at_each_depth(_contradiction),
    "event-order": _at_each_depth(_event_order),
    "distribution": _distribution,
}
