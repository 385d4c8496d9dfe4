"""Events made at random: small vocabularies, so that there are copies, ties and crowded lemmas."""

import json

import numpy as np

from tellapart.bundles.mining.events import number_events
from tellapart.core.bundle import Event
from tellapart.embed.models.hashing import HashingEmbedder
from tellapart.embed.similarity import VectorRows, VectorSimilarity


def made_events(seed, senses=24, lemmas=7, most=5, words=40, size=4, lemmaless=0.2):
    rng = np.random.default_rng(seed)
    made = []
    for sense in range(senses):
        own = rng.choice(words, 6)
        for number in range(int(rng.integers(1, most + 1))):
            picked = [*rng.choice(own, size), *rng.choice(words, int(rng.integers(0, 2)))]
            space = "  " if rng.random() < 0.2 else " "
            made.append(
                Event(
                    event_id=f"{rng.integers(1e6):06d}-{sense}.{number}",
                    text=space.join(f"word{word}" for word in picked),
                    sense=f"sense {sense}",
                    lemma=None if rng.random() < lemmaless else f"lemma {rng.integers(lemmas)}",
                )
            )
    return made


def embedded(made):
    """Numbered events and their vectors; whole counts of few words make many ties."""
    events = number_events(made)
    return events, HashingEmbedder().encode(events.texts)


def compared(queries, documents, similarity="cosine"):
    """Vectors as texts' numbers are compared by them."""
    return VectorSimilarity(VectorRows.of(queries), VectorRows.of(documents), similarity)


def write_events(path, made):
    path.write_text("".join(json.dumps(event.model_dump(exclude_none=True)) + "\n" for event in made))
    return path
