from itertools import permutations

import numpy as np
import pytest

from bundles.mining.made_events import compared, embedded, made_events
from reference import mining as reference
from tellapart.bundles.mining.events import number_events
from tellapart.bundles.mining.pools import PARTS, find_pools
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


def test_siblings_are_one_event_of_each_of_the_nearest_senses_beyond_those_of_the_lemma():
    # Cosines with the anchor (1, 0): by sense, of the same lemma. The two nearest, both of sense b, fill the
    # part "lemma"; then b gives its third, c its first; d's only text is a copy of the anchor's sense.
    by_sense = {"b": [0.9, 0.8, 0.4], "c": [0.7, 0.6], "d": [1.0], "e": [0.1]}
    made = [Event(event_id="0", text="anchor", sense="a", lemma="l")]
    cosines = {"anchor": 1.0}
    for sense, values in by_sense.items():
        for value in values:
            text = "anchor " if sense == "d" else f"{sense} {value}"
            cosines[text] = value
            made.append(Event(event_id=f"{sense}{value}", text=text, sense=sense, lemma="l"))
    events = number_events(made)
    values = np.array([cosines[text] for text in events.texts])
    rows = np.stack([values, np.sqrt(1 - values**2)], axis=1).astype(np.float32)
    settings = Settings(within_lemma=2, sibling_senses=2, across_lemmas=5)
    [found] = found_pools(events, rows, rows, settings, anchors=[0])
    assert found == [("b0.9", "lemma"), ("b0.8", "lemma"), ("c0.7", "sibling"), ("b0.4", "sibling")]


def test_equally_near_events_go_by_id():
    for order in permutations("zxy"):
        made = [Event(event_id=name, text=f"text of {name}", sense=name) for name in ("a", *order)]
        events = number_events(made)
        rows = np.ones((4, 3), dtype=np.float32)
        settings = Settings(within_lemma=0, sibling_senses=0, across_lemmas=2)
        assert found_pools(events, rows, rows, settings, anchors=[0]) == [[("x", "across"), ("y", "across")]]
