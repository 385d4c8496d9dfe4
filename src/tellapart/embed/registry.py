"""Models by the names that users type: ``bm25``, ``lsa``, ``st:all-MiniLM-L6-v2``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from tellapart.core.arrays import F32
from tellapart.core.jobs import Spread
from tellapart.core.progress import SILENT, Progress
from tellapart.embed.cache import TEXTS_A_BATCH, CachedEmbedder, TextBatch, VectorCache
from tellapart.embed.identifiers import Cut, split_identifiers
from tellapart.embed.model_names import KINDS, ModelKind, require_known
from tellapart.embed.protocol import Embedder, Matcher
from tellapart.embed.similarity import VectorMatcher
from tellapart.errors import MissingExtra, UsageError


def require(name: str) -> ModelKind:
    """Check a name before anything dear is begun, without loading the model."""
    stem, argument = require_known(name), name.partition(":")[2]
    kind = KINDS[stem]
    if kind.argument and not argument:
        raise UsageError(f"{name!r} does not say which model", next_step=f"Write {stem}:<{kind.argument}>")
    if argument and not kind.argument:
        raise UsageError(f"the model {stem!r} takes nothing after its name, got {name!r}")
    if not all(find_spec(required) for required in kind.requires):
        raise MissingExtra(f"the model {name!r}", kind.extra)
    return kind


@dataclass(frozen=True)
class EncodeJob:
    """Embeds batches with a model, without a cache: whoever asked keeps the vectors.

    Attributes:
        fingerprint: Of the model that is asked for; a worker must have the same one.
    """

    load: Callable[[], Embedder]
    fingerprint: str
    name: str = "embedding"

    def open(self) -> Embedder:
        """Load the model."""
        model = self.load()
        if model.fingerprint != self.fingerprint:
            raise UsageError(
                f"a worker has the model {model.fingerprint!r}, and the command {self.fingerprint!r}",
                next_step="Have the same files on all machines, and a GPU on all of them or on none: with "
                "--num-gpus, run the command on a machine that has one",
            )
        return model

    def do(self, encoder: Embedder, batch: TextBatch) -> F32:
        """Embed a batch."""
        return encoder.encode(batch.texts, kind=batch.kind)

    def describe(self, batch: TextBatch) -> str:
        """Name the first text."""
        first, count = f"which begins {batch.texts[0][:60]!r}", len(batch.texts)
        return f"the text {first}" if count == 1 else f"{count} texts, the first of {first}"


@dataclass(frozen=True)
class ModelRequest:
    """A named model and what it may need to be loaded.

    Attributes:
        name: As the user typed it, for example ``st:all-MiniLM-L6-v2``.
        argument: What follows the colon; empty without a colon.
        corpus: The benchmark's texts, for models that are fitted.
        base_url: Where an OpenAI-compatible server is, or None for the environment's.
        cache: Where vectors that are dear to compute are kept, or None.
        cut: Cuts texts into pieces, for the lexical models.
        spread: Runs models that are dear to run in other processes; None to run them in this one.
    """

    name: str
    argument: str = ""
    corpus: Sequence[str] = ()
    base_url: str | None = None
    cache: VectorCache | None = None
    cut: Cut = split_identifiers
    progress: Progress = SILENT
    spread: Spread | None = None

    def cached(
        self,
        embedder: Embedder,
        *,
        batch_size: int = TEXTS_A_BATCH,
        load: Callable[[ModelRequest], Embedder] | None = None,
    ) -> Embedder:
        """Put the cache, if there is one, in front of an embedder; ``load`` loads it in another process."""
        if self.cache is None:
            return embedder
        elsewhere = None
        if load is not None and self.spread is not None:
            same_model = partial(load, ModelRequest(self.name, self.argument))
            elsewhere = partial(self.spread, EncodeJob(same_model, embedder.fingerprint))
        return CachedEmbedder(
            embedder,
            self.cache,
            batch_size=batch_size,
            progress=self.progress,
            elsewhere=elsewhere,
        )


def load_matcher(
    name: str,
    *,
    corpus: Sequence[str] = (),
    base_url: str | None = None,
    cache: VectorCache | None = None,
    cut: Cut = split_identifiers,
    progress: Progress = SILENT,
    similarity: str | None = None,
    spread: Spread | None = None,
) -> Matcher:
    """Load a model that scores pairs: a ranker, or an embedder by a similarity of its vectors."""
    module, _, function = require(name).loader.partition(":")
    request = ModelRequest(name, name.partition(":")[2], corpus, base_url, cache, cut, progress, spread)
    with progress.step(f"loading {name}", None):
        model = getattr(import_module(f"tellapart.embed.models.{module}"), function)(request)
    if not hasattr(model, "score_pairs"):
        return VectorMatcher(model, similarity)
    if similarity is not None:
        raise UsageError(
            f"{name!r} scores pairs in its own way and has no vectors to compare by {similarity}",
            next_step="Leave out --similarity",
        )
    ranker: Matcher = model
    return ranker


def load_embedder(name: str, **request: Any) -> Embedder:
    """Load a model to embed with; arguments and errors as for ``load_matcher``."""
    return embedder_of(load_matcher(name, **request))


def embedder_of(matcher: Matcher) -> Embedder:
    """The embedder behind a matcher."""
    if not isinstance(matcher, VectorMatcher):
        raise UsageError(
            f"{matcher.name!r} scores pairs and has no dense vectors; expected an embedder, such as 'lsa'"
        )
    return matcher.embedder
