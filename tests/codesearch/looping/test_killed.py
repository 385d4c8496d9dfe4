import signal
from collections import Counter

from codesearch.looping.killed_loop import main
from nursery import Nursery

LOOP = "codesearch.looping.killed_loop"
DEATHS = ("evaluate-1", "improve-1", "search-2", "learn-3")


def run(parent, directory, calls, dies_at="never"):
    said = calls.with_name(f"said-{dies_at}")
    said.mkdir()
    nursery = Nursery(parent, None, said, LOOP, CALLS=str(calls), DIES_AT=dies_at)
    nursery.begin(directory, calls, dies_at, function=f"{LOOP}:begin")
    return nursery.ended(), nursery.said()


def files_of(directory):
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in directory.rglob("*")
        if path.is_file() and "lock" not in path.name and not path.name.startswith(".")
    }


def test_killed_and_started_again_it_repeats_no_finished_step(parent, tmp_path, monkeypatch):
    for dies_at in DEATHS:
        code, said = run(parent, tmp_path / "killed", tmp_path / "calls", dies_at)
        assert code == -signal.SIGKILL, said
    assert run(parent, tmp_path / "killed", tmp_path / "calls") == (0, "")
    calls = Counter((tmp_path / "calls").read_text().splitlines())
    every = [f"{step} {n}" for n in (1, 2, 3) for step in ("search", "evaluate", "learn")]
    every += ["improve 1", "improve 2"]
    died = {death.replace("-", " ") for death in DEATHS}
    assert calls == {call: 1 + (call in died) for call in every}
    monkeypatch.setenv("CALLS", str(tmp_path / "others"))
    monkeypatch.setenv("DIES_AT", "never")
    main(tmp_path / "whole", tmp_path / "others", "never")
    assert files_of(tmp_path / "killed") == files_of(tmp_path / "whole")
