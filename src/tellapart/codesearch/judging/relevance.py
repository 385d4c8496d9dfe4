"""The judge on files that only we found: what it is shown, how it is asked, and a verdict for each file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import BaseModel, ConfigDict

from tellapart.codesearch.git import Trees
from tellapart.codesearch.metrics.measures import unjudged
from tellapart.codesearch.model import Actionable, Base, Case, Failed, JudgeVerdict
from tellapart.codesearch.repositories import MOST_SHOWN_BYTES, NotThere, OutOfBounds, Repositories, Withheld
from tellapart.core.fingerprint import sha256_of_json
from tellapart.errors import InputError
from tellapart.llm.costs import Estimate
from tellapart.llm.models import LanguageModel
from tellapart.llm.prompts import Prompt, read_prompt, schema_text
from tellapart.llm.questions import Answer, Question
from tellapart.llm.quoting import quote, visible
from tellapart.llm.run_models import RunCalls

LONGEST_FILE = 8_000
"""Characters of a file that are shown, 2,700 tokens; 55 % of the modules of CPython's library fit whole."""

LONGEST_ISSUE = 8_000  # Characters of an issue that are shown
BATCH = 5  # Files in one question: five whole ones are 15,000 tokens, and the reply some 300

UNREADABLE, WITHHELD, NOT_THERE = "unreadable", "withheld", "not_there"
"""Kinds of failures: there is nothing that could be shown; a secret, which nobody is shown; and no such file,
so that the search made it up."""

NOT_RECORDED = "not_recorded"  # Kind of a failure: the recording has no verdict on the file
_BYTES_A_CHARACTER = 4
_OF_MARKER = 6
_SENTENCE = "x" * 120  # As long as a sentence of twenty words

Place: TypeAlias = tuple[Base | None, str]  # A file of the tree of an issue
OfCase: TypeAlias = tuple[str, str]  # The id of a conversation, and a file


@dataclass(frozen=True)
class Shown:
    """A file as the judge sees it."""

    path: str
    extent: str
    text: str


def show(repositories: Repositories, path: str) -> Shown | Failed:
    """Read the beginning of a file."""
    try:
        data = repositories.read_bytes(path, MOST_SHOWN_BYTES)
    except OutOfBounds as error:
        kinds = {NotThere: NOT_THERE, Withheld: WITHHELD}
        return Failed("infeasible", kinds.get(type(error), UNREADABLE), error.what)
    if b"\0" in data:
        return Failed("infeasible", UNREADABLE, "the file is not text")
    # Most of a large file is never shown; a character may be cut in two after those that are.
    text = data[: _BYTES_A_CHARACTER * (LONGEST_FILE + 1)].decode("utf-8", "replace")
    if not text:
        return Shown(path, "its contents, which are empty", "")
    if len(text) <= LONGEST_FILE:
        return Shown(path, "its contents", text.rstrip("\n"))
    text = head(text, LONGEST_FILE)
    return Shown(path, f"the first {len(text):,} characters of its contents of {len(data):,} bytes", text)


def head(text: str, longest: int) -> str:
    """The whole lines within the first ``longest`` characters; a first line too long alone is cut within."""
    if len(text) <= longest:
        return text
    end = text.rfind("\n", 0, longest + 1)
    return text[: end if end > 0 else longest]


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


@dataclass(frozen=True)
class ToJudge:
    """All that there is to judge: files as the judge sees them, and verdicts that need no question."""

    batches: tuple[Batch, ...]
    looked: Mapping[Place, Shown | Failed]
    repositories: tuple[str, ...]
    decided: Mapping[OfCase, JudgeVerdict] = field(default_factory=dict)
    fingerprints: Mapping[OfCase, str] = field(default_factory=dict)

    def questions(self) -> list[Question[Judgements]]:
        """Ask about each batch."""
        return [self._question(batch) for batch in self.batches]

    def _question(self, batch: Batch) -> Question[Judgements]:
        looked = [self.looked[batch.case.base, file] for file in batch.files]
        shown = [file for file in looked if isinstance(file, Shown)]
        material = [head(batch.case.issue_summary, LONGEST_ISSUE), "\n".join(self.repositories)]
        quoted = quote([*material, *(text for file in shown for text in (file.path, file.text))])
        # A part of the marker, which is a hash of all that is shown: nobody who writes one of the files can
        # write down a judgement in it that would pass for the judge's, not even as a part of a list.
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


def each_once(labels: Sequence[str]) -> Callable[[Judgements], str | None]:
    """Make what says whether a reply judges each of the files exactly once."""

    def check(reply: Judgements) -> str | None:
        judged = sorted(judgement.file for judgement in reply.judgements)
        if judged == sorted(labels):
            return None
        return f"'judgements' has {len(judged)} files, expected each of {', '.join(labels)} once"

    return check


def gather(
    cases: Sequence[Case], trees: Trees, model: LanguageModel, *, earlier: Iterable[Case] = ()
) -> ToJudge:
    """Read the files to be judged, and put those that nobody judged before together in batches.

    Files of a batch are neighbours by name, whatever rank or score the system gave them. An earlier verdict
    holds where all is the same that it rests on; which files it was asked together with does not count. A
    file that is not there is the search's own mistake.
    """
    looked = _look(cases, trees)
    always = [model.requested(), trees.names, judge_prompt().sha256, schema_text(Judgements)]
    known = {
        verdict.fingerprint: verdict
        for case in earlier
        for verdict in case.every_verdict.values()
        if verdict.fingerprint is not None and verdict.relevant is not None
    }
    fingerprints: dict[OfCase, str] = {}
    decided: dict[OfCase, JudgeVerdict] = {}
    batches = []
    for number, case in enumerate(cases, 1):
        files = []
        for file in sorted(case.to_judge):
            seen = looked[case.base, file]
            if isinstance(seen, Failed):
                missed = JudgeVerdict(False, "no", f"Not put to the judge: {seen.detail}")
                decided[case.id, file] = (
                    missed if seen.kind == NOT_THERE else JudgeVerdict(None, failure=seen)
                )
                continue
            rests_on = [head(case.issue_summary, LONGEST_ISSUE), seen.path, seen.extent, seen.text]
            fingerprint = fingerprints[case.id, file] = sha256_of_json([*always, *rests_on])[:16]
            if fingerprint in known:
                decided[case.id, file] = known[fingerprint]
            else:
                files.append(file)
        for i in range(0, len(files), BATCH):
            batches.append(Batch(number, case, tuple(files[i : i + BATCH]), i + 1))
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
            failed = Failed("infeasible", UNREADABLE, error.what)
            looked |= {(base, file): failed for file in files}
    return looked


def judge_cases(
    cases: Sequence[Case],
    model: LanguageModel,
    trees: Trees,
    calls: RunCalls,
    *,
    earlier: Iterable[Case] = (),
) -> tuple[list[Case], dict[str, Any]]:
    """Have the files judged that only we found, and those of a sample of what nobody returned.

    A batch whose reply cannot be used, even after the repair, has the failure as the verdict on each of its
    files. Returned with the cases is what the run's record says of the judge.
    """
    to_judge = gather(cases, trees, model, earlier=earlier)
    verdicts, of_shown = dict(to_judge.decided), len(to_judge.fingerprints)
    taken_over = len(verdicts.keys() & to_judge.fingerprints.keys())
    if taken_over:
        calls.progress(f"taken over from earlier: {taken_over:,} of {of_shown:,} verdicts")
    questions = to_judge.questions()
    calls.check(model, questions)
    with calls.opened() as open_calls:
        answers = open_calls.ask(questions, model, label=f"{model.name}, judging")
    for batch in to_judge.batches:
        for file, verdict in verdicts_of(batch, answers.by_id[batch.id]).items():
            place = batch.case.id, file
            verdicts[place] = replace(verdict, fingerprint=to_judge.fingerprints[place])
    judged = [
        case.judged({file: verdicts[case.id, file] for file in sorted(case.to_judge)}) for case in cases
    ]
    return judged, {model.name: answers.record}


def with_recorded_verdicts(cases: Sequence[Case], recorded: Sequence[Case], where: Path) -> list[Case]:
    """Judge cases as a recording of the same issues has them; a verdict that it lacks is missing."""
    by_issue = {(case.id, case.issue_summary): case for case in recorded}
    missing = JudgeVerdict(None, failure=Failed("provider", NOT_RECORDED, f"no verdict is in {where}"))
    judged = []
    for case in cases:
        same = by_issue.get((case.id, case.issue_summary))
        # Of a conversation that nobody was asked to judge there is no verdict to miss.
        verdicts = {} if same and unjudged(same) else dict.fromkeys(case.our_unique, missing)
        if same is not None:
            # A sample of what nobody returned holds for the same files alone.
            same_files = same.ours | same.ground_truth == case.ours | case.ground_truth
            case = replace(case, assessment=same.assessment, rest=same.rest if same_files else None)
            verdicts |= {file: verdict for file, verdict in same.verdicts.items() if file in case.ours}
        judged.append(replace(case, verdicts=dict(sorted(verdicts.items()))))
    return judged


def verdicts_of(batch: Batch, answer: Answer[Judgements]) -> dict[str, JudgeVerdict]:
    """The verdict on each file of a batch; all of them fail together."""
    if answer.value is None:
        assert answer.failure is not None
        return dict.fromkeys(batch.files, JudgeVerdict(None, failure=Failed.of(answer.failure)))
    verdicts = {}
    for judged in answer.value.judgements:
        place = int(judged.file.partition("-")[0]) - 1
        reasoning = visible(" ".join(judged.reasoning.split()))
        verdicts[batch.files[place]] = JudgeVerdict(judged.relevant, judged.actionable, reasoning)
    return verdicts


def estimate_judging(
    cases: Sequence[Case],
    model: LanguageModel,
    trees: Trees,
    calls: RunCalls,
    *,
    earlier: Sequence[Case] = (),
) -> Estimate:
    """Estimate what `judge_cases` takes."""
    to_judge = gather(cases, trees, model, earlier=earlier)
    questions = to_judge.questions()
    files = sum(len(batch.files) for batch in to_judge.batches) / max(len(questions), 1)
    judgement = FileJudgement(file="1-000000", relevant=False, actionable="maybe", reasoning=_SENTENCE)
    around = len(Judgements(judgements=[]).model_dump_json())
    characters = round(around + files * (len(judgement.model_dump_json()) + 1))
    return calls.estimate(questions, model, reply_characters=characters)
