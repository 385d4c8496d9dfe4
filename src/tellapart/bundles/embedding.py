"""Where vectors come from: a model, or a file with the vectors of another program."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tellapart.bundles.vector_file import digest_of, look_up, similarity_of
from tellapart.core.figure_units import COSINE, require_similarity
from tellapart.core.jobs import Spread
from tellapart.core.progress import SILENT, Progress
from tellapart.embed import load_embedder, load_matcher, require
from tellapart.embed.cache import VectorCache, default_path
from tellapart.embed.similarity import Embedded, VectorMatcher, Zeros, embed
from tellapart.errors import UsageError


def check_source(model: str | None, embeddings: Path | None, similarity: str | None = None) -> None:
    """Refuse what cannot embed, before anything expensive begins."""
    if (model is None) == (embeddings is None):
        raise UsageError("give either --model NAME or --embeddings VECTORS")
    if model is not None:
        require(model)
    if similarity is not None:
        require_similarity(similarity)


@dataclass(frozen=True)
class Source:
    """What embeds distinct anchors and distinct options; the fingerprint changes whenever the vectors can."""

    name: str
    fingerprint: str
    similarity: str
    embed: Callable[[Sequence[str], Sequence[str]], Embedded]


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
    """Make the texts of an eval comparable by a model, or else by the vectors of a file.

    ``similarity`` says how vectors are compared; None as the model says. ``zeros`` makes arrays of vectors.
    """
    if embeddings is not None:
        return look_up(embeddings, anchors, options, similarity=similarity, zeros=zeros)
    with closing(VectorCache(default_path())) as cache:
        matcher = load_matcher(
            str(model),
            corpus=options,
            base_url=base_url,
            cache=cache,
            progress=progress,
            similarity=similarity,
            spread=spread,
        )
        with progress.step(f"{matcher.name} embeds texts", None):
            return embed(matcher, anchors, options, zeros)


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
    """Load what embeds."""
    if embeddings is not None:
        unit, sha256 = similarity or similarity_of(embeddings), digest_of(embeddings)
        fingerprint = sha256 if unit == COSINE else f"{unit} {sha256}"
        yield Source(embeddings.stem, fingerprint, unit, partial(look_up, embeddings, similarity=unit))
        return
    with closing(VectorCache(default_path())) as cache:
        embedder = load_embedder(
            str(model), corpus=corpus, base_url=base_url, cache=cache, progress=progress, spread=spread
        )
        matcher = VectorMatcher(embedder, similarity)
        yield Source(matcher.name, matcher.fingerprint, matcher.unit, partial(embed, matcher))
