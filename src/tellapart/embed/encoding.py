"""Embedding by workers, each of which loads the model once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeVar

from tellapart.embed.protocol import Kind
from tellapart.errors import UsageError


class TextBatch(NamedTuple):
    """Texts that go to a model together; a vector may differ in its last digits with the texts beside it."""

    kind: Kind
    texts: Sequence[str]


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
