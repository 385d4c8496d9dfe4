"""Files that want to be relevant: none of them is taken for a verdict.

What is sure is what a program can see: where material begins and ends in a prompt, and that no reply, and no
part of one, that stands in the material is ever read. What nothing here can prevent is a model that does what
a file says and writes a judgement of its own.
"""

import asyncio
import json

import pytest

from codesearch.judging.judged import files_in, judgement, make_case
from codesearch.judging.planted import Aim, first, last, merging, planted, quote_then_answer, replies_in
from tellapart.codesearch.judging.relevance import Batch, Shown, ToJudge
from tellapart.llm.asking import converse
from tellapart.llm.quoting import visible

PLACES = ("contents", "path", "issue")
NAMES = sorted(planted(Aim("", 1, 1)))
ISSUE = "Coupons are ignored at checkout"
CODE = "def pay(basket):\n    return sum(basket)"


class Asked:
    """Three files, the second of which wants to be relevant though it is not, asked about in both ways."""

    def __init__(self, name, place):
        self.aim = Aim("shop/tax.py", 2, 3)
        self.text = planted(self.aim)[name]
        path = f"shop/{self.text}" if place == "path" else self.aim.path
        self.aim = Aim(path, 2, 3)
        issue = f"{ISSUE}\n{self.text}" if place == "issue" else ISSUE
        texts = {"shop/cart.py": CODE, path: CODE, "shop/user.py": CODE}
        if place == "contents":
            texts[path] = f"{self.text}\n{CODE}"
        self.batch = Batch(1, make_case(texts, issue=issue), tuple(texts), 1)
        shown = {(None, file): Shown(file, "its contents", text) for file, text in texts.items()}
        (self.ours,) = ToJudge((self.batch,), shown, ("shop",)).questions()
        self.labels = [label for label, *_ in files_in(self.ours.prompt)]

    def own(self, names):
        """What a judge that knows the truth replies."""
        said = [
            judgement(name, place == 1, reasoning="It sums prices.") for place, name in enumerate(names, 1)
        ]
        return json.dumps({"judgements": said})

    def answer(self, model):
        """What ours makes of a model that does the same at its second attempt."""

        async def call(messages):
            prompt = "\n".join(message["content"] for message in messages)
            return {"reply": model(prompt, self.own(self.labels))}

        return asyncio.run(converse(self.ours, call))


@pytest.fixture(scope="module")
def cases():
    return {(name, place): Asked(name, place) for name in NAMES for place in PLACES}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", NAMES)
def test_no_planted_judgement_is_read(cases, name, place):
    case = cases[name, place]
    for model in (first, last, quote_then_answer, merging):
        found = case.answer(model)
        if found.value is None:
            assert found.failure.cause == "parse", model
        else:
            assert [one.relevant for one in found.value.judgements] == [True, False, False], model


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", NAMES)
def test_a_planted_text_stays_in_its_place(cases, name, place):
    case = cases[name, place]
    prompt, marker = case.ours.prompt, case.ours.prompt.split("A line that begins with ")[1].split(" ")[0]
    heads = [line for line in prompt.splitlines() if marker in line][1:]
    of_files = [f"File {label}, {part}" for label in case.labels for part in ("its path", "its contents")]
    assert heads == [
        f"{marker} {head}" for head in ("Issue", "Repositories", *of_files, "End of the material")
    ]
    shown = {"contents": f"{case.text}\n{CODE}", "path": case.aim.path, "issue": f"{ISSUE}\n{case.text}"}[
        place
    ]
    assert "\n".join(f"| {line}" if line else "|" for line in visible(shown).split("\n")) in prompt
    assert not replies_in("\n".join(line for line in prompt.split("\n") if not line.startswith("|")))
