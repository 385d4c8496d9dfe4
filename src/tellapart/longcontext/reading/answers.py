"""A file of right answers: blocks that open with a step id, between rulers, lists and tables."""

from __future__ import annotations

from pathlib import Path

from tellapart.errors import InputError
from tellapart.longcontext.case import AnswerKey, Expected
from tellapart.longcontext.probes import has_answer
from tellapart.longcontext.reading.answer_blocks import Block, blocks_of
from tellapart.longcontext.reading.intended import case_intended, intended_in_tables, intended_in_test
from tellapart.longcontext.reading.texts import expected_kind, read_text


def read_answers(path: Path) -> AnswerKey:
    """Read the answers.

    What is broken is left out and told in ``notes``, each with its line: a line of an answer that is in no
    block, a key that is not known, a line of an enumeration that cannot be read, a second block of the same
    step (the first counts), and a block that has no answer.

    Raises:
        InputError: The file cannot be read, is another file of the experiment, or holds no block at all.
    """
    text = read_text(path)
    expected_kind("answers", text, path)
    notes: list[tuple[int, str]] = []
    blocks: dict[str, Block] = {}
    for block in blocks_of(text, notes):
        first = blocks.setdefault(block.id, block)
        if first is not block:
            notes.append((block.line, f"{block.id} is here again; the first, in line {first.line}, counts"))
    if not blocks:
        raise InputError(
            "there is no answer in this file",
            where=path,
            next_step="A block begins with a line such as 'V2-1 (Confabulation):', and below it 'A: …'",
        )
    tables = intended_in_tables(text)
    by_id = {id_: _expected(block, tables.get(id_)) for id_, block in blocks.items()}
    notes += [
        (blocks[id_].line, f"{id_} has no answer: a block needs 'A:' or 'CORRECT A:'")
        for id_, expected in by_id.items()
        if not has_answer(id_, expected.failure_mode, expected)
    ]
    told = tuple(f"line {line}: {what}" for line, what in sorted(notes))
    return AnswerKey(by_id, told, str(path), cases=case_intended(text))


def _expected(block: Block, intended: int | None) -> Expected:
    test = block.value("TEST")
    return Expected(
        block.id,
        block.value("A", "CORRECT A", "CORRECT"),
        block.failure_mode,
        block.value("Q"),
        test,
        block.value("SCORE"),
        block.value("EXPECTED FAILURE"),
        block.value("CORRECT EARLY DATA"),
        block.value("CORRECT LATE DATA"),
        tuple(block.entries),
        banned=_word(block.value("BANNED")),
        intended_tokens=intended or (intended_in_test(test) if test else None),
    )


def _word(text: str | None) -> str | None:
    """A word, without the quotes around it; None where there is none."""
    return (text or "").split("\n")[0].strip().strip("\"'“”‘’«»`").strip() or None
