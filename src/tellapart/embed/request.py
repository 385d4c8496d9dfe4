"""What a user asked for when naming a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tellapart.core.progress import SILENT, Progress
from tellapart.embed.cache import TEXTS_A_BATCH, CachedEmbedder, VectorCache
from tellapart.embed.identifiers import Cut, split_identifiers
from tellapart.embed.protocol import Embedder


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
    """

    name: str
    argument: str = ""
    corpus: Sequence[str] = ()
    base_url: str | None = None
    cache: VectorCache | None = None
    cut: Cut = split_identifiers
    progress: Progress = SILENT

    def cached(self, embedder: Embedder, *, batch_size: int = TEXTS_A_BATCH) -> Embedder:
        """Put the cache, if there is one, in front of an embedder that gets ``batch_size`` texts at once."""
        if self.cache is None:
            return embedder
        return CachedEmbedder(embedder, self.cache, batch_size=batch_size, progress=self.progress)
