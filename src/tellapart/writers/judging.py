"""Judges: language models that score summaries beside their code, and say which of two is better.

Their run holds every verdict in ``judgements.parquet``, see ``JUDGEMENTS``, and the same in
``scores.parquet`` as ``audit`` and ``compare`` read it: the item is a unit and a judge, so that writers meet
within a judge.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import combinations
from math import fsum
from pathlib import Path
from typing import Annotated, Any, Literal

import polars as pl
from pydantic import BaseModel, ConfigDict, Field, create_model

from tellapart.contrastive.benchmark import Benchmark, keep_benchmark, read_benchmark
from tellapart.contrastive.llm_matching import LONGEST_CODE, cut
from tellapart.core.progress import SILENT, Progress
from tellapart.core.score_notes import ScoreNotes
from tellapart.core.settings import AMONG_INPUTS, NO_EFFECT, Recorded, Unrecorded
from tellapart.errors import InputError
from tellapart.extraction.unit import Unit
from tellapart.llm.budget import NO_LIMITS, Limits
from tellapart.llm.costs import Estimate
from tellapart.llm.models import LanguageModel
from tellapart.llm.prompts import Prompt, read_prompt, schema_text
from tellapart.llm.questions import Answer, Question
from tellapart.llm.quoting import quote, visible
from tellapart.llm.run_models import RunCalls, check_distinct, prompt_hashes
from tellapart.report.missing_reasons import by_cause
from tellapart.store import RunDirectory, RunPlan
from tellapart.store.runs import DATABASE
from tellapart.writers.evidence import planned_run, sample, why_missing
from tellapart.writers.verdicts import (
    CRITERIA,
    ITEM,
    JUDGEMENTS,
    LEAST,
    MOST,
    PAIRWISE,
    POINTS,
    POINTWISE,
    judges_asked,
    score_table,
)
from tellapart.writers.weights import JUDGE

Score = Annotated[int, Field(ge=LEAST, le=MOST)]
_STRICT = ConfigDict(extra="forbid")

Scored: type[BaseModel] = create_model(
    "Scored", __config__=_STRICT, **dict.fromkeys(CRITERIA, (Score, ...)), reasoning=(str, ...)
)  # type: ignore[call-overload]
"""What a judge replies of one summary."""


class Preferred(BaseModel):
    """What a judge replies of two summaries."""

    model_config = _STRICT

    better: Literal["first", "second", "tie"]
    reasoning: str


_REPLIES: dict[str, BaseModel] = {
    POINTWISE: Scored(**dict.fromkeys(CRITERIA, 3), reasoning="x" * 120),
    PAIRWISE: Preferred(better="second", reasoning="x" * 120),
}
"""An ordinary reply by method, for its form and for estimates."""

_TIE = {
    "score": POINTS["tie"],
    "reasoning": "Both summaries are the same to the letter, so nobody was asked.",
    "repaired": False,
}


@cache
def _prompts() -> dict[str, Prompt]:
    names = {POINTWISE: "score", PAIRWISE: "prefer"}
    return {method: read_prompt("tellapart.writers", name) for method, name in names.items()}


@cache
def _families() -> dict[str, Any]:
    return tomllib.loads(files("tellapart.writers").joinpath("families.toml").read_text(encoding="utf-8"))


def families_of(name: str, named: Mapping[str, str]) -> set[str]:
    """List the families of a model, by its own name, else by the path before it; a distilled one has two."""
    if name in named:
        return {named[name]}
    *path, own = name.casefold().split("/")
    if path and path[0] in _families()["servers"]:
        path = path[1:]
    for text in (own, " ".join(path)):
        # "qwen2" and "gpt4o" are words with a number behind; "c4ai" and "o3" have one within.
        words = {*re.findall(r"[a-z]+", text), *re.findall(r"[a-z0-9]+", text)}
        if found := {family for family, marks in _families()["families"].items() if words & {*marks}}:
            return found
    return set()


def is_same_family(judge: str, writer: str, named: Mapping[str, str]) -> bool:
    """Whether a judge would judge its own kind: itself, or a model that shares a family with it."""
    return judge == writer or bool(families_of(judge, named) & families_of(writer, named))


def _judges(settings: JudgeSettings) -> dict[str, Any]:
    return {"judges": [judge.requested() for judge in settings.judges]}


def _methods(settings: JudgeSettings) -> dict[str, Any]:
    prompts = {f"{method}_prompt": _prompts()[method] for method in settings.methods}
    return {"methods": list(settings.methods), "weights": dict(CRITERIA), **prompt_hashes(prompts)}


@dataclass(frozen=True)
class JudgeSettings:
    """How the summaries of a benchmark are judged.

    Attributes:
        methods: ``pointwise``, ``pairwise`` or both, in this order.
        units: How many units' summaries are judged; None for all targets.
        families: By model its family, where its name does not say it.
        reuse: An earlier run, or its journal of calls, whose answers are taken over.
    """

    judges: Annotated[Sequence[LanguageModel], Recorded(_judges)]
    methods: Annotated[Sequence[str], Recorded(_methods)] = (POINTWISE,)
    units: int | None = None
    families: Mapping[str, str] = field(default_factory=dict)
    limits: Annotated[Limits, Unrecorded(NO_EFFECT)] = NO_LIMITS
    reuse: Annotated[Path | None, Unrecorded(AMONG_INPUTS)] = None


@dataclass(frozen=True)
class Batch:
    """What one judge is asked by one method about the writers that are not of its family.

    ``shown`` has rows of ``JUDGEMENTS`` without a verdict yet, each with the id of its question, or None
    where two summaries are the same to the letter; ``absent`` has those of summaries that there are not.
    """

    judge: LanguageModel
    method: str
    shown: Sequence[tuple[dict[str, Any], str | None]]
    absent: Sequence[dict[str, Any]]
    questions: Sequence[Question[Any]]

    @property
    def step(self) -> str:
        """Name of the step in a run."""
        return f"{self.judge.name}, {self.method}"


def batches(benchmark: Benchmark, settings: JudgeSettings) -> list[Batch]:
    """Make the questions of each judge and method: each summary, and each two of a unit in both orders."""
    targets = sample(benchmark, settings.units)
    if not targets:
        raise InputError(
            "no target of this benchmark has a summary", next_step="Build it with 'contrastive build'"
        )
    if PAIRWISE in settings.methods and all(len(_writers_of(benchmark, target)) < 2 for target in targets):
        raise InputError(
            f"no unit has summaries of two writers, so there are no pairs; the only writer is "
            f"{', '.join(benchmark.texts)}",
            next_step="Use --method pointwise, or build with --summaries llm:A,B",
        )
    planned = [
        _batch(benchmark, judge, method, targets, settings.families)
        for judge in settings.judges
        for method in settings.methods
    ]
    if not any(batch.shown for batch in planned):
        raise InputError(
            "no judge has anything to judge: they are all of the family of the writers",
            next_step="Name a judge of another maker, or say whose a model is with --family MODEL=NAME",
        )
    return planned


def _writers_of(benchmark: Benchmark, target: str) -> list[str]:
    return [writer for writer, texts in benchmark.texts.items() if target in texts]


def _batch(
    benchmark: Benchmark,
    judge: LanguageModel,
    method: str,
    targets: Sequence[str],
    families: Mapping[str, str],
) -> Batch:
    """Ask once about each text, or two texts in one order, of a unit; no question names a writer."""
    others = {name for name in benchmark.texts if not is_same_family(judge.name, name, families)}
    shown: list[tuple[dict[str, Any], str | None]] = []
    absent: list[dict[str, Any]] = []
    questions: list[Question[Any]] = []
    for target in targets:
        row = {"judge": judge.name, "method": method, "target": target, "path": benchmark.unit(target).path}
        names = [name for name in _writers_of(benchmark, target) if name in others]
        absent += [
            {**row, "writer": writer, "missing": why_missing(benchmark, writer, target)}
            for writer in sorted(others.difference(names))
        ]
        showings: list[tuple[str, ...]] = [(name,) for name in names]
        if method == PAIRWISE:
            showings = [order for a, b in combinations(names, 2) for order in ((a, b), (b, a))]
        ids: dict[tuple[str, ...], str] = {}
        for showing in showings:
            texts = tuple(benchmark.texts[writer][target] for writer in showing)
            of_showing = {**row, **dict(zip(("writer", "opponent"), showing, strict=False))}
            if len(texts) > 1 and texts[0] == texts[1]:
                shown.append((of_showing, None))
                continue
            if texts not in ids:
                ids[texts] = f"{target} {method} {len(ids) + 1}"
                questions.append(_question(benchmark.unit(target), method, texts, ids[texts]))
            shown.append((of_showing, ids[texts]))
    return Batch(judge, method, shown, absent, questions)


def _question(unit: Unit, method: str, texts: Sequence[str], name: str) -> Question[Any]:
    reply = type(_REPLIES[method])
    quoted = quote([cut(unit.content, LONGEST_CODE), *texts])
    code, *summaries = quoted.texts
    names = ("summary",) if method == POINTWISE else ("first", "second")
    prompt = _prompts()[method].render(
        marker=quoted.marker,
        kind=unit.type,
        language=unit.language,
        schema=schema_text(reply),
        code=code,
        **dict(zip(names, summaries, strict=True)),
    )
    return Question(name, prompt, reply)


def judgement_rows(batch: Batch, answers: Mapping[str, Answer[Any]]) -> pl.DataFrame:
    """Lay out the verdicts of one judge, and the summaries that there are not, as rows of ``JUDGEMENTS``."""
    rows = [row | (_verdict(answers[asked]) if asked else _TIE) for row, asked in batch.shown]
    return pl.DataFrame([*rows, *batch.absent], schema=JUDGEMENTS)


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
    score = round(fsum(weight * reply[name] for name, weight in CRITERIA.items()), 9)
    return {**verdict, **reply, "score": score}


def _item_texts(benchmark: Benchmark, judgements: pl.DataFrame) -> pl.DataFrame:
    """What each item shows, as pages and sheets for people read it; what the judge says of it is apart."""
    shown = judgements.drop_nulls("repaired").with_columns(ITEM)
    shown = shown.unique(["writer", "item"], keep="first", maintain_order=True)
    is_scored = (shown["method"] == POINTWISE) & shown["score"].is_not_null()
    verdicts = [
        f"{score:g} of 5. {reasoning}" if scored else None
        for score, reasoning, scored in zip(shown["score"], shown["reasoning"], is_scored, strict=True)
    ]
    about = list(shown.select("writer", "target").iter_rows())
    return shown.select(
        model="writer",
        item="item",
        question=pl.Series([cut(benchmark.unit(unit).content) for _, unit in about], dtype=pl.String),
        response=pl.Series([benchmark.texts[writer][unit] for writer, unit in about], dtype=pl.String),
        verdict=pl.Series(verdicts, dtype=pl.String),
    )


def _plan(benchmark: Benchmark, settings: JudgeSettings, out: str | Path | None) -> RunPlan:
    check_distinct(
        settings.judges, next_step="Name it once in a run; to ask it with other settings, start another run"
    )
    return planned_run(benchmark, JUDGE, settings, settings.judges, out)


def judge(
    bench: str | Path,
    settings: JudgeSettings,
    *,
    out: str | Path | None = None,
    progress: Progress = SILENT,
) -> RunDirectory:
    """Have the summaries of a benchmark judged, or finish an interrupted run of the same.

    Args:
        out: Run directory; by default ``runs/`` and a name that follows from the settings.

    Raises:
        InputError: There is nothing to judge.
        UsageError: A judge is named twice or cannot be asked.
    """
    benchmark = read_benchmark(Path(bench))
    run_plan = _plan(benchmark, settings, out)
    planned = batches(benchmark, settings)
    if (complete := run_plan.finished_run("judged", progress)) is not None:
        return complete
    calls = RunCalls(run_plan, limits=settings.limits, reuse=settings.reuse, progress=progress)
    for batch in planned:
        calls.check(batch.judge, batch.questions)
    with run_plan.writing() as open_run:
        keep_benchmark(Path(bench), open_run)
        parts = []
        with calls.opened() as open_calls:
            for batch in planned:
                answers = open_calls.ask(batch.questions, batch.judge, label=batch.step)
                parts.append(judgement_rows(batch, answers.by_id))
            open_run.record.models = {model.name: open_calls.record(model) for model in settings.judges}
        judgements = pl.concat(parts)
        scores = score_table(judgements)
        open_run.write_frame("judgements.parquet", judgements)
        open_run.write_frame("items.parquet", _item_texts(benchmark, judgements))
        cautions = _cautions(benchmark, judgements)
        notes = ScoreNotes(by="judge", cautions=cautions)
        if len(settings.methods) > 1:
            notes = ScoreNotes(by="method", primary=("method", POINTWISE), cautions=cautions)
        open_run.write_frame("scores.parquet", scores, notes)
        open_run.record.counts = {"models": scores["model"].n_unique(), "items": scores["item"].n_unique()}
    return run_plan.open()


def _cautions(benchmark: Benchmark, judgements: pl.DataFrame) -> tuple[str, ...]:
    """Name the writers about whom nobody was asked."""
    without = sorted({*benchmark.texts} - {*judgements.drop_nulls("repaired")["writer"]})
    why = "every judge is of the same family, or there was nothing to judge"
    return (f"No judge was asked about {', '.join(without)}: {why}.",) if without else ()


def warnings_of_unusable(run: RunDirectory) -> list[str]:
    """Warn of judges none of whose replies in a complete run could be used, a sentence each."""
    return [
        f"{use.judge}: no verdict could be used ({by_cause(use.failures)}); see {run.path / DATABASE}"
        for use in judges_asked(run.frame("judgements.parquet"))
        if use.failures and not use.verdicts
    ]


def estimate_judging_cost(bench: Path, settings: JudgeSettings, out: Path | None) -> dict[str, Estimate]:
    """Estimate what it takes to have summaries judged, by judge and method."""
    benchmark = read_benchmark(bench)
    run_plan = _plan(benchmark, settings, out)
    planned = batches(benchmark, settings)
    run_plan.check_path()
    calls = RunCalls(run_plan, limits=settings.limits, reuse=settings.reuse)
    return {
        batch.step: calls.estimate(
            batch.questions, batch.judge, reply_characters=len(_REPLIES[batch.method].model_dump_json())
        )
        for batch in planned
    }
