"""Judges: language models that score summaries beside their code, and say which of two is better.

A run of judges is a run of ``writers`` whose configuration says ``evidence: judge``. It holds

- ``judgements.parquet``: every verdict; see ``JUDGEMENTS``.
- ``scores.parquet``: the same as ``audit`` and ``compare`` read them. ``model`` is the writer, ``item`` the
  unit and the judge, so that writers are compared within the same judge.
- ``items.parquet``: the texts of the pointwise items, for pages.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import combinations
from math import fsum
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import polars as pl
from pydantic import BaseModel, ConfigDict, Field

from tellapart.contrastive.kept_benchmark import keep_benchmark, part_name
from tellapart.contrastive.shown_code import LONGEST_CODE, cut
from tellapart.core.progress import SILENT, Progress
from tellapart.core.score_notes import ScoreNotes
from tellapart.core.settings import AMONG_INPUTS, NO_EFFECT, Recorded, Unrecorded, settings_record
from tellapart.errors import InputError
from tellapart.llm.budget import NO_LIMITS, Limits
from tellapart.llm.costs import Estimate
from tellapart.llm.models import LanguageModel
from tellapart.llm.prompts import Prompt, read_prompt, schema_text
from tellapart.llm.questions import Answer, Question
from tellapart.llm.quoting import quote, visible
from tellapart.llm.run_models import RunCalls, check_distinct, prompt_hashes, recorded_inputs
from tellapart.report.missing_reasons import by_cause
from tellapart.store import OpenRun, RunDirectory, RunPlan
from tellapart.store.runs import DATABASE
from tellapart.writers.families import is_same_family
from tellapart.writers.judgements import (
    JUDGEMENTS,
    LEAST,
    MOST,
    PAIRWISE,
    POINTS,
    POINTWISE,
    WEIGHTS,
    judge_scores,
)
from tellapart.writers.sources import JUDGE
from tellapart.writers.written import Written, read_written

_SAME_TEXT = "Both summaries are the same to the letter, so nobody was asked."
_SENTENCE = "x" * 120

Score = Annotated[int, Field(ge=LEAST, le=MOST)]


class Scored(BaseModel):
    """What a judge replies of one summary."""

    model_config = ConfigDict(extra="forbid")

    accuracy: Score
    completeness: Score
    semantic_richness: Score
    abstraction: Score
    conciseness: Score
    reasoning: str


class Preferred(BaseModel):
    """What a judge replies of two summaries."""

    model_config = ConfigDict(extra="forbid")

    better: Literal["first", "second", "tie"]
    reasoning: str


@cache
def _prompts() -> dict[str, Prompt]:
    names = {POINTWISE: "score", PAIRWISE: "prefer"}
    return {method: read_prompt("tellapart.writers", name) for method, name in names.items()}


def _judges(settings: JudgeSettings) -> dict[str, Any]:
    return {"judges": [judge.requested() for judge in settings.judges]}


def _methods(settings: JudgeSettings) -> dict[str, Any]:
    prompts = {f"{method}_prompt": _prompts()[method] for method in settings.methods}
    return {"methods": list(settings.methods), "weights": dict(WEIGHTS), **prompt_hashes(prompts)}


@dataclass(frozen=True)
class JudgeSettings:
    """How the summaries of a benchmark are judged.

    Attributes:
        judges: Language models, each once.
        methods: ``pointwise``, ``pairwise`` or both, in this order.
        units: How many units' summaries are judged; None for all targets.
        families: By model its family, where its name does not say it.
        limits: What judges may cost, and how many calls run at the same time.
        reuse: An earlier run, or its journal of calls, whose answers are taken over.
    """

    judges: Annotated[Sequence[LanguageModel], Recorded(_judges)]
    methods: Annotated[Sequence[str], Recorded(_methods)] = (POINTWISE,)
    units: int | None = None
    families: Mapping[str, str] = field(default_factory=dict)
    limits: Annotated[Limits, Unrecorded(NO_EFFECT)] = NO_LIMITS
    reuse: Annotated[Path | None, Unrecorded(AMONG_INPUTS)] = None


class Showing(NamedTuple):
    """A summary of one writer, or those of two in one order, put to a judge."""

    target: str
    writer: str
    opponent: str | None = None


@dataclass(frozen=True)
class JudgeQuestions:
    """One question for each text, or two texts in one order, about a unit; no writer is named in any.

    Writers whose summaries of a unit are the same to the letter share a question. Two such summaries are not
    compared at all: they tie.
    """

    written: Written
    method: str
    showings: Sequence[Showing]

    def without(self, writers: Collection[str]) -> JudgeQuestions:
        """Leave out what some writers wrote."""
        showings = [showing for showing in self.showings if not {*showing[1:]} & {*writers}]
        return replace(self, showings=showings)

    def id_of(self, showing: Showing) -> str | None:
        """Give the id of the question by which a showing is judged; None for two equal summaries."""
        return self._ids.get((showing.target, *self._texts(showing)))

    def __len__(self) -> int:
        """Count the questions."""
        return len(self._ids)

    def __iter__(self) -> Iterator[Question[Any]]:
        """Make the questions, unit after unit."""
        for (target, *texts), name in self._ids.items():
            unit = self.written.units[target]
            quoted = quote([cut(unit.content, LONGEST_CODE), *texts])
            reply: type[BaseModel] = Scored if self.method == POINTWISE else Preferred
            names = ("code", "summary") if self.method == POINTWISE else ("code", "first", "second")
            prompt = _prompts()[self.method].render(
                marker=quoted.marker,
                kind=unit.type,
                language=unit.language,
                schema=schema_text(reply),
                **dict(zip(names, quoted.texts, strict=True)),
            )
            yield Question(name, prompt, reply)

    @cached_property
    def _ids(self) -> dict[tuple[str, ...], str]:
        ids: dict[tuple[str, ...], str] = {}
        counts: dict[str, int] = {}
        for showing in self.showings:
            texts = self._texts(showing)
            key = (showing.target, *texts)
            if key not in ids and (len(texts) == 1 or texts[0] != texts[1]):
                counts[showing.target] = counts.get(showing.target, 0) + 1
                ids[key] = f"{showing.target} {self.method} {counts[showing.target]}"
        return ids

    def _texts(self, showing: Showing) -> tuple[str, ...]:
        names = (showing.writer, showing.opponent)
        return tuple(self.written.texts[writer][showing.target] for writer in names if writer)


def judge_questions(
    written: Written, settings: JudgeSettings
) -> dict[tuple[LanguageModel, str], JudgeQuestions]:
    """Make the questions of each judge and method: each summary, and each two of a unit in both orders.

    A judge is not asked about writers of its own family.
    """
    targets = written.sample(settings.units)
    if not targets:
        raise InputError(
            "no target of this benchmark has a summary", next_step="Build it with 'contrastive build'"
        )
    writers = {
        target: [name for name, texts in written.texts.items() if target in texts] for target in targets
    }
    showings = {
        POINTWISE: [Showing(target, name) for target in targets for name in writers[target]],
        PAIRWISE: [
            Showing(target, *pair)
            for target in targets
            for a, b in combinations(writers[target], 2)
            for pair in ((a, b), (b, a))
        ],
    }
    if PAIRWISE in settings.methods and not showings[PAIRWISE]:
        raise InputError(
            f"no unit has summaries of two writers, so there are no pairs; the only writer is "
            f"{', '.join(written.writers)}",
            next_step="Use --method pointwise, or build with --summaries llm:A,B",
        )
    questions = {}
    for judge in settings.judges:
        own = [name for name in written.writers if is_same_family(judge.name, name, settings.families)]
        for method in settings.methods:
            batch = JudgeQuestions(written, method, showings[method])
            questions[judge, method] = batch.without(own)
    if not any(batch.showings for batch in questions.values()):
        raise InputError(
            "no judge has anything to judge: they are all of the family of the writers",
            next_step="Name a judge of another maker, or say whose a model is with --family MODEL=NAME",
        )
    return questions


def judgement_rows(judge: str, questions: JudgeQuestions, answers: Mapping[str, Answer[Any]]) -> pl.DataFrame:
    """Lay out the verdicts of one judge."""
    rows = []
    for showing in questions.showings:
        name = questions.id_of(showing)
        rows.append(
            {
                "judge": judge,
                "method": questions.method,
                **showing._asdict(),
                "path": questions.written.units[showing.target].path,
                **(_verdict(answers[name]) if name else _TIE),
            }
        )
    return pl.DataFrame(rows, schema=JUDGEMENTS)


_TIE = {"score": POINTS["tie"], "reasoning": _SAME_TEXT, "repaired": False}


def _verdict(answer: Answer[Any]) -> dict[str, Any]:
    if answer.value is None:
        assert answer.failure is not None
        cause, kind = answer.failure.cause, answer.failure.kind
        return {"missing": cause, "failure": kind, "repaired": answer.repaired}
    reply = answer.value.model_dump()
    reasoning = visible(" ".join(reply.pop("reasoning").split()))
    verdict = {"reasoning": reasoning, "repaired": answer.repaired}
    if "better" in reply:
        return {**verdict, "score": POINTS[reply["better"]]}
    score = round(fsum(weight * reply[name] for name, weight in WEIGHTS.items()), 9)
    return {**verdict, **reply, "score": score}


def _item_texts(written: Written, judgements: pl.DataFrame) -> pl.DataFrame:
    """What each pointwise item shows and what the judge says of it, as pages read the texts of items."""
    rows = [
        {
            "model": row["writer"],
            "item": f"{row['target']} | {row['judge']}",
            "question": cut(written.units[row["target"]].content),
            "response": f"{written.texts[row['writer']][row['target']]}\n\n{row['judge']}: "
            f"{row['score']:g} of 5. {row['reasoning']}",
        }
        for row in judgements.filter(method=POINTWISE).iter_rows(named=True)
        if row["score"] is not None
    ]
    return pl.DataFrame(rows, schema=dict.fromkeys(("model", "item", "question", "response"), pl.String))


def _plan(written: Written, settings: JudgeSettings, out: Path | None) -> RunPlan:
    check_distinct(
        settings.judges, next_step="Name it once in a run; to ask it with other settings, start another run"
    )
    recordings = {f"recording of {judge.name}": judge for judge in settings.judges}
    inputs = {"benchmark": written.fingerprint, **recorded_inputs(recordings, settings.reuse)}
    config = {"evidence": JUDGE, **settings_record(settings)}
    return RunPlan("writers", config, inputs, seed=written.seed, out=out)


def judge(
    bench: str | Path,
    settings: JudgeSettings,
    *,
    out: str | Path | None = None,
    progress: Progress = SILENT,
) -> RunDirectory:
    """Have the summaries of a benchmark judged, or finish an interrupted run of the same.

    Args:
        bench: Directory of the benchmark.
        settings: Whom to ask, and how.
        out: Run directory; by default ``runs/`` and a name that follows from the settings.
        progress: Is told what is done.

    Returns:
        The run, complete.

    Raises:
        InputError: There is nothing to judge.
        UsageError: A judge is named twice or cannot be asked.
    """
    bench, out = Path(bench), None if out is None else Path(out)
    written = read_written(bench)
    run_plan = _plan(written, settings, out)
    questions = judge_questions(written, settings)
    if (complete := run_plan.finished_run("judged", progress)) is not None:
        return complete
    calls = RunCalls(run_plan, limits=settings.limits, reuse=settings.reuse, is_judge=True, progress=progress)
    finished = run_plan.finished_steps()
    for (model, _), batch in questions.items():
        if _step(model, batch) not in finished:
            calls.check(model, batch)
    with run_plan.writing() as open_run:
        keep_benchmark(bench, open_run)
        calls.plan({_step(model, batch): (model, len(batch)) for (model, _), batch in questions.items()})
        with calls.opened() as open_calls:
            for (model, method), batch in questions.items():
                step = _step(model, batch)
                if not open_run.done(step):
                    answers = open_calls.ask(batch, model, label=step).by_id
                    rows = judgement_rows(model.name, batch, answers)
                    open_run.write_frame(part_name(model.name, method), rows)
                    open_run.finish_step(step)
            open_run.record.models = {model.name: open_calls.record(model) for model in settings.judges}
        names = [part_name(model.name, method) for model, method in questions]
        judgements = pl.concat([JUDGEMENTS.to_frame(), *map(open_run.read_frame, names)])
        _write_results(open_run, written, judgements, settings)
    return run_plan.open()


def _write_results(
    open_run: OpenRun, written: Written, judgements: pl.DataFrame, settings: JudgeSettings
) -> None:
    scores = judge_scores(written, judgements, written.sample(settings.units), settings.families)
    several = len(settings.methods) > 1
    notes = ScoreNotes(
        by="method" if several else "judge",
        primary=("method", POINTWISE) if several else None,
        cautions=_cautions(written, judgements),
    )
    open_run.write_frame("judgements.parquet", judgements)
    open_run.write_frame("items.parquet", _item_texts(written, judgements))
    open_run.write_frame("scores.parquet", scores, notes)
    open_run.record.counts = {"models": scores["model"].n_unique(), "items": scores["item"].n_unique()}


def _cautions(written: Written, judgements: pl.DataFrame) -> tuple[str, ...]:
    judged = {*judgements["writer"], *judgements["opponent"]}
    without = [writer for writer in written.writers if writer not in judged]
    if not without:
        return ()
    return (
        f"No judge was asked about {', '.join(without)}: every judge is of the same family, or there was "
        "nothing to judge.",
    )


def estimate_judging_cost(bench: Path, settings: JudgeSettings, out: Path | None) -> dict[str, Estimate]:
    """Estimate what it takes to have summaries judged, by judge and method."""
    written = read_written(bench)
    run_plan = _plan(written, settings, out)
    questions = judge_questions(written, settings)
    run_plan.check_path()
    calls = RunCalls(run_plan, limits=settings.limits, reuse=settings.reuse)
    replies = {
        POINTWISE: Scored(**dict.fromkeys(WEIGHTS, 3), reasoning=_SENTENCE),
        PAIRWISE: Preferred(better="second", reasoning=_SENTENCE),
    }
    return {
        _step(model, batch): calls.estimate(
            batch, model, reply_characters=len(replies[method].model_dump_json())
        )
        for (model, method), batch in questions.items()
    }


def _step(judge: LanguageModel, questions: JudgeQuestions) -> str:
    return f"{judge.name}, {questions.method}"


def warn_of_unusable(run: RunDirectory) -> list[str]:
    """Warn of judges none of whose replies in a complete run could be used, a sentence each."""
    return [
        f"{name}: no verdict could be used ({by_cause(causes)}); see {run.path / DATABASE}"
        for (name,), rows in run.frame("judgements.parquet").group_by("judge", maintain_order=True)
        if rows["score"].null_count() == rows.height
        and (causes := dict(rows["missing"].value_counts().sort("missing").iter_rows()))
    ]
