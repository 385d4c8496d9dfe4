"""Models that score documents for queries, by the names that users type."""

from typing import TYPE_CHECKING

from tellapart.lazy import lazy_names

if TYPE_CHECKING:
    from tellapart.embed.cache import CacheWarning, VectorCache
    from tellapart.embed.cosine import CosineMatcher
    from tellapart.embed.identifiers import split_identifiers
    from tellapart.embed.model_names import names
    from tellapart.embed.protocol import Embedder, Kind, Matcher
    from tellapart.embed.registry import available, embedder_of, load_embedder, load_matcher, require

__all__ = [
    "CacheWarning",
    "CosineMatcher",
    "Embedder",
    "Kind",
    "Matcher",
    "VectorCache",
    "available",
    "embedder_of",
    "load_embedder",
    "load_matcher",
    "names",
    "require",
    "split_identifiers",
]

_HOME = {
    "CacheWarning": "cache",
    "CosineMatcher": "cosine",
    "Embedder": "protocol",
    "Kind": "protocol",
    "Matcher": "protocol",
    "VectorCache": "cache",
    "available": "registry",
    "embedder_of": "registry",
    "load_embedder": "registry",
    "load_matcher": "registry",
    "names": "model_names",
    "require": "registry",
    "split_identifiers": "identifiers",
}


# Who checks a name needs no models.
__getattr__ = lazy_names(__name__, _HOME)
