"""The forms that ``convert`` writes, a row of ``TARGETS`` each; light, so that its help can list them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from tellapart.errors import InputError

if TYPE_CHECKING:
    from tellapart.bundles.reading.forms import Row
    from tellapart.core.bundle import Bundle


def own_rows(bundles: Iterable[Bundle]) -> Iterator[Row]:
    """Our own form."""
    return (bundle.to_row() for bundle in bundles)


def triplets_rows(bundles: Iterable[Bundle]) -> Iterator[Row]:
    """``anchor``, ``positive``, ``negative_1`` …: what losses of sentence-transformers take."""
    size = None
    for bundle in bundles:
        size = size or len(bundle.negatives)
        if len(bundle.negatives) != size:
            raise InputError(
                f"bundle {bundle.bundle_id!r} has {len(bundle.negatives)} negatives, the first one {size}, "
                "but a column for each needs as many in all",
                next_step="Write one row for each negative with --to triplet",
            )
        row = {"anchor": bundle.anchor.text, "positive": bundle.positive.text}
        for i, negative in enumerate(bundle.negatives, start=1):
            row["negative" if size == 1 else f"negative_{i}"] = negative.text
        yield row


def triplet_rows(bundles: Iterable[Bundle]) -> Iterator[Row]:
    """``anchor``, ``positive``, ``negative``, a row for each negative: what triplet evaluators take."""
    for bundle in bundles:
        for negative in bundle.negatives:
            yield {
                "anchor": bundle.anchor.text,
                "positive": bundle.positive.text,
                "negative": negative.text,
            }


def reranking_rows(bundles: Iterable[Bundle]) -> Iterator[Row]:
    """``query``, ``positive``, ``negative``: bundles of one anchor, tier and list of negatives in one row.

    All rows are held in memory. ``bundle_ids`` keeps the ids; evaluators of rerankers pass over it.
    """
    gathered: dict[tuple[Any, ...], Row] = {}
    for bundle in bundles:
        negatives = [text.text for text in bundle.negatives]
        row = gathered.setdefault(
            (bundle.anchor.text, bundle.tier, *negatives),
            {"query": bundle.anchor.text, "positive": [], "negative": negatives, "bundle_ids": []},
        )
        row["positive"].append(bundle.positive.text)
        row["bundle_ids"].append(bundle.bundle_id)
        if bundle.tier is not None:
            row["tier"] = bundle.tier
    yield from gathered.values()


TARGETS: Mapping[str, tuple[Callable[[Iterable[Bundle]], Iterator[Row]], set[str]]] = {
    "jsonl": (own_rows, {"bundle_id", "tier", "metadata", "event_id, sense, source"}),
    "triplets": (triplets_rows, set()),
    "triplet": (triplet_rows, set()),
    "reranking": (reranking_rows, {"bundle_id", "tier"}),
}
"""What makes the rows of a form, and what a bundle may have beside its texts that they can hold."""
