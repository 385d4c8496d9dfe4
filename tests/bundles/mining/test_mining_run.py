import json

import numpy as np
import polars as pl
import pytest

from bundles.mining.made_events import made_events, write_events
from tellapart.bundles import run as scoring
from tellapart.bundles.mining import run
from tellapart.bundles.mining.settings import Settings
from tellapart.core.progress import SILENT
from tellapart.errors import UsageError

SETTINGS = Settings(within_lemma=4, sibling_senses=2, across_lemmas=6, negatives_per_lineup=4)


def mine(directory, events, *, settings=SETTINGS, progress=SILENT, **options):
    options = {"model": "hashing", "threshold": "0.1", **options}
    return run.mine(
        events,
        directory / "m.jsonl",
        settings,
        stats_path=directory / "s.json",
        quarantine=directory / "q.jsonl",
        progress=progress,
        **options,
    )


def written(directory):
    """All bytes but for the duration."""
    stats = json.loads((directory / "s.json").read_text())
    assert stats.pop("duration_s") >= 0
    return (directory / "m.jsonl").read_bytes(), (directory / "q.jsonl").read_bytes(), stats


@pytest.fixture(scope="module")
def made():
    return made_events(11, senses=60, lemmas=9)


@pytest.fixture
def events(tmp_path, made):
    return write_events(tmp_path / "events.jsonl", made)


def test_the_same_bytes_for_any_order_of_events(tmp_path, made, events):
    stats = mine(tmp_path / "one", events)
    assert 0 < stats.accepted < stats.candidates_tested
    shuffled = write_events(
        tmp_path / "shuffled.jsonl", [made[i] for i in np.random.default_rng(1).permutation(len(made))]
    )
    mine(tmp_path / "two", shuffled)
    assert written(tmp_path / "one") == written(tmp_path / "two")
    assert sorted(path.name for path in (tmp_path / "one").iterdir()) == ["m.jsonl", "q.jsonl", "s.json"]


def test_scoring_what_was_mined_gives_back_its_danger(tmp_path, events):
    stats = mine(tmp_path, events)
    rows = [json.loads(line) for line in (tmp_path / "m.jsonl").read_text().splitlines()]
    scoring.score(tmp_path / "m.jsonl", tmp_path / "board.json", model="hashing")
    scores = pl.read_parquet(tmp_path / "board.scores.parquet")
    dangers = {row["bundle_id"]: row["metadata"]["danger"] for row in rows}
    assert len(dangers) == stats.accepted
    for item, margin in scores.select("item", "margin").iter_rows():
        assert -margin == pytest.approx(dangers[item], abs=1e-12)
    assert min(dangers.values()) >= 0.1
    assert set(scores["tier"]) == {"tier3_adversarial"}


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"threshold": "calibrate"}, "--existing"),
        ({"threshold": "high"}, "'high', expected a number or 'calibrate'"),
        ({"model": "bm25"}, "no dense vectors"),
        ({"settings": Settings(lineups=2)}, "2 lineups"),
    ],
)
def test_what_cannot_work_is_refused(tmp_path, events, options, told):
    with pytest.raises(UsageError, match=told):
        mine(tmp_path / "out", events, **options)
