"""Embedding by workers, each of which loads the model once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from tellapart.core.jobs import halved
from tellapart.embed.protocol import Kind


class TextBatch(NamedTuple):
    """Texts that go to a model together; a vector may differ in its last digits with the texts beside it."""

    kind: Kind
    texts: Sequence[str]


class Encoder(Protocol):
    """What turns texts into arrays: an embedder, or a ranker that compares arrays of different lengths."""

    def encode(self, texts: Sequence[str], *, kind: Kind) -> Any:
        """Give an array for each text."""


@dataclass(frozen=True)
class EncodeJob:
    """Embeds batches with the model that ``load`` gives, without a cache: whoever asked keeps the vectors."""

    load: Callable[[], Encoder]
    name: str = "embedding"

    def open(self) -> Encoder:
        """Load the model."""
        return self.load()

    def do(self, encoder: Encoder, batch: TextBatch) -> Any:
        """Embed a batch: an array for each text, or one of shape (texts, d)."""
        return encoder.encode(batch.texts, kind=batch.kind)

    def halves(self, batch: TextBatch) -> list[TextBatch]:
        """See ``Divisible``."""
        return [TextBatch(batch.kind, texts) for texts in halved(batch.texts)]

    def try_out(self, encoder: Encoder, batch: TextBatch) -> None:
        """See ``Divisible``."""
        self.do(encoder, batch)

    def describe(self, batch: TextBatch) -> str:
        """Name the first text."""
        first = f"which begins {batch.texts[0][:60]!r}"
        return (
            f"the text {first}"
            if len(batch.texts) == 1
            else f"{len(batch.texts)} texts, the first of {first}"
        )
