"""Where similarities come from: a model, or a file with the vectors of another program."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

from tellapart.bundles.vector_file import look_up, similarity_of
from tellapart.core.figure_units import require_similarity
from tellapart.core.jobs import Spread
from tellapart.core.progress import SILENT, Progress
from tellapart.embed import load_matcher, require
from tellapart.embed.cache import VectorCache, default_path
from tellapart.embed.similarity import Embedded, Zeros, embed
from tellapart.errors import UsageError


def check_source(model: str | None, embeddings: Path | None, similarity: str | None = None) -> None:
    """Refuse what cannot embed, before anything expensive begins."""
    if (model is None) == (embeddings is None):
        raise UsageError("give either --model NAME or --embeddings VECTORS")
    if model is not None:
        require(model)
    if similarity is not None:
        require_similarity(similarity)


class Source(NamedTuple):
    """What makes anchors and options comparable, each text embedded once, and how vectors are compared."""

    name: str
    similarity: str
    embed: Callable[..., Embedded]


@contextmanager
def open_source(
    model: str | None,
    embeddings: Path | None,
    base_url: str | None,
    corpus: Sequence[str],
    progress: Progress = SILENT,
    similarity: str | None = None,
    spread: Spread | None = None,
) -> Iterator[Source]:
    """Load what embeds, fitted on ``corpus`` if it needs fitting."""
    if embeddings is not None:
        unit = similarity or similarity_of(embeddings)
        yield Source(embeddings.stem, unit, partial(look_up, embeddings, similarity=unit))
        return
    with closing(VectorCache(default_path())) as cache:
        matcher = load_matcher(
            str(model),
            corpus=corpus,
            base_url=base_url,
            cache=cache,
            progress=progress,
            similarity=similarity,
            spread=spread,
        )
        with progress.step(f"{matcher.name} embeds texts", None):
            yield Source(matcher.name, matcher.unit, partial(embed, matcher))


def embed_eval(
    anchors: Sequence[str],
    options: Sequence[str],
    model: str | None,
    embeddings: Path | None,
    base_url: str | None,
    progress: Progress = SILENT,
    similarity: str | None = None,
    spread: Spread | None = None,
    zeros: Zeros | None = None,
) -> Embedded:
    """Make the texts of an eval comparable by a model, or else by the vectors of a file."""
    with open_source(model, embeddings, base_url, options, progress, similarity, spread) as source:
        return source.embed(anchors, options, zeros=zeros)
