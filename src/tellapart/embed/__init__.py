"""Models that score documents for queries, by the names that users type."""

from tellapart.embed.cache import CacheWarning, VectorCache
from tellapart.embed.cosine import CosineMatcher
from tellapart.embed.identifiers import split_identifiers
from tellapart.embed.protocol import Embedder, Kind, Matcher
from tellapart.embed.registry import available, embedder_of, load_embedder, load_matcher, names, require

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
