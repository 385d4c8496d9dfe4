"""Where the vectors of events come from: a model fitted on them, or a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from tellapart.bundles.mining.events import Events, number_events
from tellapart.bundles.problems import Problems
from tellapart.bundles.vector_file import look_up
from tellapart.core.bundle import Event
from tellapart.embed import load_embedder, require
from tellapart.embed.cache import VectorCache, default_path
from tellapart.embed.cosine import I32, CosineMatcher
from tellapart.embed.similarity import Cosines, Embedded, embed
from tellapart.errors import UsageError
from tellapart.store import sha256_of


@dataclass(frozen=True)
class Source:
    """What embeds.

    Attributes:
        name: Of the model or the file.
        fingerprint: Changes whenever the vectors can.
        embed: Takes distinct anchors and distinct options.
    """

    name: str
    fingerprint: str
    embed: Callable[[Sequence[str], Sequence[str]], Embedded]


def check_source(model: str | None, embeddings: Path | None) -> None:
    """Refuse before anything dear is begun what cannot embed.

    Raises:
        UsageError: Neither or both are given, or the model is unknown.
        MissingExtra: The model's optional dependencies are not installed.
    """
    if (model is None) == (embeddings is None):
        raise UsageError("give either --model NAME or --embeddings FILE.npz")
    if model is not None:
        require(model)


@contextmanager
def open_source(
    model: str | None, embeddings: Path | None, base_url: str | None, corpus: Sequence[str]
) -> Iterator[Source]:
    """Load what embeds.

    Args:
        model: Its name; or else
        embeddings: the file with the vectors.
        base_url: Where an OpenAI-compatible server is.
        corpus: The distinct texts of the events, ascending, on which a model that needs fitting is fitted.

    Raises:
        UsageError: The model has no vectors.
    """
    if embeddings is not None:
        yield Source(embeddings.stem, sha256_of(embeddings), partial(look_up, embeddings))
        return
    cache = VectorCache(default_path())
    try:
        matcher = CosineMatcher(load_embedder(str(model), corpus=corpus, base_url=base_url, cache=cache))
        yield Source(matcher.name, matcher.fingerprint, partial(embed, matcher))
    finally:
        cache.close()


@dataclass(frozen=True)
class EmbeddedEvents:
    """Events that can be compared.

    Attributes:
        events: The events.
        queries: Shape (texts, d), rows of ``unit_rows`` for their texts as anchors.
        documents: Shape (texts, d), the same for them as options.
    """

    events: Events
    queries: I32
    documents: I32


def embed_events(lines: dict[int, Event], source: Source, problems: Problems) -> EmbeddedEvents:
    """Embed events; those whose text cannot be compared are left out and noted in ``problems``.

    Args:
        lines: Events by line.
        source: What embeds.
        problems: Gets each event that is left out.
    """
    texts = sorted({event.text for event in lines.values()})
    embedded = source.embed(texts, texts)
    cosines = embedded.similarity
    if not isinstance(cosines, Cosines):
        raise UsageError(f"{source.name!r} has no vectors; expected an embedder, such as 'lsa'")
    faults = np.where(embedded.anchor_faults != "", embedded.anchor_faults, embedded.option_faults)
    fault_of = dict(zip(texts, faults.tolist(), strict=True))
    for line, event in lines.items():
        if fault_of[event.text]:
            problems.add(line, "text", fault_of[event.text])
    events = number_events(event for event in lines.values() if not fault_of[event.text])
    number = {text: i for i, text in enumerate(texts)}
    kept = np.array([number[text] for text in events.texts], dtype=np.int64)
    queries = kept if cosines.anchor_rows is None else cosines.anchor_rows[kept]
    documents = kept if cosines.option_rows is None else cosines.option_rows[kept]
    return EmbeddedEvents(events, cosines.anchors[queries], cosines.options[documents])
