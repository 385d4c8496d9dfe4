"""The models and selectors that a user names, loaded for the units of a benchmark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Self, TypeVar

from tellapart.contrastive.selection.selectors import FUSION, EmbedderSelector, FusionSelector, Selector
from tellapart.core.addresses import without_password
from tellapart.core.jobs import Spread
from tellapart.core.progress import SILENT, Progress
from tellapart.embed import embedder_of, load_matcher, names, require
from tellapart.embed.cache import VectorCache, default_path
from tellapart.embed.identifiers import CutOnce
from tellapart.embed.models.lexical import Bm25, Lsa
from tellapart.embed.protocol import Matcher
from tellapart.embed.similarity import VectorMatcher
from tellapart.errors import UsageError, near_match
from tellapart.extraction.unit import Unit

Model = TypeVar("Model", Bm25, Lsa)

LEXICAL = ("bm25", "tfidf", "lsa")
"""Models that need nothing beyond the code itself."""


class Models:
    """Models by name, each loaded once, with one cache of vectors; a context manager that closes it."""

    def __init__(
        self, base_url: str | None = None, progress: Progress = SILENT, spread: Spread | None = None
    ) -> None:
        """Load no model yet."""
        self.spread = spread
        self._base_url, self._progress = base_url, progress
        self._cache = VectorCache(default_path())
        self._cut = CutOnce()
        self._matchers: dict[tuple[str, tuple[str, ...]], Matcher] = {}
        self._fusions: dict[tuple[str, tuple[Unit, ...], tuple[tuple[int, str], ...]], Selector] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._cache.close()
        # Fitted models are large, and whoever holds this may go on to draw pages.
        self._matchers.clear()
        self._fusions.clear()
        self._cut = CutOnce()

    def matcher(self, name: str, units: Sequence[Unit]) -> Matcher:
        """Load a matcher; the lexical ones are fitted on the code of ``units``."""
        return self.matcher_of(name, tuple(unit.content for unit in units))

    def matcher_of(self, name: str, corpus: Sequence[str]) -> Matcher:
        """Load a matcher; the lexical ones are fitted on ``corpus``, the others are the same for any."""
        key = name, tuple(corpus) if name in LEXICAL else ()
        if key not in self._matchers:
            self._matchers[key] = load_matcher(
                name,
                corpus=corpus,
                base_url=self._base_url,
                cache=self._cache,
                cut=self._cut,
                progress=self._progress,
                spread=self.spread,
            )
        return self._matchers[key]

    def selector(self, name: str, units: Sequence[Unit], texts: Mapping[int, str]) -> Selector:
        """Fit ``fusion``, ``fusion+MODEL`` or any embedder on units, and on their ``selection_texts``."""
        fusion, _, fourth = name.partition("+")
        if fusion != FUSION:
            return EmbedderSelector(units, embedder_of(self.matcher(name, units)))
        key = name, tuple(units), tuple(sorted(texts.items()))
        if key not in self._fusions:
            bm25, lsa = self._fitted(Bm25, units), self._fitted(Lsa, units)
            dense = EmbedderSelector(units, embedder_of(self.matcher(fourth, units))) if fourth else None
            self._fusions[key] = FusionSelector(units, texts, bm25=bm25, lsa=lsa, dense=dense)
        return self._fusions[key]

    def _fitted(self, model: type[Model], units: Sequence[Unit]) -> Model:
        """One of our own models, which ``matcher`` gives by name, as what it is."""
        matcher = self.matcher(model.name, units)
        fitted = matcher.embedder if isinstance(matcher, VectorMatcher) else matcher
        if not isinstance(fitted, model):
            raise TypeError(f"the model {model.name!r} is {type(fitted).__name__}, expected {model.__name__}")
        return fitted


def recorded_server(settings: Any) -> dict[str, str | None]:
    """How a run records its server of embeddings."""
    return {"server": without_password(settings.base_url) if settings.base_url else None}


def opened(
    models: Models | None, base_url: str | None, progress: Progress = SILENT
) -> AbstractContextManager[Models]:
    """The models that were handed over, left open; else new ones, see ``Models``."""
    return Models(base_url, progress) if models is None else nullcontext(models)


def require_models(models: Sequence[str]) -> None:
    """Check the names of models before anything dear is begun."""
    for name in models:
        require(name)


def require_selectors(selectors: Sequence[str]) -> None:
    """Check the names of selectors, which are ``fusion``, ``fusion+MODEL`` and the models."""
    selector_names = [FUSION, *names()]
    models = [name.removeprefix(f"{FUSION}+") for name in selectors if name != FUSION]
    for name in models:
        if name.partition(":")[0] not in selector_names:
            raise UsageError(f"unknown selector {name!r}", next_step=near_match(name, selector_names))
    require_models(models)
