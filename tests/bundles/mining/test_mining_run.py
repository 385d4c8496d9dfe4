import json
import signal
import subprocess
import sys
import time

import numpy as np
import polars as pl
import pytest

from bundles.mining.made_events import made_events, write_events
from spreads import Pickling
from support.recorded import keys_of
from tellapart.bundles import run as scoring
from tellapart.bundles.mining import candidates, run
from tellapart.bundles.mining.chunks import Miner
from tellapart.bundles.mining.settings import Settings
from tellapart.cli.progress import Lines
from tellapart.core.progress import SILENT
from tellapart.errors import UsageError

SETTINGS = Settings(within_lemma=4, sibling_senses=2, across_lemmas=6, negatives_per_lineup=4)


def mine(directory, events, *, settings=SETTINGS, progress=SILENT, spread=None, **options):
    options = {"model": "hashing", "threshold": "0.1", **options}
    request = run.MiningRequest(
        events, directory / "m.jsonl", directory / "s.json", directory / "q.jsonl", **options
    )
    return run.mine(request, settings, progress=progress, spread=spread)


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


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setattr(candidates, "_CANDIDATES_A_CHUNK", 40)


@pytest.mark.usefixtures("small_chunks")
def test_the_same_bytes_for_any_order_of_events_and_any_workers(tmp_path, made, events):
    stats = mine(tmp_path / "one", events)
    assert 0 < stats.accepted < stats.candidates_tested
    shuffled = write_events(
        tmp_path / "shuffled.jsonl", [made[i] for i in np.random.default_rng(1).permutation(len(made))]
    )
    mine(tmp_path / "two", shuffled, workers=3)
    mine(tmp_path / "three", events, spread=Pickling())
    assert written(tmp_path / "one") == written(tmp_path / "two") == written(tmp_path / "three")
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


def test_quarantine_has_what_passed_but_not_often_enough(tmp_path, events):
    stats = mine(tmp_path, events)
    rows = [json.loads(line) for line in (tmp_path / "q.jsonl").read_text().splitlines()]
    few = [row for row in rows if row["metadata"]["cause"] == "too few passes"]
    assert len(few) == stats.pass_distribution["1"] + stats.pass_distribution["2"]
    assert {row["metadata"]["passes"] for row in few} == {1, 2}
    assert len(rows) - len(few) == stats.rejected.get("same pair in another sense", 0)


def test_a_calibrated_threshold_is_the_ninth_decile_of_the_existing_danger(tmp_path, events):
    mine(tmp_path / "one", events, threshold="-1")
    path = tmp_path / "one" / "m.jsonl"
    dangers = [json.loads(line)["metadata"]["danger"] for line in path.read_text().splitlines()]
    stats = mine(tmp_path / "two", events, existing=path, threshold="calibrate")
    assert stats.threshold == pytest.approx(np.quantile(dangers, 0.9), abs=1e-11)
    assert stats.parameters["threshold"] == "calibrate"
    # Where bundles have tiers, the hardest one calibrates, and the message says on how many bundles.
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for i, row in enumerate(rows):
        row["tier"] = "tier3_adversarial" if i % 3 == 0 else "tier1_easy"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    said = []
    progress = Lines(said.append)
    hardest = mine(tmp_path / "three", events, existing=path, threshold="calibrate", progress=progress)
    assert hardest.threshold == pytest.approx(np.quantile(dangers[::3], 0.9), abs=1e-11)
    assert any(f"of the {len(dangers[::3])} bundles of tier3_adversarial of {path}" in one for one in said)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"threshold": "calibrate"}, "--existing"),
        ({"threshold": "high"}, "'high', expected a number or 'calibrate'"),
        ({"threshold": "nan"}, "'nan'"),
        ({"model": "bm25"}, "no dense vectors"),
        ({"model": None}, "either --model"),
        ({"settings": Settings(lineups=2)}, "2 lineups"),
    ],
)
def test_what_cannot_work_is_refused(tmp_path, events, options, told):
    with pytest.raises(UsageError, match=told):
        mine(tmp_path / "out", events, **options)


KILLED = """
import sys, time
from pathlib import Path
from tellapart.bundles.mining import candidates, run
from tellapart.bundles.mining.settings import Settings
from tellapart.store import OpenRun
candidates._CANDIDATES_A_CHUNK = 40
finish = OpenRun.finish_step
# Slow enough to be killed between two chunks of any number.
OpenRun.finish_step = lambda *args, **details: (finish(*args, **details), time.sleep(0.05))
directory = Path(sys.argv[2])
settings = Settings(within_lemma=4, sibling_senses=2, across_lemmas=6, negatives_per_lineup=4)
run.mine(
    run.MiningRequest(
        Path(sys.argv[1]), directory / "m.jsonl", directory / "s.json", directory / "q.jsonl",
        threshold="0.1", model="hashing", workers=2,
    ),
    settings,
)
"""


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.usefixtures("small_chunks")
def test_killed_at_any_moment_it_goes_on_and_gives_the_same_bytes(tmp_path, events, monkeypatch):
    mine(tmp_path / "whole", events)
    partial = tmp_path / "killed" / "m.jsonl.mining.partial"
    seen = []
    for entries in (1, 5):
        process = subprocess.Popen([sys.executable, "-c", KILLED, events, tmp_path / "killed"])
        while process.poll() is None and len(keys_of(partial, "steps")) < entries:
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
        seen.append(len(keys_of(partial, "steps")))
        assert not (tmp_path / "killed" / "m.jsonl").exists()
    assert seen == sorted(seen)
    kept = {path.name: path.stat().st_mtime_ns for path in (partial / "artifacts").glob("[0-9]*.parquet")}
    done = {step.split()[1] for step in keys_of(partial, "steps") if " " in step}
    computed = []
    original = Miner.measure
    monkeypatch.setattr(
        Miner, "measure", lambda self, part, pools: computed.append(part) or original(self, part, pools)
    )
    mine(tmp_path / "killed", events)
    assert computed
    assert not {str(part.start) for part in computed} & done
    assert len(kept) >= len(done) >= 5
    assert written(tmp_path / "killed") == written(tmp_path / "whole")
