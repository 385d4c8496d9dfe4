"""The models and selectors that a user names, loaded for the units of a benchmark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Self

from tellapart.contrastive.selection.selectors import FUSION, EmbedderSelector, FusionSelector, Selector
from tellapart.embed import load_embedder, load_matcher, names, require
from tellapart.embed.cache import VectorCache, default_path
from tellapart.embed.protocol import Matcher
from tellapart.errors import UsageError, near_match
from tellapart.extraction.unit import Unit

LEXICAL = ("bm25", "tfidf", "lsa")
"""Models that need nothing beyond the code itself."""


class Models:
    """Models by name, with one cache of vectors for all of them; a context manager that closes it."""

    def __init__(self, base_url: str | None = None) -> None:
        """Load models from ``base_url`` where they are remote."""
        self._base_url = base_url
        self._cache = VectorCache(default_path())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._cache.close()

    def matcher(self, name: str, units: Sequence[Unit]) -> Matcher:
        """Load a matcher; the lexical ones are fitted on the code of ``units``."""
        corpus = [unit.content for unit in units]
        return load_matcher(name, corpus=corpus, base_url=self._base_url, cache=self._cache)

    def selector(self, name: str, units: Sequence[Unit], texts: Mapping[int, str]) -> Selector:
        """Fit ``fusion`` or any embedder on the units of a benchmark, and on its ``selection_texts``."""
        if name == FUSION:
            return FusionSelector(units, texts)
        corpus = [unit.content for unit in units]
        embedder = load_embedder(name, corpus=corpus, base_url=self._base_url, cache=self._cache)
        return EmbedderSelector(units, embedder)


def require_models(models: Sequence[str]) -> None:
    """Check the names of models before anything dear is begun.

    Raises:
        UsageError: There is no such model.
        MissingExtra: A model's optional dependencies are not installed.
    """
    for name in models:
        require(name)


def require_selectors(selectors: Sequence[str]) -> None:
    """Check the names of selectors, which are ``fusion`` and the models.

    Raises:
        UsageError: There is no such selector.
        MissingExtra: A model's optional dependencies are not installed.
    """
    selector_names = [FUSION, *names()]
    for name in selectors:
        if name.partition(":")[0] not in selector_names:
            raise UsageError(f"unknown selector {name!r}", next_step=near_match(name, selector_names))
    require_models([name for name in selectors if name != FUSION])
