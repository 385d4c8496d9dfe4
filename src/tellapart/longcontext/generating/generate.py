"""Conversations by a design: so many facts at these depths of contexts of these lengths."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tellapart.core.randomness import generator
from tellapart.errors import UsageError
from tellapart.longcontext.case import Case, CaseStep, Expected
from tellapart.longcontext.generating.design import Design, name_of
from tellapart.longcontext.generating.filler import sentences, sentences_of
from tellapart.longcontext.generating.latent import latent_facts
from tellapart.longcontext.generating.layout import Placed, laid_out, messages_of
from tellapart.longcontext.generating.names import Unused
from tellapart.longcontext.generating.needles import RECALL, TRAP, Needle, needle, trap

SYSTEM = (
    "You will be sent a long text in several messages, and then questions about it. Reply to each part of "
    "the text with one word: Read. Answer each question in one sentence, from the text alone. If the text "
    "does not say, answer: The text does not say."
)
REPLY = "Read."
"""What a reply to a message is expected to be."""

SHORTEST_MESSAGE_TOKENS = 1_000

_ROOM = 0.6


def conversations(design: Design, filler: str | None = None) -> Iterator[Case]:
    """Make all of them, by length and number.

    Raises:
        UsageError: The facts do not fit into a length.
    """
    for length in sorted(design.lengths):
        for number in range(design.conversations):
            yield conversation(design, length, number, filler)


def conversation(design: Design, length: int, number: int, filler: str | None = None) -> Case:
    """Make one conversation; it is the same whatever other lengths and conversations there are.

    Its context is ``length`` tokens long, within 2 %, when a probe is asked right after the messages, each of
    them answered by ``REPLY``. Probes come last, in an order that is drawn.

    Args:
        design: Its other settings.
        length: Tokens.
        number: From 0.
        filler: Text to fill it with; None for sentences that are made up.

    Raises:
        UsageError: The facts do not fit into the length, or there are not so many with ``latent``.
    """
    names = ("longcontext", "generate", str(length), str(number))
    rng = generator(design.seed, *names, "facts")
    depths = [depth for depth in sorted(design.depths) for _ in range(design.facts)]
    needles, traps = _made(design, length, number, rng)
    placed = [Placed(depth, one.sentence or "") for depth, one in zip(depths, needles, strict=True)]
    placed += [Placed(float(rng.random()), text) for one in (*needles, *traps) for text in one.distractors]
    count = max(1, min(design.messages, length // SHORTEST_MESSAGE_TOKENS))
    room = _characters(design, length, count, [*needles, *traps], placed)
    fill_rng = generator(design.seed, *names, "filler")
    text = laid_out(placed, sentences(fill_rng) if filler is None else sentences_of(filler, fill_rng), room)
    messages = [CaseStep(f"M{i}", "message", part) for i, part in enumerate(messages_of(text, count), 1)]
    order = generator(design.seed, *names, "order").permutation(len(needles) + len(traps))
    asked = [[*needles, *traps][i] for i in order.tolist()]
    probes = [_probe(f"V1-{i}", one, length) for i, one in enumerate(asked, 1)]
    return Case(
        f"{name_of(length)}-{number + 1:02d}",
        SYSTEM,
        (*messages, *probes),
        intended_tokens=length,
    )


def _made(
    design: Design, length: int, number: int, rng: np.random.Generator
) -> tuple[list[Needle], list[Needle]]:
    """The facts of one conversation, as many as there are places for, and its traps."""
    unused, facts = Unused(rng), len(design.depths) * design.facts
    if design.latent:
        counts = (facts, design.traps, design.distractors)
        return latent_facts(design.seed, length, number, counts, unused, rng)
    # The kinds take turns, and no depth has always the same.
    needles = [needle(i + number, design.distractors, unused, rng) for i in range(facts)]
    return needles, [trap(i + number, design.distractors, unused, rng) for i in range(design.traps)]


def _characters(design: Design, length: int, messages: int, asked: list[Needle], placed: list[Placed]) -> int:
    """How long the text of all messages may be together."""
    question = round(sum(len(one.question) for one in asked) / len(asked))
    around = len(SYSTEM) + messages * len(REPLY) + question
    room = round(length / design.rate) - around
    needed = sum(len(one.sentence) + 1 for one in placed)
    if needed > _ROOM * room:
        shortest = round((needed / _ROOM + around) * design.rate)
        raise UsageError(
            f"{len(asked)} questions with their distractors do not fit into {length:,} tokens",
            next_step=f"They need {shortest:,} tokens or more: leave this length out, or ask for fewer "
            "--depths, --facts, --distractors or --traps",
        )
    return room


def _probe(step_id: str, one: Needle, length: int) -> CaseStep:
    mode = f"{TRAP if one.sentence is None else RECALL} - {one.kind}"
    evidence = () if one.sentence is None else (one.sentence,)
    expected = Expected(step_id, one.answer, mode, evidence=evidence, rule="facts", intended_tokens=length)
    return CaseStep(step_id, "verification", one.question, mode, expected)
