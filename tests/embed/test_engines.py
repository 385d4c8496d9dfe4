"""Models that are run by the workers of an engine."""

import pytest

from support.recorded import entries_of
from tellapart.engines import EngineOptions
from tellapart.errors import UsageError
from tellapart.parallel import named_spread


@pytest.mark.slow
@pytest.mark.process
def test_any_number_of_workers_gives_a_run_the_same_bytes(
    tellapart, tiny_bench, tiny_model, tmp_path, monkeypatch
):
    sums = []
    for workers in (1, 2):
        monkeypatch.setenv("TELLAPART_CACHE", str(tmp_path / f"{workers}.sqlite"))
        command = ("run", tiny_bench, "--model", f"st:{tiny_model}", "--out", tmp_path / f"run-{workers}")
        ran = tellapart("contrastive", *command, "--engine", "local", "--workers", workers)
        assert ran.code == 0, ran.err
        sums.append(entries_of(tmp_path / f"run-{workers}", "files"))
    assert sums[0] == sums[1]


def test_what_is_for_an_engine_is_refused_without_one():
    with named_spread(EngineOptions()) as spread:
        assert spread is None
    with (
        pytest.raises(UsageError, match="--workers is for an engine"),
        named_spread(EngineOptions(workers=3)),
    ):
        pass
    for settings in (EngineOptions(address="auto"), EngineOptions("local", num_gpus=1)):
        with pytest.raises(UsageError, match="are for clusters"), named_spread(settings):
            pass
