"""Models that score documents for queries, by the names that users type."""

from typing import TYPE_CHECKING

from tellapart.lazy import lazy_names

if TYPE_CHECKING:
    from tellapart.embed.cache import VectorCache
    from tellapart.embed.identifiers import split_identifiers
    from tellapart.embed.model_names import names
    from tellapart.embed.protocol import Embedder, Kind, Matcher
    from tellapart.embed.registry import embedder_of, load_embedder, load_matcher, require
    from tellapart.embed.similarity import VectorMatcher

__all__ = [
    "Embedder",
    "Kind",
    "Matcher",
    "VectorCache",
    "VectorMatcher",
    "embedder_of",
    "load_embedder",
    "load_matcher",
    "names",
    "require",
    "split_identifiers",
]

_HOME = {
    "Embedder": "protocol",
    "Kind": "protocol",
    "Matcher": "protocol",
    "VectorCache": "cache",
    "VectorMatcher": "similarity",
    "embedder_of": "registry",
    "load_embedder": "registry",
    "load_matcher": "registry",
    "names": "model_names",
    "require": "registry",
    "split_identifiers": "identifiers",
}


# Who checks a name needs no models.
__getattr__ = lazy_names(__name__, _HOME)
