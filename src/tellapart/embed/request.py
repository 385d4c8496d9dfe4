"""What a user asked for when naming a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class ModelRequest:
    """A named model and what it may need to be loaded.

    Attributes:
        name: As the user typed it, for example ``st:all-MiniLM-L6-v2``.
        argument: What follows the colon; empty without a colon.
        corpus: The benchmark's texts, for models that are fitted.
        base_url: Where an OpenAI-compatible server is, or None for the environment's.
    """

    name: str
    argument: str = ""
    corpus: Sequence[str] = ()
    base_url: str | None = None
