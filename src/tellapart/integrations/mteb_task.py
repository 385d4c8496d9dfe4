"""A frozen contrastive benchmark as a task of MTEB; importing this imports MTEB."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from datasets import Dataset
from mteb.abstasks.retrieval import AbsTaskRetrieval

from tellapart.contrastive.benchmark import Benchmark, read_benchmark
from tellapart.contrastive.export import benchmark_bundles
from tellapart.core.bundle import Bundle
from tellapart.embed.mteb_library import SPLIT, code_search_metadata
from tellapart.errors import InputError

_DIGITS = 12


class ContrastiveTask(AbsTaskRetrieval):
    """The items of one benchmark; `contrastive_task` makes a class of it for each, as MTEB wants it."""

    # MTEB takes what any class says of itself for a task; this one stands for none.
    metadata: Any = None
    benchmark: Benchmark
    subset_of: dict[str, list[Bundle]]

    def load_data(self, *args: Any, **kwargs: Any) -> None:
        """Lay out the items as MTEB wants them: nothing is downloaded."""
        if self.data_loaded:
            return
        self.dataset = {subset: {SPLIT: _split(bundles)} for subset, bundles in self.subset_of.items()}
        self.data_loaded = True


def contrastive_task(bench: Path) -> ContrastiveTask:
    """Make the task of one benchmark; see `tellapart.integrations.mteb.task`.

    Raises:
        InputError: There is no benchmark, or it is not as it was frozen, or it has no items.
    """
    benchmark = read_benchmark(bench)
    several = len(benchmark.sources) > 1
    subset_of: dict[str, list[Bundle]] = {}
    for bundle in benchmark_bundles(benchmark):
        level, writer = str(bundle.metadata["level"]), bundle.metadata["summary"]
        subset_of.setdefault(f"{level} by {writer}" if several else level, []).append(bundle)
    if not subset_of:
        raise InputError("this benchmark has no items", where=bench)
    if len(subset_of) == 1:
        subset_of = {"default": next(iter(subset_of.values()))}
    fingerprint = benchmark.header.fingerprint
    name = f"TellapartContrastive-{fingerprint.partition('|')[0][:_DIGITS]}"
    described = {
        "metadata": code_search_metadata(name, revision=fingerprint, subsets=list(subset_of)),
        "benchmark": benchmark,
        "subset_of": subset_of,
    }
    task_type: type[ContrastiveTask] = type(ContrastiveTask.__name__, (ContrastiveTask,), described)
    return task_type()


def _split(bundles: list[Bundle]) -> Any:
    """Queries, documents and judgements of some items, as ``RetrievalSplitData``."""
    options = {bundle.bundle_id: [bundle.positive, *bundle.negatives] for bundle in bundles}
    texts = {str(text.event_id): text.text for of_item in options.values() for text in of_item}
    return {
        "queries": Dataset.from_dict(
            {"id": list(options), "text": [bundle.anchor.text for bundle in bundles]}
        ),
        "corpus": Dataset.from_dict(
            {"id": list(texts), "title": [""] * len(texts), "text": list(texts.values())}
        ),
        "relevant_docs": {item: {str(of_item[0].event_id): 1} for item, of_item in options.items()},
        "top_ranked": {item: [str(text.event_id) for text in of_item] for item, of_item in options.items()},
    }
