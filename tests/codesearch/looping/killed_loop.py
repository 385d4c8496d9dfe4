"""A loop that kills itself where it is told to: run by a test, in a process of its own."""

import json
import os
import signal
import sys
from pathlib import Path

from codesearch.explored_cases import case
from codesearch.looping.made_iterations import iteration
from tellapart.codesearch.config import Config, LoopConfig
from tellapart.codesearch.looping.run import Steps, run_loop

IMPROVE = 'echo improve $1 >> "$CALLS"; [ $DIES_AT = improve-$1 ] || exit 0; kill -9 $PPID'


class Mortal:
    """Steps that put down their calls, and kill their process in one of them."""

    def __init__(self, calls, dies_at):
        self.calls = calls
        self.dies_at = dies_at

    def _call(self, name, one):
        with self.calls.open("a") as calls:
            calls.write(f"{name} {one.number}\n")
        if self.dies_at == f"{name}-{one.number}":
            os.kill(os.getpid(), signal.SIGKILL)

    def search(self, one):
        self._call("search", one)
        return json.dumps({"iteration_number": one.number, "found": "abcdefgh"[: 2 * one.number]})

    def evaluate(self, one, searched):
        self._call("evaluate", one)
        cases = [case(i, "abcdefgh", "abcdefgh", json.loads(searched)["found"]) for i in range(3)]
        return iteration(one.number, *cases)

    def learn(self, one, evaluated):
        self._call("learn", one)
        return json.dumps({"conversations": len(evaluated.cases)})


def main(directory, calls, dies_at):
    steps = Mortal(calls, dies_at)
    limits = LoopConfig(
        max_iterations=3,
        precision_threshold=1.0,
        recall_threshold=1.0,
        improve=f"sh -c '{IMPROVE}' sh {{iteration}}",
        pass_env=("CALLS", "DIES_AT"),
    )
    run_loop(Config(loop=limits), Steps(steps.search, steps.evaluate, steps.learn), directory)


def begin():
    """Run with the arguments of the process: the loop's directory, the file of calls, where it dies."""
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
