"""Where vectors come from: a model, or a file with the vectors of another program."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tellapart.bundles.scoring import EvalItems
from tellapart.bundles.vector_file import look_up
from tellapart.core.progress import SILENT, Progress
from tellapart.embed import load_embedder, load_matcher, require
from tellapart.embed.cache import VectorCache, default_path
from tellapart.embed.cosine import CosineMatcher
from tellapart.embed.similarity import Embedded, embed
from tellapart.errors import UsageError
from tellapart.files import sha256_of


def check_source(model: str | None, embeddings: Path | None) -> None:
    """Refuse what cannot embed, before anything expensive begins.

    Raises:
        UsageError: Neither or both are given, or the model is unknown.
        MissingExtra: The model's optional dependencies are not installed.
    """
    if (model is None) == (embeddings is None):
        raise UsageError("give either --model NAME or --embeddings FILE.npz")
    if model is not None:
        require(model)


def embed_eval(
    items: EvalItems,
    model: str | None,
    embeddings: Path | None,
    base_url: str | None,
    progress: Progress = SILENT,
) -> Embedded:
    """Make the texts of an eval comparable by a model, or else by the vectors of a file."""
    if embeddings is not None:
        return look_up(embeddings, items.anchors.texts, items.options.texts)
    cache = VectorCache(default_path())
    try:
        matcher = load_matcher(
            str(model), corpus=items.options.texts, base_url=base_url, cache=cache, progress=progress
        )
        with progress.step(f"{matcher.name} embeds texts", None):
            return embed(matcher, items.anchors.texts, items.options.texts)
    finally:
        cache.close()


@dataclass(frozen=True)
class Source:
    """What embeds.

    Attributes:
        name: Of the model or the file.
        fingerprint: Changes whenever the vectors can.
        embed: Takes distinct anchors and distinct options.
    """

    name: str
    fingerprint: str
    embed: Callable[[Sequence[str], Sequence[str]], Embedded]


@contextmanager
def open_source(
    model: str | None,
    embeddings: Path | None,
    base_url: str | None,
    corpus: Sequence[str],
    progress: Progress = SILENT,
) -> Iterator[Source]:
    """Load what embeds.

    Args:
        model: Its name; or else
        embeddings: the file with the vectors.
        base_url: Where an OpenAI-compatible server is.
        corpus: The distinct texts of the events, ascending, on which a model that needs fitting is fitted.
        progress: Receives how many texts are embedded.

    Raises:
        UsageError: The model has no vectors.
    """
    if embeddings is not None:
        yield Source(embeddings.stem, sha256_of(embeddings), partial(look_up, embeddings))
        return
    cache = VectorCache(default_path())
    try:
        matcher = CosineMatcher(
            load_embedder(str(model), corpus=corpus, base_url=base_url, cache=cache, progress=progress)
        )
        yield Source(matcher.name, matcher.fingerprint, partial(embed, matcher))
    finally:
        cache.close()
