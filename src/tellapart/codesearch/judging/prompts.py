"""The questions about files that only we found: what is shown of them, and what a reply may be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from pydantic import BaseModel, ConfigDict

from tellapart.codesearch.base_trees import Trees
from tellapart.codesearch.model import Actionable, Base, Case, Failed, JudgeVerdict
from tellapart.codesearch.repositories import MOST_SHOWN_BYTES, NotThere, OutOfBounds, Repositories, Withheld
from tellapart.core.fingerprint import sha256_of_json
from tellapart.errors import InputError
from tellapart.llm.models import LanguageModel
from tellapart.llm.prompts import Prompt, read_prompt, schema_text
from tellapart.llm.questions import Question
from tellapart.llm.quoting import Quoted, quote, visible

LONGEST_FILE = 8_000
"""Characters of a file that are shown, 2,700 tokens; 55 % of the modules of CPython's library fit whole."""

UNREADABLE = "unreadable"
"""Kind of a failure: there is nothing that could be shown to the judge."""

WITHHELD = "withheld"
"""Kind of a failure: the file holds a secret, which nobody is shown."""

NOT_THERE = "not_there"
"""Kind of a failure: there is no such file, so that the search made it up."""

_BYTES_A_CHARACTER = 4


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
    except NotThere as error:
        return Failed("infeasible", NOT_THERE, error.what)
    except Withheld as error:
        return Failed("infeasible", WITHHELD, error.what)
    except OutOfBounds as error:
        return _unreadable(error.what)
    if b"\0" in data:
        return _unreadable("the file is not text")
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


def _unreadable(why: str) -> Failed:
    return Failed("infeasible", UNREADABLE, why)


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
    """What the judge says of one file, which it names by its label in the question; see ``labels_of``."""

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
    """All that there is to judge."""

    batches: tuple[Batch, ...]
    shown: Mapping[tuple[Base | None, str], Shown]
    unreadable: Mapping[tuple[Base | None, str], Failed]
    repositories: tuple[str, ...]
    decided: Mapping[str, Mapping[str, JudgeVerdict]] = field(default_factory=dict)
    fingerprints: Mapping[tuple[str, str], str] = field(default_factory=dict)


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
    wanted = {case.id: sorted(case.to_judge) for case in cases}
    looked: dict[tuple[Base | None, str], Shown | Failed] = {}
    for base, files in _by_tree(cases, wanted).items():
        try:
            with trees.at(base) as repositories:
                looked |= {(base, file): show(repositories, file) for file in files}
        except InputError as error:
            looked |= {(base, file): _unreadable(error.what) for file in files}
    shown = {file: content for file, content in looked.items() if isinstance(content, Shown)}
    fingerprints = _fingerprints(cases, shown, [model.requested(), trees.names])
    verdicts = {
        verdict.fingerprint: verdict
        for case in earlier
        for verdict in (*case.verdicts.values(), *(case.rest.verdicts.values() if case.rest else ()))
        if verdict.fingerprint is not None and verdict.relevant is not None
    }
    decided: dict[str, dict[str, JudgeVerdict]] = {case.id: {} for case in cases}
    for (conversation, file), fingerprint in fingerprints.items():
        if fingerprint in verdicts:
            decided[conversation][file] = verdicts[fingerprint]
    batches = []
    for number, case in enumerate(cases, 1):
        id_ = case.id
        files = [file for file in wanted[id_] if (id_, file) in fingerprints and file not in decided[id_]]
        for i in range(0, len(files), size):
            part = tuple(files[i : i + size])
            batches.append(Batch(number, case, part, i + 1))
    unreadable = {file: content for file, content in looked.items() if isinstance(content, Failed)}
    return ToJudge(tuple(batches), shown, unreadable, trees.names, decided, fingerprints)


def _fingerprints(
    cases: Sequence[Case], shown: Mapping[tuple[Base | None, str], Shown], asking: Sequence[Any]
) -> dict[tuple[str, str], str]:
    """Fingerprints of what each verdict rests on, by conversation and file; hidden files have none."""
    always = [*asking, judge_prompt().sha256, schema_text(Judgements)]
    return {
        (case.id, file): sha256_of_json(
            [*always, head(case.issue_summary, LONGEST_ISSUE), seen.path, seen.extent, seen.text]
        )[:16]
        for case in cases
        for file in sorted(case.to_judge)
        for seen in [shown.get((case.base, file))]
        if seen is not None
    }


def _by_tree(cases: Sequence[Case], wanted: Mapping[str, Sequence[str]]) -> dict[Base | None, list[str]]:
    """The files to look at, ascending, by base commit, so that a tree is needed once."""
    by_tree: dict[Base | None, set[str]] = {}
    for case in cases:
        by_tree.setdefault(case.base, set()).update(wanted[case.id])
    return {base: sorted(files) for base, files in by_tree.items() if files}


class JudgeQuestions:
    """One question a batch; prompts are made while they are iterated."""

    def __init__(self, to_judge: ToJudge, batches: Sequence[Batch]) -> None:
        """Ask about ``batches``."""
        self.batches = batches
        self._to_judge = to_judge

    def __len__(self) -> int:
        """Count the questions."""
        return len(self.batches)

    def __iter__(self) -> Iterator[Question[Judgements]]:
        """Make the questions, batch after batch."""
        for batch in self.batches:
            quoted = self._quoted(batch)
            labels = labels_of(quoted, len(batch.files))
            prompt = self._prompt(batch, quoted, labels)
            yield Question(batch.id, prompt, Judgements, each_once(labels))

    def _quoted(self, batch: Batch) -> Quoted:
        shown = [self._to_judge.shown[batch.case.base, file] for file in batch.files]
        issue = head(batch.case.issue_summary, LONGEST_ISSUE)
        material = [issue, "\n".join(self._to_judge.repositories)]
        return quote([*material, *(text for file in shown for text in (file.path, file.text))])

    def _prompt(self, batch: Batch, quoted: Quoted, labels: Sequence[str]) -> str:
        issue, repositories, *texts = quoted.texts
        base = batch.case.base
        extents = [self._to_judge.shown[base, file].extent for file in batch.files]
        parts = zip(labels, texts[::2], extents, texts[1::2], strict=True)
        return judge_prompt().render(
            marker=quoted.marker,
            issue=issue,
            repositories=repositories,
            files=[
                {"label": label, "path": path, "extent": extent, "text": text}
                for label, path, extent, text in parts
            ],
            schema=schema_text(Judgements),
        )


def labels_of(quoted: Quoted, files: int) -> tuple[str, ...]:
    """Labels of the files of a question, such as ``2-5d39b1``: the place, from 1, and a part of the marker.

    The marker is a hash of all that is shown, so that nobody who writes one of the files can write down a
    judgement in it that would pass for the judge's, not even as a part of a list.
    """
    return tuple(f"{number}-{quoted.marker[:_OF_MARKER]}" for number in range(1, files + 1))


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
