"""Models by the names that users type: ``bm25``, ``lsa``, ``st:all-MiniLM-L6-v2``."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec

from tellapart.core.jobs import Spread
from tellapart.core.progress import SILENT, Progress
from tellapart.embed import models
from tellapart.embed.cache import VectorCache
from tellapart.embed.identifiers import Cut, split_identifiers
from tellapart.embed.model_names import KINDS, ModelKind, require_known
from tellapart.embed.protocol import Embedder, Matcher
from tellapart.embed.request import ModelRequest
from tellapart.embed.vector_matcher import VectorMatcher
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
        model = getattr(import_module(f"{models.__name__}.{module}"), function)(request)
    if not hasattr(model, "score_pairs"):
        return VectorMatcher(model, similarity)
    if similarity is not None:
        raise UsageError(
            f"{name!r} scores pairs in its own way and has no vectors to compare by {similarity}",
            next_step="Leave out --similarity",
        )
    ranker: Matcher = model
    return ranker


def load_embedder(
    name: str,
    *,
    corpus: Sequence[str] = (),
    base_url: str | None = None,
    cache: VectorCache | None = None,
    progress: Progress = SILENT,
    spread: Spread | None = None,
) -> Embedder:
    """Load a model to embed with; arguments and errors as for ``load_matcher``."""
    matcher = load_matcher(
        name, corpus=corpus, base_url=base_url, cache=cache, progress=progress, spread=spread
    )
    return embedder_of(matcher)


def embedder_of(matcher: Matcher) -> Embedder:
    """The embedder behind a matcher."""
    if not isinstance(matcher, VectorMatcher):
        raise UsageError(
            f"{matcher.name!r} scores pairs and has no dense vectors; expected an embedder, such as 'lsa'"
        )
    return matcher.embedder
