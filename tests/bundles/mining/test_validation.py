import numpy as np
import pytest

from bundles.mining.made_events import compared, embedded, made_events
from reference import mining as reference
from tellapart.bundles.mining.candidates import TESTED_SCHEMA, draw_lineups, draw_pairs, measure
from tellapart.bundles.mining.pools import PARTS, PoolSearch
from tellapart.bundles.mining.settings import Settings

SETTINGS = Settings(within_lemma=3, sibling_senses=2, across_lemmas=4, lineups=4, negatives_per_lineup=3)


@pytest.fixture(scope="module")
def made():
    events, rows = embedded(made_events(8))
    pairs = draw_pairs(events, SETTINGS)
    pools = PoolSearch(events, compared(rows, rows), SETTINGS).find(np.arange(len(events)))
    return events, rows, pairs, pools


def test_every_danger_is_that_of_the_lineup_drawn(made):
    events, rows, pairs, pools = made
    tested = measure(events, pairs, compared(rows, rows), SETTINGS)
    assert tested.schema == TESTED_SCHEMA
    vectors = [dict(zip(events.texts, rows, strict=True))] * 2
    for row in tested.rows(named=True)[::7]:
        anchor, positive = row["anchor"], row["positive"]
        pool = pools.events[anchor][: row["pool"]]
        lengths = [len(events.text(event)) for event in pool]
        shorter = np.array([[length < len(events.text(positive)) for length in lengths]])
        names = [(events.ids[anchor], events.ids[positive])]
        [places] = draw_lineups(names, np.array([row["pool"]]), shorter, SETTINGS)
        lineups = [pool[place].tolist() for place in places]
        dangers = [
            reference.danger(
                vectors, events.text(anchor), events.text(positive), [events.text(event) for event in lineup]
            )
            for lineup in lineups
        ]
        assert row["dangers"] == pytest.approx(dangers, abs=1e-8)
        worst = row["dangers"].index(max(row["dangers"]))
        assert row["negatives"] == lineups[worst]
        parts = dict(zip(pool.tolist(), pools.parts[anchor], strict=False))
        assert [PARTS[part] for part in row["parts"]] == [PARTS[parts[event]] for event in lineups[worst]]
