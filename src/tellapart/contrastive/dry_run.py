"""What language models would be asked, and what that may cost, before anything is sent or written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from tellapart.contrastive.benchmark import LLM, Benchmark, CandidateKind, read_benchmark
from tellapart.contrastive.build_options import BuildOptions
from tellapart.contrastive.building import check_vacant, draft, summary_calls
from tellapart.contrastive.llm_matching import Ordering, for_language_models, match_questions
from tellapart.contrastive.llm_summaries import Described, summary_questions
from tellapart.contrastive.request import RunSettings, run_request, with_primary
from tellapart.llm.budget import Limits
from tellapart.llm.costs import Estimate
from tellapart.llm.models import LanguageModel
from tellapart.llm.run_models import RunCalls

_SENTENCE = "x" * 120
"""As long as a sentence of twenty words."""


def estimate_run_cost(bench: Path, settings: RunSettings, out: Path | None) -> dict[str, Estimate]:
    """Estimate what it takes to let language models answer a benchmark; see ``running.run``."""
    benchmark = read_benchmark(bench)
    run_plan = run_request(benchmark, with_primary(benchmark, settings), out)
    benchmark = for_language_models(benchmark)
    run_plan.check_path()
    calls = RunCalls(run_plan, limits=settings.limits, reuse=settings.reuse)
    estimates = {}
    for llm in settings.llms:
        for source in benchmark.sources:
            name = llm.name if len(benchmark.sources) == 1 else f"{llm.name}, summaries by {source}"
            questions = match_questions(benchmark, source, settings.plan)
            estimates[name] = calls.estimate(questions, llm, reply_characters=_ordering_characters(benchmark))
    return estimates


def estimate_build_cost(
    repositories: Sequence[Path],
    options: BuildOptions,
    out: Path,
    *,
    llms: Sequence[LanguageModel],
    limits: Limits,
    reuse: Path | None,
    candidates: CandidateKind | None,
) -> dict[str, Estimate]:
    """Estimate what it takes to let language models write the summaries of a benchmark; by the model's name.

    ``reuse`` is an earlier benchmark, whose answers are not asked for again.
    """
    check_vacant(out)
    calls = summary_calls(out, limits=limits, reuse=reuse)
    calls.check_reuse()
    drafted = draft(repositories, options, summaries=LLM, candidates=candidates)
    questions = summary_questions(drafted.targets)
    length = len(Described(summary=_SENTENCE).model_dump_json())
    return {llm.name: calls.estimate(questions, llm, reply_characters=length) for llm in llms}


def slots_again(benchmark: Benchmark, orders: int) -> str | None:
    """Say what happens where an item is asked in more orders than it has options; None where none is."""
    options = {
        level: len(distractors) + 1
        for level, distractors in benchmark.sets.select("level", "distractors").iter_rows()
    }
    few = {level: count for level, count in options.items() if count < orders}
    if not few:
        return None
    counts = ", ".join(f"{level} {count}" for level, count in few.items())
    return (
        f"{orders} orders are more than some items have options ({counts}): once its target has stood in "
        "every slot it begins anew, among distractors in another order"
    )


def _ordering_characters(benchmark: Benchmark) -> int:
    """Length of an ordinary reply to an item, on average over the items."""
    options = (len(distractors) + 1 for distractors in benchmark.sets["distractors"].to_list())
    return round(fmean(len(_ordering(count).model_dump_json()) for count in options))


def _ordering(options: int) -> Ordering:
    return Ordering(order=list(range(1, options + 1)), selected=1, confidence=0.85, reasoning=_SENTENCE)
