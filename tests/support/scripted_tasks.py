"""A script that does generated tasks, all of them or all but one.

It reads the sentences that ``longcontext generate`` writes, wherever in the conversation those stand, and has
no other knowledge of the answers. What it fails it gets wrong as language models do: one value instead of
all, a chain of variables that is not followed, the earlier of two statements.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from functools import cache

from tellapart.longcontext.generating import tasks, word_lists
from tellapart.longcontext.generating.tasks import NEEDLES
from tellapart.offline.longcontext import NOTHING, READ, everything, reply
from tellapart.offline.responders import Turns

Answer = Callable[[str, re.Match[str], bool], str]
"""From all messages, a question and whether to get it wrong, to an answer."""


@cache
def _form(template: str) -> re.Pattern[str]:
    """What reads the sentences of a template, with a group for each field."""
    parts = re.split(r"\{(\w+)\}", template)
    return re.compile(
        "".join(
            rf"(?P<{part}>[^\s.?!][^.?!\n]*?)" if i % 2 else re.escape(part) for i, part in enumerate(parts)
        )
    )


def _all(template: str, text: str, **fields: str) -> list[re.Match[str]]:
    """The sentences of a template that have these fields, in order."""
    matches = _form(template).finditer(text)
    return [match for match in matches if all(match[name] == value for name, value in fields.items())]


def _value(text: str, question: re.Match[str], wrong: bool) -> str:
    """The value of the key, or that of another one."""
    stated = _all(tasks.DEPOSIT, text)
    right = next((statement["value"] for statement in stated if statement["key"] == question["key"]), NOTHING)
    other = next((statement["value"] for statement in stated if statement["key"] != question["key"]), NOTHING)
    return other if wrong else right


def _values(text: str, question: re.Match[str], wrong: bool) -> str:
    """All values of the key, or the last alone."""
    values = [statement["value"] for statement in _all(tasks.ONE_DEPOSIT, text, key=question["key"])]
    return _listed(values[-1:] if wrong else values)


def _values_of_keys(text: str, question: re.Match[str], wrong: bool) -> str:
    """The values of all keys, or of the first alone."""
    by_key = {statement["key"]: statement["value"] for statement in _all(tasks.DEPOSIT, text)}
    keys = re.split(r", | and ", question["keys"])
    return _listed([by_key[key] for key in keys[: 1 if wrong else None] if key in by_key])


def _variables(text: str, question: re.Match[str], wrong: bool) -> str:
    """The variables of the chain, or the one that is set to the value itself."""
    names = [statement["name"] for statement in _all(tasks.SET, text, value=question["value"])]
    copies = {statement["source"]: statement["name"] for statement in _all(tasks.COPIED, text)}
    while not wrong and names and names[-1] in copies:
        names.append(copies[names[-1]])
    return _listed(names)


def _common(text: str, question: re.Match[str], wrong: bool) -> str:
    """The words that are most frequent, or the ten least frequent ones."""
    counts = Counter(re.findall(r"(?<!\d)\d+\. ([a-z-]+)", text)).most_common()
    chosen = counts[-word_lists.COMMON :] if wrong else counts[: word_lists.COMMON]
    return _listed([word for word, _ in chosen])


def _frequent(text: str, question: re.Match[str], wrong: bool) -> str:
    """The coded words that are most frequent, or those that come next."""
    counts = Counter(re.findall(r"(?<=\s)[a-z]{6}(?=\s|$)", text)).most_common()
    start = word_lists.FREQUENT if wrong else 0
    return _listed([word for word, _ in counts[start : start + word_lists.FREQUENT]])


def _later(statement: str) -> Answer:
    def answer(text: str, question: re.Match[str], wrong: bool) -> str:
        """What the later statement says, or the earlier one."""
        values = [said["v"] for said in _all(statement, text, e=question["what"])]
        return _listed(values[:1] if wrong else values[-1:])

    return answer


def _before(text: str, question: re.Match[str], wrong: bool) -> str:
    """How many events were told before one, or one more."""
    named = re.split(r", | and ", question["names"])
    told = [event["e"] for event in _all(tasks.STORM, text) if event["e"] in named]
    return str(told.index(question["e"]) + wrong) if question["e"] in told else NOTHING


def _brought(text: str, question: re.Match[str], wrong: bool) -> str:
    """How many entries of a ware there are, or one fewer."""
    fields = {"ware": question["ware"], "e": question["e"]}
    return str(len(_all(tasks.BROUGHT, text, **fields)) - wrong)


def _listed(values: list[str]) -> str:
    return f"{', '.join(values)}." if values else NOTHING


_QUESTIONS: tuple[tuple[str, str, Answer], ...] = (
    ("multi-key", tasks.DEPOSIT_ASKED, _value),
    ("multi-value", tasks.ALL_OF_KEY, _values),
    ("multi-query", tasks.ALL_KEYS, _values_of_keys),
    ("variables", tasks.HOLDING, _variables),
    ("common-words", word_lists.COMMON_ASKED, _common),
    ("frequent-words", word_lists.FREQUENT_ASKED, _frequent),
    *(
        ("contradiction", tasks.WHICH_LATER.replace("{what}", what.replace("{e}", "{what}")), _later(said))
        for said, what in tasks.CONTRADICTED
    ),
    ("event-order", tasks.BEFORE, _before),
    ("distribution", tasks.HOW_MANY, _brought),
)
"""Task, its question, and who answers it."""


def answer_tasks(turns: Turns, failing: str | None = None) -> str:
    """Answer the question that the last message ends with, from all that the user said before it.

    Questions of the task that it is ``failing`` get a wrong answer.
    """
    before, _, question = turns[-1][1].strip().rpartition("\n")
    if not question.endswith("?"):
        return READ
    text = "\n".join([*(text for role, text in turns[:-1] if role == "user"), before])
    for task, template, answer in _QUESTIONS:
        match = _form(template).fullmatch(question.removeprefix("Question: "))
        if match:
            return answer(text, match, task == failing)
    return NOTHING if failing == NEEDLES else reply(turns, everything)
