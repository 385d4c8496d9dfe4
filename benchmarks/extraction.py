"""Extraction against tree-sitter's own parse of the same files, in one process.

The extraction reads, parses, queries and builds units; the bare parse only parses bytes already in memory.
Usage: python benchmarks/extraction.py [REPOSITORY]; without one, the standard library of this Python.
"""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter

from tellapart.extraction.extract import extract_units
from tellapart.extraction.reading import Unusable, read_source
from tellapart.extraction.sources import Sources, find_sources

ROUNDS = 5


def seconds(work: Callable[[], object]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start


def readable(sources: Sources) -> list[tuple[bytes, Callable[[bytes], object]]]:
    found: list[tuple[bytes, Callable[[bytes], object]]] = []
    for _, location, language in sources.files:
        try:
            found.append((read_source(location, language), language.parser.parse))
        except Unusable:
            continue
    return found


def main() -> None:
    repository = Path(sys.argv[1] if len(sys.argv) > 1 else sysconfig.get_path("stdlib"))
    start = perf_counter()
    sources = find_sources(repository)
    finding = perf_counter() - start
    texts = readable(sources)
    rounds = {
        "read the files": lambda: [location.read_bytes() for _, location, _ in sources.files],
        "bare parse": lambda: [parse(data) for data, parse in texts],
        "extract_units": lambda: extract_units(sources),
    }
    timings: dict[str, list[float]] = {name: [] for name in rounds}
    for _ in range(ROUNDS):
        for name, work in rounds.items():
            timings[name].append(seconds(work))
    count = len(extract_units(sources).units)
    megabytes = sum(len(data) for data, _ in texts) / 1e6
    parse = median(timings["bare parse"])
    print(f"{len(texts)} files, {megabytes:.2f} MB, {count} units; found in {finding:.2f} s")
    print(f"{'median of ' + str(ROUNDS):<16}{'seconds':>9}{'MB/s':>9}{'x parse':>9}")
    for name, times in timings.items():
        middle = median(times)
        print(f"{name:<16}{middle:>9.3f}{megabytes / middle:>9.1f}{middle / parse:>9.2f}")


if __name__ == "__main__":
    main()
