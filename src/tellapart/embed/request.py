"""What a user asked for when naming a model, and how workers embed with it, each of which loads it once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeVar

from tellapart.core.jobs import Spread
from tellapart.core.progress import SILENT, Progress
from tellapart.embed.cache import TEXTS_A_BATCH, CachedEmbedder, Elsewhere, TextBatch, VectorCache
from tellapart.embed.identifiers import Cut, split_identifiers
from tellapart.embed.protocol import Embedder, Kind
from tellapart.errors import UsageError


class Fingerprinted(Protocol):
    """A model, whatever it does."""

    @property
    def fingerprint(self) -> str:
        """Changes whenever what it gives can."""


_Model = TypeVar("_Model", bound=Fingerprinted)


def as_expected(model: _Model, fingerprint: str) -> _Model:
    """Give a model that a worker has loaded."""
    if model.fingerprint != fingerprint:
        raise UsageError(
            f"a worker has the model {model.fingerprint!r}, and the command {fingerprint!r}",
            next_step="Have the same files on all machines, and a GPU on all of them or on none: with "
            "--num-gpus, run the command on a machine that has one",
        )
    return model


class Encoder(Fingerprinted, Protocol):
    """What turns texts into arrays: an embedder, or a ranker that compares arrays of different lengths."""

    def encode(self, texts: Sequence[str], *, kind: Kind) -> Any:
        """Give an array for each text."""


@dataclass(frozen=True)
class EncodeJob:
    """Embeds batches with a model, without a cache: whoever asked keeps the vectors.

    Attributes:
        load: Gives the model.
        fingerprint: Of the model that is asked for.
    """

    load: Callable[[], Encoder]
    fingerprint: str
    name: str = "embedding"

    def open(self) -> Encoder:
        """Load the model."""
        return as_expected(self.load(), self.fingerprint)

    def do(self, encoder: Encoder, batch: TextBatch) -> Any:
        """Embed a batch: an array for each text, or one of shape (texts, d)."""
        return encoder.encode(batch.texts, kind=batch.kind)

    def describe(self, batch: TextBatch) -> str:
        """Name the first text."""
        first = f"which begins {batch.texts[0][:60]!r}"
        return (
            f"the text {first}"
            if len(batch.texts) == 1
            else f"{len(batch.texts)} texts, the first of {first}"
        )


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
        progress: Receives how many texts are embedded, by models that are dear to run.
        spread: Runs those models in other processes; None to run them in this one.
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
        load: Callable[[ModelRequest], Any] | None = None,
    ) -> Embedder:
        """Put the cache, if there is one, in front of an embedder."""
        if self.cache is None:
            return embedder
        return CachedEmbedder(
            embedder,
            self.cache,
            batch_size=batch_size,
            progress=self.progress,
            elsewhere=None if load is None else self.elsewhere(load, embedder.fingerprint),
        )

    def elsewhere(self, load: Callable[[ModelRequest], Any], fingerprint: str) -> Elsewhere | None:
        """What embeds batches in other processes; None where it is to be done in this one."""
        if self.spread is None:
            return None
        return partial(self.spread, EncodeJob(partial(load, self.bare), fingerprint))

    @property
    def bare(self) -> ModelRequest:
        """For the same model in another process; not for one that is fitted."""
        return ModelRequest(self.name, self.argument)
