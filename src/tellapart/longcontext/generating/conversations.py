"""Conversations by a design: facts at their depths, filler between them, cut into messages, a file each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from tellapart.core.progress import SILENT, Progress
from tellapart.core.randomness import generator
from tellapart.errors import UsageError, near_match
from tellapart.longcontext.case import Case, CaseStep, Expected
from tellapart.longcontext.defaults import TOKENS_A_CHARACTER
from tellapart.longcontext.design import Design, name_of
from tellapart.longcontext.generating.tasks import NEEDLES, TASKS, Draft, Placed, TaskQuestion, Unused, filler
from tellapart.longcontext.generating.word_lists import WORD_LISTS
from tellapart.longcontext.reading.cases import write_case

SYSTEM = (
    "You will be sent a long text in several messages, and then questions about it. Reply to each part of "
    "the text with one word: Read. Answer each question in one sentence, from the text alone. If the text "
    "does not say, answer: The text does not say."
)
REPLY = "Read."

_MOST_MESSAGES, _SHORTEST_MESSAGE_TOKENS = 8, 1_000
_ROOM = 0.6
"""The most of a text that may be facts."""

_LIST_QUESTION = 80

_PARAGRAPH, _SHORTEST, _GAP = 7, 40, 100
"""Sentences of a paragraph; characters of the last sentence, and of filler between facts of one depth."""


def write_cases(design: Design, out: Path, *, progress: Progress = SILENT) -> list[Case]:
    """Make the conversations of a design and write a YAML file for each; equal files stay as they are."""
    foreign = sorted(path.name for path in out.iterdir() if path.suffix != ".yaml") if out.is_dir() else []
    if foreign or (out.exists() and not out.is_dir()):
        what = f"this directory holds something else, such as {foreign[0]!r}" if foreign else "this is a file"
        raise UsageError(
            f"{what}; cases have a directory of their own", where=out, next_step="Choose another --out"
        )
    lengths = sorted(design.lengths)
    # What fits into the shortest fits into all, and is known before a file is written.
    for task in design.tasks:
        conversation(design, lengths[0], 0, task)
    written = []
    for length in lengths:
        for task in design.tasks:
            for number in range(design.conversations):
                written.append(conversation(design, length, number, task))
                write_case(written[-1], out)
        count = design.conversations * len(design.tasks)
        progress(f"wrote {count} conversations of {length:,} tokens to {out}")
    return written


def conversation(design: Design, length: int, number: int, task: str = NEEDLES) -> Case:
    """Make one conversation; it is the same whatever other tasks, lengths and conversations there are.

    Its context is ``length`` tokens, within 2 %, when a probe is asked after the messages and their replies.
    """
    if task not in (names := (*TASKS, *WORD_LISTS)):
        raise UsageError(f"there is no task {task!r}", next_step=near_match(task, names))
    kind = [] if task == NEEDLES else [task]
    seeds = ["longcontext", "generate", *kind, str(length), str(number)]
    rng = generator(design.seed, *seeds, "facts")
    count = max(1, min(_MOST_MESSAGES, length // _SHORTEST_MESSAGE_TOKENS))
    if task in WORD_LISTS:
        room = round(length / TOKENS_A_CHARACTER) - len(SYSTEM) - count * len(REPLY) - _LIST_QUESTION
        parts, question = WORD_LISTS[task](length, room, count, rng)
        questions = [question]
    else:
        questions = TASKS[task](Draft(design, number, rng, Unused(rng)))
        sentences = filler(generator(design.seed, *seeds, "filler"))
        parts = _messages_of(_text(questions, sentences, length, count), count)
    messages = [CaseStep(f"M{i}", "message", part) for i, part in enumerate(parts, 1)]
    order = generator(design.seed, *seeds, "order").permutation(len(questions)).tolist()
    probes = [_probe(f"V1-{i}", questions[place], length) for i, place in enumerate(order, 1)]
    name = "-".join([name_of(length), *kind, f"{number + 1:02d}"])
    return Case(name, SYSTEM, (*messages, *probes), intended_tokens=length)


def _probe(step_id: str, question: TaskQuestion, length: int) -> CaseStep:
    expected = Expected(
        *(step_id, question.answer, question.mode),
        early=question.early,
        evidence=question.evidence,
        rule=question.rule,
        intended_tokens=length,
    )
    return CaseStep(step_id, "verification", question.text, question.mode, expected)


def _text(
    questions: Sequence[TaskQuestion], sentences: Iterator[str], length: int, messages: int
) -> list[str]:
    """Put sentences at their depths between filler; those of the same depth follow each other in order."""
    waiting = sorted((placed for q in questions for placed in q.placed), key=lambda placed: placed.depth)
    characters = _characters(questions, waiting, length, messages)
    budget = characters - sum(len(placed.sentence) + 1 for placed in waiting)
    text: list[str] = []
    so_far = 0
    while budget > 0 or waiting:
        if waiting and (budget <= 0 or so_far >= _due(waiting, characters)):
            text.append(waiting.pop(0).sentence)
            so_far += len(text[-1]) + 1
        if budget > 0:
            text.append(_fitting(next(sentences), budget))
            budget -= len(text[-1]) + 1
            so_far += len(text[-1]) + 1
    return text


def _characters(
    questions: Sequence[TaskQuestion], placed: Sequence[Placed], length: int, messages: int
) -> int:
    """Characters that the text of all messages may have together."""
    question = round(sum(len(question.text) for question in questions) / len(questions))
    around = len(SYSTEM) + messages * len(REPLY) + question
    characters = round(length / TOKENS_A_CHARACTER) - around
    needed = sum(len(sentence.sentence) + 1 for sentence in placed)
    if needed > _ROOM * characters:
        shortest = round((needed / _ROOM + around) * TOKENS_A_CHARACTER)
        raise UsageError(
            f"{len(questions)} questions with their distractors do not fit into {length:,} tokens",
            next_step=f"They need {shortest:,} tokens or more: leave this length out, or ask for fewer "
            "--depths, --distractors or --traps",
        )
    return characters


def _due(waiting: Sequence[Placed], characters: int) -> float:
    """Where the first is to stand; those of its depth that follow it must fit in too, with filler between."""
    depth = waiting[0].depth
    alike = [len(placed.sentence) + 1 for placed in waiting if placed.depth == depth]
    return depth * (characters - sum(alike) - _GAP * (len(alike) - 1))


def _fitting(sentence: str, budget: int) -> str:
    """The sentence, or its first words where no other would fit behind it."""
    if budget - len(sentence) > _SHORTEST:
        return sentence
    words = sentence.rstrip(".").split()
    while len(" ".join(words)) + 2 > budget and len(words) > 1:
        words.pop()
    return f"{' '.join(words)}."


def _messages_of(sentences: Sequence[str], count: int) -> list[str]:
    """Cut a text into messages of about the same length, of paragraphs; no message is empty."""
    total = sum(len(sentence) + 1 for sentence in sentences)
    parts: list[list[str]] = [[] for _ in range(count)]
    length = 0
    for sentence in sentences:
        parts[min(length * count // total, count - 1)].append(sentence)
        length += len(sentence) + 1
    return [
        "\n\n".join(" ".join(part[at : at + _PARAGRAPH]) for at in range(0, len(part), _PARAGRAPH))
        for part in parts
        if part
    ]
