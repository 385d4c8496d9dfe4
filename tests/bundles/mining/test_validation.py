import numpy as np
import pytest

from bundles.mining.made_events import compared, embedded, made_events
from reference import mining as reference
from tellapart.bundles.mining.candidates import PARTS, draw_lineups, draw_pairs, find_pools, measure
from tellapart.bundles.mining.settings import Settings

SETTINGS = Settings(within_lemma=3, sibling_senses=2, across_lemmas=4, lineups=4, negatives_per_lineup=3)


@pytest.fixture(scope="module")
def made():
    events, rows = embedded(made_events(8))
    pairs = draw_pairs(events, SETTINGS)
    pools = find_pools(events, compared(rows, rows), SETTINGS, np.arange(len(events)))
    return events, rows, pairs, pools


def test_every_danger_is_that_of_the_lineup_drawn(made):
    events, rows, pairs, pools = made
    tested = measure(events, pairs, compared(rows, rows), SETTINGS)
    vectors = [dict(zip(events.texts, rows, strict=True))] * 2
    for row in range(0, len(tested.pairs), 7):
        anchor, positive = tested.pairs[row]
        pool = pools.events[anchor][: pools.sizes[anchor]]
        lengths = [len(events.text(event)) for event in pool]
        shorter = np.array([[length < len(events.text(positive)) for length in lengths]])
        names = [(events.ids[anchor], events.ids[positive])]
        [places] = draw_lineups(names, pools.sizes[[anchor]], shorter, SETTINGS)
        lineups = [pool[place].tolist() for place in places]
        dangers = [
            reference.danger(
                vectors, events.text(anchor), events.text(positive), [events.text(event) for event in lineup]
            )
            for lineup in lineups
        ]
        assert tested.dangers[row] == pytest.approx(dangers, abs=1e-8)
        worst = int(tested.dangers[row].argmax())
        assert tested.negatives[row].tolist() == lineups[worst]
        parts = dict(zip(pool.tolist(), pools.parts[anchor], strict=False))
        assert [PARTS[part] for part in tested.parts[row]] == [
            PARTS[parts[event]] for event in lineups[worst]
        ]
    assert tested.too_small == int((pools.sizes[pairs[:, 0]] < 3).sum())
