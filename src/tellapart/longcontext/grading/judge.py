"""The shell of the judge: the journal of calls, Inspect's logs, and what the run's record says of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from tellapart.llm.budget import Limits
from tellapart.llm.models import LanguageModel
from tellapart.llm.run_models import RunCalls
from tellapart.longcontext.grades import Grade
from tellapart.longcontext.grading.graders import GradableProbe
from tellapart.longcontext.grading.judge_agreement import counting_first
from tellapart.longcontext.grading.judge_questions import (
    JudgeQuestions,
    Standard,
    judge_grade,
    prompts,
    question_id,
    standard_prompt,
)


class RecordedJudge:
    """A judge whose every reply is kept in a run directory, and never asked for twice.

    Attributes:
        record: What the run's record says of the model; None until it was asked.
    """

    def __init__(
        self,
        model: LanguageModel,
        calls: RunCalls,
        *,
        repeats: int = 1,
        standard: Standard = "documented",
    ) -> None:
        """Ask ``model``."""
        self._model, self._calls, self._repeats, self._standard = model, calls, repeats, standard
        self.record: dict[str, Any] | None = None

    def __call__(self, probes: Sequence[GradableProbe]) -> list[tuple[Grade, ...]]:
        """Judge responses; the grade that counts comes first."""
        questions = JudgeQuestions(probes, self._repeats, self._standard)
        self._calls.check(self._model, questions)
        repeat_of = {
            question_id(number, probe, repeat): repeat
            for number, probe in enumerate(probes)
            for repeat in range(self._repeats)
        }

        with self._calls.opened() as open_calls:
            session = open_calls.ask(questions, self._model, label=f"{self._model.name}, judging")
            grades = [judge_grade(session.by_id[id_], repeat) for id_, repeat in repeat_of.items()]
        self.record = session.record
        of_probe = (grades[i : i + self._repeats] for i in range(0, len(grades), self._repeats))
        return [counting_first(attempts) for attempts in of_probe]


def judge_config(
    model: LanguageModel | None, *, repeats: int = 1, standard: Standard = "documented"
) -> dict[str, Any]:
    """What a run's record says of how the judge is asked, whatever it is asked about."""
    if model is None:
        return {"judge": None}
    config = {"judge": model.requested(), "judge_repeats": repeats}
    if (prompt := standard_prompt(standard)) is not None:
        config |= {"judge_standard": standard, "judge_standard_prompt": prompt.sha256}
    return config


def prompts_of(probes: Iterable[GradableProbe]) -> dict[str, str]:
    """Hashes of the prompts by which the judge is asked about probes."""
    names = {probe.kind.judge.name for probe in probes}
    return {f"{name}_prompt": prompts()[name].sha256 for name in sorted(names)}


def paced(limits: Limits, model: LanguageModel, delay_s: float) -> Limits:
    """Limits with a delay between calls, where calls go over a wire."""
    wire = not model.is_offline and model.recording is None
    return replace(limits, delay_s=delay_s if wire else 0.0)
