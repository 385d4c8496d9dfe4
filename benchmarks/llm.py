"""How near asking comes to what latency and connections allow, and what it holds in memory.

2,000 questions with prompts of some 9,000 characters, 200 ms of simulated latency and 50 connections: at best
8.0 s. ``offline`` is a model in the process; ``anthropic`` is the real provider and the loopback server, in a
process beside it on the same cores. Imports are done before the clock starts, by 50 questions. Then the peak
of resident memory for four and sixteen times as many questions, without latency. Every figure is of a process
of its own. Nothing else should run: one core is busy for three quarters of the time.

Usage: python benchmarks/llm.py [QUESTIONS]
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

from pydantic import BaseModel, ConfigDict

from tellapart.llm.budget import Limits
from tellapart.llm.models import LanguageModel
from tellapart.llm.questions import Question
from tellapart.llm.run_models import RunCalls

QUESTIONS, LATENCY_S, CONNECTIONS = 2_000, 0.2, 50
CODE = "\n".join(f"def function_{i}(argument):\n    return argument + {i}" for i in range(180))
REPLY = json.dumps(
    {"order": list(range(1, 21)), "selected": 1, "confidence": 0.5, "reasoning": "because " * 20}
)


class Ordering(BaseModel):
    """A reply like those of ``contrastive``."""

    model_config = ConfigDict(extra="forbid")

    order: list[int]
    selected: int
    confidence: float
    reasoning: str


class Questions:
    """Made as they are needed."""

    def __init__(self, count: int) -> None:
        self.count = count

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Question[Ordering]]:
        for i in range(self.count):
            yield Question(f"q{i}", f"Question {i}\n{CODE}", Ordering)


def ask(directory: Path, model: LanguageModel, count: int) -> tuple[float, float]:
    """Seconds, and seconds of the processor, from nothing to the last answer."""
    with RunCalls(directory, Limits(max_connections=CONNECTIONS)).opened() as calls:
        start, used = perf_counter(), process_time()
        found = calls.ask(Questions(count), model)
        took = perf_counter() - start, process_time() - used
        assert sum(answer.value is not None for answer in found.by_id.values()) == count
    return took


def peak_mb() -> float:
    """The most resident memory that this process ever had."""
    status = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024


def measure(name: str, base_url: str, count: int, latency_s: float) -> None:
    """In a process of its own: print seconds, seconds of the processor and the peak of memory."""
    from tellapart.offline import respond

    respond("bench", latency_s=latency_s)(lambda prompt: REPLY)
    model = LanguageModel(name, base_url=base_url or None)
    with TemporaryDirectory() as directory:
        ask(Path(directory) / "first", model, CONNECTIONS)
        took, used = ask(Path(directory) / "run", model, count)
        print(json.dumps([took, used, peak_mb()]))


def serve() -> None:
    """In a process of its own: print the address and serve until stdin ends."""
    from kits import LoopbackServer

    with LoopbackServer(REPLY, latency_s=LATENCY_S) as server:
        print(server.base_url("anthropic"), flush=True)
        sys.stdin.read()


def child(*arguments: object) -> Any:
    """What a ``measure`` in a process of its own printed."""
    command = [sys.executable, __file__, *map(str, arguments)]
    environment = os.environ | {"ANTHROPIC_API_KEY": "not-a-key"}
    return json.loads(subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE).stdout)


def tell(what: str, count: int, took: float, used: float) -> None:
    ideal = count * LATENCY_S / CONNECTIONS
    print(
        f"{what:22s} {count:6,d} questions: {took:6.2f} s, ideal {ideal:.2f} s, {ideal / took:4.0%} of its "
        f"rate; {used / count * 1000:.2f} ms of the processor each"
    )


def main(count: int) -> None:
    took, used, least = child("measure", "offline/bench", "", count, LATENCY_S)
    tell("offline", count, took, used)
    command = [sys.executable, __file__, "serve"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin and server.stdout
        address = server.stdout.readline().strip()
        took, used, _ = child("measure", "anthropic/bench", address, count, LATENCY_S)
        server.stdin.close()
    tell("anthropic, loopback", count, took, used)
    print(f"memory: {count:,} questions {least:.0f} MB", end="", flush=True)
    for times in (4, 16):
        _, _, most = child("measure", "offline/bench", "", count * times, 0)
        print(f", {count * times:,} {most:.0f} MB", end="", flush=True)
    print()


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["measure", name, base_url, count, latency_s]:
            measure(name, base_url, int(count), float(latency_s))
        case ["serve"]:
            serve()
        case [count]:
            main(int(count))
        case _:
            main(QUESTIONS)
