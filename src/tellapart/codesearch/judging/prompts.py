"""The questions about files that only we found: what is shown of them, and what a reply may be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TypeAlias

from pydantic import BaseModel, ConfigDict

from tellapart.codesearch.base_trees import Trees
from tellapart.codesearch.model import Actionable, Base, Case, Failed, JudgeVerdict
from tellapart.codesearch.repositories import MOST_SHOWN_BYTES, NotThere, OutOfBounds, Repositories, Withheld
from tellapart.core.fingerprint import sha256_of_json
from tellapart.errors import InputError
from tellapart.llm.models import LanguageModel
from tellapart.llm.prompts import Prompt, read_prompt, schema_text
from tellapart.llm.questions import Question
from tellapart.llm.quoting import quote, visible

LONGEST_FILE = 8_000
"""Characters of a file that are shown, 2,700 tokens; 55 % of the modules of CPython's library fit whole."""

UNREADABLE = "unreadable"
"""Kind of a failure: there is nothing that could be shown to the judge."""

WITHHELD = "withheld"
"""Kind of a failure: the file holds a secret, which nobody is shown."""

NOT_THERE = "not_there"
"""Kind of a failure: there is no such file, so that the search made it up."""

_BYTES_A_CHARACTER = 4

Place: TypeAlias = tuple[Base | None, str]
"""A file of the tree of an issue."""


@dataclass(frozen=True)
class Shown:
    """A file as the judge sees it."""

    path: str
    extent: str
    text: str


def show(repositories: Repositories, path: str, longest: int = LONGEST_FILE) -> Shown | Failed:
    """Read the beginning of a file."""
    try:
        data = repositories.read_bytes(path, MOST_SHOWN_BYTES)
    except OutOfBounds as error:
        kinds = {NotThere: NOT_THERE, Withheld: WITHHELD}
        return Failed("infeasible", kinds.get(type(error), UNREADABLE), error.what)
    if b"\0" in data:
        return Failed("infeasible", UNREADABLE, "the file is not text")
    # Most of a large file is never shown; a character may be cut in two after those that are.
    text = data[: _BYTES_A_CHARACTER * (longest + 1)].decode("utf-8", "replace")
    if not text:
        return Shown(path, "its contents, which are empty", "")
    if len(text) <= longest:
        return Shown(path, "its contents", text.rstrip("\n"))
    beginning = head(text, longest)
    return Shown(
        path, f"the first {len(beginning):,} characters of its contents of {len(data):,} bytes", beginning
    )


def head(text: str, longest: int) -> str:
    """The whole lines within the first ``longest`` characters; a first line too long alone is cut within."""
    if len(text) <= longest:
        return text
    end = text.rfind("\n", 0, longest + 1)
    return text[: end if end > 0 else longest]


BATCH = 5
"""Files in one question.

What is sent with every question is a tenth of five files that are shown as long as can be, so that more of
them save next to nothing. Five of them are 15,000 tokens, and the reply to them, some 60 tokens a file, stays
well within the 500 that the source documents allow.
"""

LONGEST_ISSUE = 8_000
"""Characters of an issue that are shown."""

_OF_MARKER = 6


class FileJudgement(BaseModel):
    """What the judge says of one file, which it names by its label in the question; ``2-5d39b1``."""

    model_config = ConfigDict(extra="forbid")

    file: str
    relevant: bool
    actionable: Actionable
    reasoning: str


class Judgements(BaseModel):
    """What the judge replies."""

    model_config = ConfigDict(extra="forbid")

    judgements: list[FileJudgement]


@cache
def judge_prompt() -> Prompt:
    """The prompt of every batch."""
    return read_prompt("tellapart.codesearch.judging", "judge")


@dataclass(frozen=True)
class Batch:
    """Files of one conversation that are judged together."""

    number: int
    case: Case
    files: tuple[str, ...]
    first: int

    @property
    def id(self) -> str:
        """Name of its question: conversation, and files by their places."""
        last = self.first + len(self.files) - 1
        return f"{self.number}:{visible(self.case.id)}#{self.first}-{last}"

    def one_by_one(self) -> list[Batch]:
        """Its files, each alone."""
        return [replace(self, files=(file,), first=self.first + i) for i, file in enumerate(self.files)]


@dataclass(frozen=True)
class ToJudge:
    """All that there is to judge: files as the judge sees them, or why nobody may; and what is decided."""

    batches: tuple[Batch, ...]
    looked: Mapping[Place, Shown | Failed]
    repositories: tuple[str, ...]
    decided: Mapping[tuple[str, str], JudgeVerdict] = field(default_factory=dict)
    fingerprints: Mapping[tuple[str, str], str] = field(default_factory=dict)

    def hidden(self, case: Case) -> dict[str, Failed]:
        """The files of a conversation that nobody may be shown, and why."""
        looked = {file: self.looked[case.base, file] for file in case.to_judge}
        return {file: why for file, why in looked.items() if isinstance(why, Failed)}


def gather(
    cases: Sequence[Case],
    trees: Trees,
    model: LanguageModel,
    *,
    earlier: Iterable[Case] = (),
    size: int = BATCH,
) -> ToJudge:
    """Read the files to be judged, and put those that nobody judged before together in batches.

    Files of a batch are neighbours by name, whatever rank or score the system gave them. An earlier verdict
    holds where all is the same that it rests on; which files it was asked together with does not count.
    """
    looked = _look(cases, trees)
    always = [model.requested(), trees.names, judge_prompt().sha256, schema_text(Judgements)]
    fingerprints = {
        (case.id, file): sha256_of_json(
            [*always, head(case.issue_summary, LONGEST_ISSUE), seen.path, seen.extent, seen.text]
        )[:16]
        for case in cases
        for file in sorted(case.to_judge)
        if isinstance(seen := looked[case.base, file], Shown)
    }
    known = {
        verdict.fingerprint: verdict
        for case in earlier
        for verdict in (*case.verdicts.values(), *(case.rest.verdicts.values() if case.rest else ()))
        if verdict.fingerprint is not None and verdict.relevant is not None
    }
    decided = {pair: known[print_] for pair, print_ in fingerprints.items() if print_ in known}
    batches = []
    for number, case in enumerate(cases, 1):
        pairs = [(case.id, file) for file in sorted(case.to_judge)]
        files = [pair[1] for pair in pairs if pair in fingerprints and pair not in decided]
        for i in range(0, len(files), size):
            batches.append(Batch(number, case, tuple(files[i : i + size]), i + 1))
    return ToJudge(tuple(batches), looked, trees.names, decided, fingerprints)


def _look(cases: Sequence[Case], trees: Trees) -> dict[Place, Shown | Failed]:
    """Read each file once, by base commit, so that a tree is needed once."""
    by_tree: dict[Base | None, set[str]] = {}
    for case in cases:
        by_tree.setdefault(case.base, set()).update(case.to_judge)
    looked: dict[Place, Shown | Failed] = {}
    for base, files in by_tree.items():
        try:
            with trees.at(base) if files else nullcontext() as repositories:
                looked |= {(base, file): show(repositories, file) for file in sorted(files) if repositories}
        except InputError as error:
            looked |= dict.fromkeys(
                [(base, file) for file in files], Failed("infeasible", UNREADABLE, error.what)
            )
    return looked


def judge_questions(to_judge: ToJudge, batches: Sequence[Batch]) -> list[Question[Judgements]]:
    """Ask about each batch."""
    return [_question(to_judge, batch) for batch in batches]


def _question(to_judge: ToJudge, batch: Batch) -> Question[Judgements]:
    looked = [to_judge.looked[batch.case.base, file] for file in batch.files]
    shown = [file for file in looked if isinstance(file, Shown)]
    issue = head(batch.case.issue_summary, LONGEST_ISSUE)
    material = [issue, "\n".join(to_judge.repositories)]
    quoted = quote([*material, *(text for file in shown for text in (file.path, file.text))])
    # A part of the marker, which is a hash of all that is shown: nobody who writes one of the files can write
    # down a judgement in it that would pass for the judge's, not even as a part of a list.
    labels = [f"{number}-{quoted.marker[:_OF_MARKER]}" for number in range(1, len(shown) + 1)]
    issue, repositories, *texts = quoted.texts
    prompt = judge_prompt().render(
        marker=quoted.marker,
        issue=issue,
        repositories=repositories,
        files=[
            {"label": label, "path": path, "extent": file.extent, "text": text}
            for label, file, path, text in zip(labels, shown, texts[::2], texts[1::2], strict=True)
        ],
        schema=schema_text(Judgements),
    )
    return Question(batch.id, prompt, Judgements, each_once(labels))


def place_of(label: str) -> int:
    """The place of a file in its question, from 0."""
    return int(label.partition("-")[0]) - 1


def each_once(labels: Sequence[str]) -> Callable[[Judgements], str | None]:
    """Make what says whether a reply judges each of the files exactly once."""

    def check(reply: Judgements) -> str | None:
        judged = sorted(judgement.file for judgement in reply.judgements)
        if judged == sorted(labels):
            return None
        return f"'judgements' has {len(judged)} files, expected each of {', '.join(labels)} once"

    return check
