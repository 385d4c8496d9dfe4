"""What judges are asked: to score a summary beside its code, and which of two is better, in both orders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from tellapart.contrastive.benchmark import Benchmark
from tellapart.contrastive.judging.criteria import LEAST, MOST, PAIRWISE, POINTWISE
from tellapart.contrastive.shown_code import LONGEST_CODE, cut
from tellapart.contrastive.targets import pick_targets
from tellapart.llm.prompts import Prompt, read_prompt, schema_text
from tellapart.llm.questions import Question
from tellapart.llm.quoting import quote

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
def judge_prompts() -> dict[str, Prompt]:
    """The prompts by method."""
    names = {POINTWISE: "score", PAIRWISE: "prefer"}
    return {method: read_prompt("tellapart.contrastive.judging", name) for method, name in names.items()}


@dataclass(frozen=True)
class Showing:
    """A summary of one writer, or those of two in one order, put to a judge.

    Attributes:
        target: The unit's id.
        writer: Of the summary, or of the one that stands first.
        opponent: Of the one that stands second; None where one summary is scored.
    """

    target: str
    writer: str
    opponent: str | None = None

    @property
    def method(self) -> str:
        """``pointwise`` or ``pairwise``."""
        return POINTWISE if self.opponent is None else PAIRWISE


class JudgeQuestions:
    """One question for each text, or two texts in one order, about a unit; no writer is named in any.

    Writers whose summaries of a unit are the same to the letter share a question. Two such summaries are not
    compared at all: they tie.

    Attributes:
        showings: What is judged, unit after unit.
    """

    def __init__(self, benchmark: Benchmark, showings: Sequence[Showing]) -> None:
        """Ask about ``showings``, whose writers all have a summary of their target."""
        self.showings = showings
        self._benchmark = benchmark
        texts = {source: benchmark.texts(source) for source in benchmark.sources}
        self._ids: dict[Showing, str | None] = {}
        self._asked: dict[tuple[str, ...], str] = {}
        of_target: dict[str, int] = {}
        for showing in showings:
            shown = tuple(
                texts[writer][showing.target] for writer in (showing.writer, showing.opponent) if writer
            )
            if len(shown) == 2 and shown[0] == shown[1]:
                self._ids[showing] = None
                continue
            key = (showing.target, *shown)
            if key not in self._asked:
                of_target[showing.target] = of_target.get(showing.target, 0) + 1
                self._asked[key] = f"{showing.target} {showing.method} {of_target[showing.target]}"
            self._ids[showing] = self._asked[key]

    def id_of(self, showing: Showing) -> str | None:
        """The id of the question that a showing is judged by; None for two summaries that are the same."""
        return self._ids[showing]

    def __len__(self) -> int:
        """Count the questions."""
        return len(self._asked)

    def __iter__(self) -> Iterator[Question[Any]]:
        """Make the questions, unit after unit."""
        for (target, *texts), id_ in self._asked.items():
            yield self._question(id_, target, texts)

    def _question(self, id_: str, target: str, texts: Sequence[str]) -> Question[Any]:
        unit = self._benchmark.units[self._benchmark.position[target]]
        quoted = quote([cut(unit.content, LONGEST_CODE), *texts])
        code, *summaries = quoted.texts
        reply: type[BaseModel] = Scored if len(texts) == 1 else Preferred
        names = ("summary",) if len(texts) == 1 else ("first", "second")
        prompt = judge_prompts()[POINTWISE if len(texts) == 1 else PAIRWISE].render(
            marker=quoted.marker,
            kind=unit.type,
            language=unit.language,
            code=code,
            schema=schema_text(reply),
            **dict(zip(names, summaries, strict=True)),
        )
        return Question(id_, prompt, reply)


def judged_units(benchmark: Benchmark, units: int | None) -> list[str]:
    """Choose the units whose summaries are judged."""
    written = {summary.unit for summary in benchmark.summaries}
    targets = [benchmark.position[unit.id] for unit in benchmark.targets if unit.id in written]
    count = len(targets) if units is None else units
    return [
        benchmark.units[i].id for i in pick_targets(benchmark.units, targets, count, benchmark.header.seed)
    ]


def showings_of(benchmark: Benchmark, targets: Sequence[str], methods: Sequence[str]) -> list[Showing]:
    """List what is judged: each summary, and each two of a unit in both orders; unit after unit."""
    texts = {source: benchmark.texts(source) for source in benchmark.sources}
    showings: list[Showing] = []
    for target in targets:
        writers = [source for source in benchmark.sources if target in texts[source]]
        if POINTWISE in methods:
            showings += [Showing(target, writer) for writer in writers]
        if PAIRWISE in methods:
            for a, b in combinations(writers, 2):
                showings += [Showing(target, a, b), Showing(target, b, a)]
    return showings
