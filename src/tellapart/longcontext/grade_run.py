"""The shell of ``grade``: what it reads, and a run directory with grades, scores and calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import polars as pl

from tellapart.core.comparison import Comparison
from tellapart.core.fingerprint import sha256_of_json
from tellapart.core.progress import SILENT, Progress
from tellapart.core.scores import ScoreTable
from tellapart.core.settings import (
    AMONG_INPUTS,
    NO_EFFECT,
    SEED_OF_RUN,
    Recorded,
    Unrecorded,
    settings_record,
)
from tellapart.environment.clock import now_ms
from tellapart.errors import UsageError
from tellapart.files import sha256_of
from tellapart.llm.budget import NO_LIMITS, Limits
from tellapart.llm.costs import Estimate
from tellapart.llm.models import LanguageModel
from tellapart.llm.run_models import RunCalls, recorded_inputs
from tellapart.longcontext.case import AnswerKey, Case, key_of
from tellapart.longcontext.defaults import DELAY_S, GraderChoice, Standard
from tellapart.longcontext.graders import (
    Decided,
    JudgeQuestions,
    ask_judge,
    decide_without_judge,
    grade_all,
    prompts_of,
    put_to_judge,
    standard_prompt,
)
from tellapart.longcontext.grades import Grade
from tellapart.longcontext.grading_record import grading_record
from tellapart.longcontext.lint import lint, lint_inputs
from tellapart.longcontext.probes import Probe
from tellapart.longcontext.reading import read_answers, read_cases, read_results
from tellapart.longcontext.results import GRADES_FILE, GradingRecord
from tellapart.longcontext.score_table import comparison_of, score_notes, score_rows
from tellapart.longcontext.tokens import tokens_a_character
from tellapart.longcontext.transcript import SUITE, PlayedCase, Results
from tellapart.store import OpenRun, RunDirectory, RunPlan


@dataclass(frozen=True)
class GradingInputs:
    """All that a grading reads."""

    results: tuple[Results, ...]
    key: AnswerKey
    answers: AnswerKey | None
    cases: Mapping[str, Case]
    notes: tuple[str, ...]
    inputs: Mapping[str, str]

    @property
    def played(self) -> tuple[PlayedCase, ...]:
        """All conversations, in order."""
        return tuple(case for results in self.results for case in results.cases)

    @property
    def controls(self) -> set[str]:
        """Names of the models as they were asked without the conversation."""
        return {case.model for case in self.played if case.control}


def read_grading_inputs(
    results: Sequence[Path], answers: Path | None = None, cases: Sequence[Path] = ()
) -> GradingInputs:
    """Read what is to be graded.

    A conversation that was played as a control is one of another model, ``M (closed-book)``, so that it is
    never mixed with the experiment. Where two files hold the same case of the same model and epoch, that of
    the later file gets the next free epoch, and a note says so. The system prompt of a record that does not
    hold it is that of the case.
    """
    read = tuple(map(read_results, results))
    written = read_cases(cases)
    by_name = {case.name: case for case in written}
    of_file = read_answers(answers) if answers is not None else None
    named = of_file and replace(of_file, notes=tuple(f"{of_file.source}: {note}" for note in of_file.notes))
    key = key_of(written, named)
    if not key.by_id and not key.by_case:
        raise UsageError(
            "no right answers are given",
            next_step="Name a file of answers with --answers, or case files that hold answers with --cases",
        )
    notes = [*(f"{part.source}: {note}" for part in read for note in part.notes), *key.notes]
    inputs = {f"results {number}": _fingerprint(part) for number, part in enumerate(read, 1)}
    inputs |= {f"case {case.name}": sha256_of_json(asdict(replace(case, source=""))) for case in written}
    inputs |= {"answers": sha256_of(answers)} if answers is not None else {}
    numbered = tuple(_numbered(read, by_name, notes))
    return GradingInputs(numbered, key, of_file, by_name, tuple(notes), inputs)


def _numbered(read: Sequence[Results], cases: Mapping[str, Case], notes: list[str]) -> Iterator[Results]:
    taken: dict[tuple[str, str], set[int]] = {}
    sources: dict[str, str] = {}
    for results in read:
        fingerprint = _fingerprint(results)
        if fingerprint in sources:
            raise UsageError(
                f"these results are those of {sources[fingerprint]} again and would count twice",
                where=results.source,
                next_step="Name each file once",
            )
        sources[fingerprint] = results.source
        conversations = []
        for case in results.cases:
            model = f"{case.model} ({case.control})" if case.control else case.model
            epochs = taken.setdefault((model, case.name), set())
            epoch = case.epoch
            # Runs of the same case that were made apart both call their first attempt epoch 0.
            if epoch in epochs:
                epoch = max(epochs) + 1
                notes.append(
                    f"{results.source}: {case.name} of {model} counts as epoch {epoch}, since an earlier "
                    f"file has its epoch {case.epoch}"
                )
            epochs.add(epoch)
            system = cases[case.name].system if case.system is None and case.name in cases else case.system
            conversations.append(replace(case, model=model, epoch=epoch, system=system))
        yield replace(results, cases=conversations)


def _fingerprint(results: Results) -> str:
    return sha256_of_json([asdict(case) for case in results.cases])


_REPLY_CHARACTERS = 220
"""Of three lines: a category, a sentence and a detail."""

Artifacts = Callable[[GradingRecord, Comparison | None], Mapping[str, str]]
"""From the record, and the models compared, to further artifacts of the run by name, such as a report."""


def _judge(settings: GradeSettings) -> dict[str, Any]:
    """What a run's record says of how the judge is asked, whatever it is asked about."""
    if settings.judge is None:
        return {"judge": None}
    config = {"judge": settings.judge.requested(), "judge_repeats": settings.repeats}
    if (prompt := standard_prompt(settings.standard)) is not None:
        config |= {"judge_standard": settings.standard, "judge_standard_prompt": prompt.sha256}
    return config


@dataclass(frozen=True)
class GradeSettings:
    """How it is graded; without a judge what code leaves stays open."""

    grader: GraderChoice = "auto"
    judge: Annotated[LanguageModel | None, Recorded(_judge)] = None
    repeats: Annotated[int, Recorded(_judge)] = 1
    standard: Annotated[Standard, Recorded(_judge)] = "documented"
    delay_s: Annotated[float, Unrecorded(NO_EFFECT)] = DELAY_S
    limits: Annotated[Limits, Unrecorded(NO_EFFECT)] = NO_LIMITS
    reuse: Annotated[Path | None, Unrecorded(AMONG_INPUTS)] = None
    seed: Annotated[int, Unrecorded(SEED_OF_RUN)] = 0

    @property
    def decider(self) -> GraderChoice:
        """Who decides in the end: only the rules where there is no judge."""
        return "rules" if self.judge is None else self.grader


def grade_run(
    files: GradingInputs,
    settings: GradeSettings,
    *,
    out: Path | None = None,
    written: Artifacts = lambda _, __: {},
    progress: Progress = SILENT,
    now: Callable[[], int] = now_ms,
) -> RunDirectory:
    """Grade, or go on with what was interrupted; what a judge answered is not asked again."""
    decided = _decided(files, settings, progress) if settings.judge else None
    plan = _plan(files, settings, out, put_to_judge(decided or ()))
    if (complete := plan.finished_run("graded", progress)) is not None:
        return complete
    questions = _questions(decided or (), settings)
    if settings.judge is not None:
        calls = _calls(settings, settings.judge, plan, progress)
        # One that is asked nothing needs no key.
        calls.check(settings.judge, questions)
    with plan.writing() as open_run:
        begun, judged = open_run.began_at(now), list[tuple[Grade, ...]]()
        if settings.judge is not None and len(questions):
            judged, asked = ask_judge(questions, settings.judge, calls)
            plan.record.models = {settings.judge.name: asked}
        graded = grade_all(decided or _decided(files, settings, progress), judged)
        with progress.step("computing figures", None):
            record = grading_record(
                files.played,
                graded,
                key=files.key,
                findings=lint(lint_inputs(list(files.cases.values()), files.results, files.answers, graded)),
                grader=settings.decider,
                judge=settings.judge.name if settings.judge else None,
                generated_at=begun,
                seed=settings.seed,
            )
            compared = _complete(open_run, record, graded, files)
        for name, text in written(record, compared).items():
            open_run.write_text(f"artifacts/{name}", text)
    return plan.open()


def estimate_grading(
    files: GradingInputs, settings: GradeSettings, out: Path | None = None
) -> dict[str, Estimate]:
    """Estimate what the judge would take; nothing is sent or written."""
    if settings.judge is None:
        return {}
    decided = _decided(files, settings, SILENT)
    plan = _plan(files, settings, out, put_to_judge(decided))
    plan.check_path()
    estimate = _calls(settings, settings.judge, plan, SILENT).estimate(
        _questions(decided, settings), settings.judge, reply_characters=_REPLY_CHARACTERS
    )
    return {f"{settings.judge.name}, judging": estimate}


def _decided(files: GradingInputs, settings: GradeSettings, progress: Progress) -> list[Decided]:
    rate = tokens_a_character(files.played)
    return decide_without_judge(files.played, files.key, files.cases, settings.decider, progress, rate)


def _plan(
    files: GradingInputs, settings: GradeSettings, out: Path | None, probes: Sequence[Probe]
) -> RunPlan:
    if settings.grader != "auto" and (settings.judge is None) != (settings.grader == "rules"):
        raise UsageError(f"the grader is {settings.grader!r}, and the judge {settings.judge!r}")
    judges = {"recording": settings.judge} if settings.judge else {}
    inputs = {**files.inputs, **recorded_inputs(judges, settings.reuse)}
    config = {"command": "grade", **settings_record(settings), **prompts_of(probes)}
    return RunPlan(SUITE, config, inputs, seed=settings.seed, out=out)


def _questions(decided: Sequence[Decided], settings: GradeSettings) -> JudgeQuestions:
    return JudgeQuestions(put_to_judge(decided), settings.repeats, settings.standard)


def _calls(settings: GradeSettings, judge: LanguageModel, plan: RunPlan, progress: Progress) -> RunCalls:
    wire = not judge.is_offline and judge.recording is None
    limits = replace(settings.limits, delay_s=settings.delay_s if wire else 0.0)
    return RunCalls(plan, limits=limits, reuse=settings.reuse, progress=progress)


def _complete(
    open_run: OpenRun, record: GradingRecord, graded: Sequence[Probe], files: GradingInputs
) -> Comparison | None:
    """Write the record and the tables, and compare the models on the scores that are written."""
    open_run.write_json(GRADES_FILE, record.model_dump())
    scores = score_rows([probe for probe in graded if probe.case.model not in files.controls], files.key)
    notes = score_notes(scores, record)
    open_run.write_frame("scores.parquet", scores, notes)
    rows = [{**probe.model_dump(), "judgings": ", ".join(probe.judgings)} for probe in record.probes]
    open_run.write_frame("items.parquet", pl.DataFrame(rows, infer_schema_length=None))
    open_run.record.counts = {
        "models": len(record.models),
        "items": len({(probe.case.name, probe.step.id) for probe in graded}),
        "conversations": len(record.cases),
        "probes": len(graded),
        "missing": sum(probe.grade.value is None for probe in graded),
    }
    return comparison_of(ScoreTable.from_frame(scores, notes=notes))
