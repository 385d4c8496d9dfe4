from itertools import permutations

import numpy as np
import pytest

from bundles.mining.made_events import compared, embedded, made_events
from reference import mining as reference
from tellapart.bundles.mining.candidates import PARTS, find_pools
from tellapart.bundles.mining.events import number_events
from tellapart.bundles.mining.settings import Settings
from tellapart.core.bundle import Event


def found_pools(events, queries, documents, settings, anchors=None, similarity="cosine"):
    anchors = np.arange(len(events)) if anchors is None else np.array(anchors)
    pools = find_pools(events, compared(queries, documents, similarity), settings, anchors)
    return [
        [(events.ids[e], PARTS[p]) for e, p in zip(pools.events[i, :n], pools.parts[i, :n], strict=True)]
        for i, n in enumerate(pools.sizes)
    ]


SIMILARITIES = [reference.cosine, reference.dot, reference.euclidean, reference.manhattan]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("similarity", SIMILARITIES)
def test_agrees_with_the_reference_with_copies_ties_and_missing_lemmas(seed, similarity):
    made = made_events(seed, lemmaless=(0.0, 0.2, 1.0)[seed % 3])
    events, rows = embedded(made)
    queries = rows
    if seed % 2:
        # Copies that a model does not embed alike, and queries that are not the documents.
        rows = rows + np.random.default_rng(seed).normal(scale=0.1, size=rows.shape).astype(np.float32)
        queries = np.roll(rows, 1, axis=1)
    name = similarity.__name__
    between = compared(queries, rows, name)
    sides = between.anchors.vectors, between.options.vectors
    vectors = [dict(zip(events.texts, side, strict=True)) for side in sides]
    settings = Settings(within_lemma=4, sibling_senses=3, across_lemmas=6)
    plain = [event.model_dump() for event in made]
    by_id = {event["event_id"]: event for event in plain}
    expected = [reference.pool(plain, vectors, by_id[name], 4, 3, 6, similarity) for name in events.ids]
    assert found_pools(events, queries, rows, settings, similarity=name) == expected


def test_equally_near_events_go_by_id():
    for order in permutations("zxy"):
        made = [Event(event_id=name, text=f"text of {name}", sense=name) for name in ("a", *order)]
        events = number_events(made)
        rows = np.ones((4, 3), dtype=np.float32)
        settings = Settings(within_lemma=0, sibling_senses=0, across_lemmas=2)
        assert found_pools(events, rows, rows, settings, anchors=[0]) == [[("x", "across"), ("y", "across")]]
