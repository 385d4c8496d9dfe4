"""An evaluation that is killed asks for nothing twice that was finished, and ends the same."""

import os
import signal
import time
from collections import Counter

import pytest

from codesearch.killed_evaluation import (
    MODULES,
    answered,
    asked,
    begun,
    command,
    finds,
    finished,
    write_place,
)
from codesearch.played_models import playing
from nursery import Nursery
from support.loopback import LoopbackServer


@pytest.mark.slow
def test_a_kill_loses_nothing_that_was_finished(parent, tmp_path):
    place, run = write_place(tmp_path), tmp_path / "killed.partial"
    with LoopbackServer(playing(finds), latency_s=0.05) as server:
        nursery = Nursery(parent, server, place, *MODULES, TELLAPART_INDEX=str(place / "index"))
        nursery.begin(*command(place, "whole"))
        assert nursery.ended() == 0, nursery.said()
        whole = Counter(begun(server.requests)), asked(server.requests)
        server.requests.clear()
        # All explorations but the last few, so that some are done and some are cut off.
        killed = nursery.begin(*command(place, "killed"))
        while len(server.requests) < whole[0].total():
            os.kill(killed, 0)
            time.sleep(0.005)
        os.kill(killed, signal.SIGKILL)
        assert nursery.ended() == -signal.SIGKILL
        explored, judged = finished(run), answered(run)
        assert 0 < explored.total() < whole[0].total()
        server.requests.clear()
        nursery.begin(*command(place, "killed"))
        assert nursery.ended() == 0, nursery.said()
        assert begun(server.requests) == whole[0] - explored
        assert asked(server.requests) == whole[1] - judged
    for name in ("killed.json", "killed/artifacts/evaluation.json", "killed/scores.parquet"):
        whole_file = place / name.replace("killed", "whole")
        assert (place / name).read_bytes() == whole_file.read_bytes(), name
