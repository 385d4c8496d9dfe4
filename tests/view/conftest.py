"""A folder with runs of several suites, made once by commands: finished, and one that was interrupted."""

import os
import sysconfig
from pathlib import Path

import pytest

from tellapart.cli.main import main
from tellapart.llm.journal import CallJournal

CODE = Path(sysconfig.get_path("stdlib")) / "email"

PLAY = "longcontext run cases --model offline/recalls --model offline/guesses-16k --fork-probes"

COMMANDS = {
    "contrastive": [
        f"contrastive build {CODE} --out bench --targets 6 --levels easy,hard",
        "contrastive run bench --model bm25 --model hashing --model lsa --out runs/embedding",
        "contrastive run bench --model bm25 --llm offline/overlap --repeats 2 --out runs/matchers",
    ],
    "bundles": [
        "contrastive bundles ../contrastive/bench --out eval.jsonl",
        "bundles score eval.jsonl --model tfidf --out tfidf.json",
        "bundles score eval.jsonl --model bm25 --out bm25.json",
    ],
    "longcontext": [
        "longcontext generate --out cases --lengths 1K,2K --conversations 1 --facts 2 --depths 0,100 "
        "--traps 2",
        f"{PLAY} --run runs/played",
        "longcontext grade runs/played --cases cases --out rules.md --run runs/graded",
        "longcontext grade runs/played --cases cases --grader both --judge offline/compares --out both.md "
        "--run runs/judged",
    ],
}
INTERRUPTED = f"{PLAY} --run runs/killed"
CALLS = 7


@pytest.fixture(scope="session")
def stored(tmp_path_factory):
    """The folder; to be read only."""
    folder, here = tmp_path_factory.mktemp("view") / "folder", Path.cwd()
    try:
        for suite, commands in COMMANDS.items():
            (folder / suite).mkdir(parents=True)
            os.chdir(folder / suite)
            for command in commands:
                assert _exit_code(command) == 0, command
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(CallJournal, "append", _until(CALLS, CallJournal.append))
            assert _exit_code(INTERRUPTED) == 130
    finally:
        os.chdir(here)
    return folder


def _exit_code(command):
    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as stop:
        patch.setattr("sys.argv", ["tellapart", *command.split()])
        main()
    return stop.value.code or 0


def _until(calls, append):
    left = [calls]

    def some(journal, key, call):
        if not left[0]:
            raise KeyboardInterrupt
        left[0] -= 1
        append(journal, key, call)

    return some
