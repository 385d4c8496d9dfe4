"""Models by the names that users type: ``bm25``, ``lsa``, ``st:all-MiniLM-L6-v2``."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from tellapart.core.jobs import Spread
from tellapart.core.progress import SILENT, Progress
from tellapart.embed import models
from tellapart.embed.cache import VectorCache
from tellapart.embed.identifiers import Cut, split_identifiers
from tellapart.embed.model_names import require_known
from tellapart.embed.protocol import Embedder, Matcher
from tellapart.embed.request import ModelRequest
from tellapart.embed.vector_matcher import VectorMatcher
from tellapart.errors import MissingExtra, UsageError


def available(name: str) -> bool:
    """Say whether a model's optional dependencies are installed, without importing them."""
    module, _ = _resolve(name)
    return _installed(module)


def require(name: str) -> None:
    """Check a name before anything dear is begun, without loading the model."""
    module, _ = _resolve(name)
    if not _installed(module):
        raise MissingExtra(f"the model {name!r}", module.EXTRA)


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
    require(name)
    module, argument = _resolve(name)
    with progress.step(f"loading {name}", None):
        model = module.load(ModelRequest(name, argument, corpus, base_url, cache, cut, progress, spread))
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


def _installed(module: Any) -> bool:
    return all(find_spec(required) is not None for required in getattr(module, "REQUIRES", ()))


def _resolve(name: str) -> tuple[Any, str]:
    """Find the module of a name, and what follows the colon."""
    stem, argument = require_known(name), name.partition(":")[2]
    module = import_module(f"{models.__name__}.{stem}")
    wanted = getattr(module, "ARGUMENT", None)
    if wanted and not argument:
        raise UsageError(f"{name!r} does not say which model", next_step=f"Write {stem}:<{wanted}>")
    if argument and not wanted:
        raise UsageError(f"the model {stem!r} takes nothing after its name, got {name!r}")
    return module, argument
