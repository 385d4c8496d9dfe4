"""What the judge would be asked, and what that may cost, before anything is sent or written."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tellapart.codesearch.base_trees import Trees
from tellapart.codesearch.judging.assessment import DIMENSIONS, AssessQuestions
from tellapart.codesearch.judging.prompts import BATCH, FileJudgement, Judgements, JudgeQuestions, gather
from tellapart.codesearch.model import Case, Explored, Searched
from tellapart.llm.costs import Estimate
from tellapart.llm.models import LanguageModel
from tellapart.llm.run_models import RunCalls

_SENTENCE = "x" * 120
"""As long as a sentence of twenty words."""

_FILES_OF_A_RUN = 40
"""Files that an exploration finds; recorded ones of agents have 26 to 52."""


def unexplored(searched: Sequence[Searched]) -> list[Case]:
    """Stand-ins for conversations that nobody has explored yet.

    No exploration finds any of our files in them, so that all of these are put to the judge. That is the most
    there can be, and not far from what searches with much noise come to: in a recorded pipeline 98 % of the
    files were its own. The ground truth is ``_FILES_OF_A_RUN`` paths of usual length.
    """
    made_up = tuple(f"an/unexplored/place/of/ordinary/length/number_{i:03}" for i in range(_FILES_OF_A_RUN))
    return [Case.of(search, Explored("none", made_up), Explored("none", made_up)) for search in searched]


def estimate_judging_cost(
    cases: Sequence[Case],
    model: LanguageModel,
    trees: Trees,
    calls: RunCalls,
    *,
    areas: Collection[str] | None = None,
    earlier: Sequence[Case] = (),
    size: int = BATCH,
    repeats: int = 1,
) -> dict[str, Estimate]:
    """Estimate what it takes to judge, and to assess; see ``judge_cases`` and ``assess_cases``.

    What is asked file by file, because a batch had no usable reply, is in neither figure.
    """
    to_judge = gather(cases, trees, model, earlier=earlier, size=size, repeats=repeats)
    questions = JudgeQuestions(to_judge, to_judge.batches)
    files = sum(len(batch.files) for batch in to_judge.batches)
    characters = _reply_characters(files / max(len(questions), 1))
    estimates = {f"{model.name}, judging": calls.estimate(questions, model, reply_characters=characters)}
    if areas is not None:
        estimates[f"{model.name}, assessing"] = calls.estimate(
            AssessQuestions(cases, trees.names, areas),
            model,
            reply_characters=sum(len(name) + 6 for name in DIMENSIONS) + 2 * len(_SENTENCE),
        )
    return estimates


def _reply_characters(files: float) -> int:
    """Length of an ordinary reply about so many files."""
    judgement = FileJudgement(file="1-000000", relevant=False, actionable="maybe", reasoning=_SENTENCE)
    around = len(Judgements(judgements=[]).model_dump_json())
    return round(around + files * (len(judgement.model_dump_json()) + 1))
