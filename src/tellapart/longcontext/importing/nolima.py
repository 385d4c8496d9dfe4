"""NoLiMa: facts that share no word with the question about them, hidden in the text of books.

Source:
    Modarressi et al., "NoLiMa: Long-Context Evaluation Beyond Literal Matching" (2025), and the needle sets
    published with it. The template of a task is cut after the text: what stands before it and the text are
    shown as a message, what follows is the question. Lengths are estimated by characters, and facts stand
    after a whole sentence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, Field

from tellapart.core.fingerprint import sha256
from tellapart.errors import InputError, UsageError
from tellapart.files import as_objects, check_record, read_json, read_text, sha256_of
from tellapart.longcontext.case import Case, CaseStep, Expected
from tellapart.longcontext.defaults import TOKENS_A_CHARACTER
from tellapart.longcontext.design import ImportSettings, name_of
from tellapart.longcontext.importing.import_cases import ACKNOWLEDGED, Form, Records, Tally

LENGTHS = (1_000, 2_000, 4_000, 8_000, 16_000, 32_000)
DEPTHS = (0.0, 0.25, 0.5, 0.75, 1.0)
_SENTENCE_END = re.compile(r"[.!?][\"'”’)]*\s|\n")


class _Test(BaseModel):
    input_args: list[str]
    gold_answers: list[str] | None = None


class _Needle(BaseModel):
    id: str
    reasoning_type: str
    system_prompt: str | None = None
    task_template: str
    needle: str
    questions: dict[str, str]
    character_set: Annotated[list[str], Field(min_length=1)]
    tests: dict[str, _Test]
    distractors: Any = None


def _records(path: Path, settings: ImportSettings) -> Records:
    """A record for each needle, test and question, at each length and depth, with a book in turn."""
    needles = [
        check_record(data, _Needle, path, f"needle {number}")
        for number, data in enumerate(as_objects(read_json(path), path), 1)
    ]
    books = _books(settings.haystack)
    records: list[dict[str, Any]] = []
    for needle in needles:
        places = product(settings.lengths or LENGTHS, settings.depths or DEPTHS)
        for (length, depth), test, question in product(places, needle.tests, needle.questions):
            place = {
                "name": f"{name_of(length)}-{100 * depth:g}-{needle.id}-{test}-{question}",
                "length": length,
                "depth": depth,
                "book": books[len(records) % len(books)],
            }
            records.append({"needle": needle, "test": test, "question": question, **place})
    return records


def _case(record: dict[str, Any], number: int, settings: ImportSettings, tally: Tally) -> Case:
    needle: _Needle = record["needle"]
    length, book_path = record["length"], record["book"]
    before, marker, after = needle.task_template.partition("{haystack}")
    if not marker or "{question}" not in after:
        raise InputError("'task_template' does not have {haystack} and after it {question}")
    if needle.distractors:
        raise InputError("it has distractors, which cannot be placed")
    test = needle.tests[record["test"]]
    seed = f"{settings.seed or 0}:{needle.id}:{record['test']}"
    rng = np.random.default_rng(int(sha256(seed.encode())[:16], 16))
    character = needle.character_set[int(rng.integers(len(needle.character_set)))]
    fact = _filled(needle.needle, test.input_args, character)
    question = _filled(needle.questions[record["question"]], test.input_args, character)
    if re.search(r"\{(?:CHAR|\d+)\}", fact + question):
        raise InputError("'input_args' has too few entries for its texts")
    question = after.replace("{question}", question).strip()
    letters = round(length / TOKENS_A_CHARACTER) - len(before) - len(question) - len(fact)
    book, fingerprint = _book(book_path)
    text = _with_fact(book, letters, fact, record["depth"])
    mode = f"{record['question']}, {needle.reasoning_type}"
    answer, *accept = test.gold_answers or [character]
    expected = Expected(
        *("V1", answer, mode, tuple(accept)), evidence=(fact,), rule="contains", intended_tokens=length
    )
    return Case(
        record["name"],
        (needle.system_prompt or "").strip() or None,
        (
            CaseStep("M1", "message", f"{before}{text}".strip(), reply=ACKNOWLEDGED),
            CaseStep("V1", "verification", question, mode, expected),
        ),
        f"The text is that of {book_path.name}, sha256 {fingerprint}.",
        length,
    )


def _filled(template: str, arguments: Sequence[str], character: str) -> str:
    for number, argument in enumerate(arguments, 1):
        template = template.replace(f"{{{number}}}", argument)
    return template.replace("{CHAR}", character).strip()


def _books(paths: Sequence[Path]) -> list[Path]:
    """The text files, in the order given; those of a directory by name."""
    books = [file for path in paths for file in (sorted(path.glob("*.txt")) if path.is_dir() else [path])]
    if not books:
        raise UsageError(
            "there is no text to hide facts in",
            next_step="Name text files, or directories of them, with --haystack",
        )
    return books


@lru_cache(maxsize=32)
def _book(path: Path) -> tuple[str, str]:
    """The text of a book, and its SHA-256."""
    return read_text(path).strip(), sha256_of(path)


def _with_fact(book: str, letters: int, fact: str, depth: float) -> str:
    """The beginning of a book, with a fact after the last sentence that ends before a share of it."""
    if letters <= 0 or len(book) < letters:
        raise InputError("its text is shorter than its length" if letters > 0 else "its length is too short")
    text = book[:letters]
    ends = [match.end() for match in _SENTENCE_END.finditer(text, 0, round(depth * letters))]
    at = len(text) if depth == 1 else ends[-1] if ends else 0
    return " ".join(part for part in (text[:at].rstrip(" "), fact, text[at:].lstrip(" ")) if part)


FORM = Form(
    name="nolima",
    data_set="NoLiMa",
    licence="Adobe Research License (facts; not for commercial use); for texts, see their source",
    marks=((b'"task_template"', b'"needle"'),),
    case=_case,
    id_key="name",
    records=_records,
    takes=("haystack", "lengths", "depths"),
)
