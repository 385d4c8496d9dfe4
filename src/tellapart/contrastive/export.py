"""What ``contrastive`` exports: items as bundles, functions as events."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from typing import Any

from tellapart.contrastive.benchmark import Benchmark, read_benchmark
from tellapart.contrastive.summaries import Summary, docstring_summary
from tellapart.contrastive.units import gather_material
from tellapart.core.bundle import Bundle, Event, Text, content
from tellapart.extraction.unit import Unit
from tellapart.files import write_text

MOST_PARTS = 4
"""Parts that the code of one function is cut into at most, so that long ones do not crowd the others out."""

SHORTEST_PART = 6
"""Lines that are not blank in a part of code, unless the whole function is shorter."""

_BLANK_LINE = re.compile(r"\n[ \t]*\n")


def write_bundles(bench: Path, out: Path) -> int:
    """Write the items of a frozen benchmark as bundles, one a line."""
    return _write(out, (bundle.to_row() for bundle in benchmark_bundles(read_benchmark(bench))))


def write_events(repositories: Sequence[Path], out: Path) -> int:
    """Write the documented functions of repositories as events, one a line; see ``events``."""
    material = gather_material(repositories)
    documented = events(material.units, material.summaries)
    return _write(out, (event.model_dump(exclude_none=True) for event in documented))


def benchmark_bundles(benchmark: Benchmark) -> list[Bundle]:
    """Make a bundle of each item and summary: the summary, the target's code and the distractors' code.

    Of items that have the same distractors at several levels, only the first makes a bundle. There is no
    tier, which depends on a model; the level and more are in ``metadata``.
    """
    several = len(benchmark.sources) > 1
    texts = {source: benchmark.texts[source] for source in benchmark.sources}
    written: dict[tuple[str, str, frozenset[str]], Bundle] = {}
    for row in benchmark.sets.iter_rows(named=True):
        target = benchmark.units[row["target"]].id
        for source in benchmark.sources:
            if target in texts[source]:
                bundle = _bundle(benchmark, row, Summary(target, source, texts[source][target]), several)
                negatives = frozenset(content(text.text) for text in bundle.negatives)
                key = content(bundle.anchor.text), content(bundle.positive.text), negatives
                written.setdefault(key, bundle)
    return [*written.values()]


def events(units: Sequence[Unit], summaries: Iterable[Summary]) -> list[Event]:
    """Cut functions into events: a sense is one function or method, its lemma is its name.

    The texts are its summary, further paragraphs of its docstring that are prose, and its code in up to
    ``MOST_PARTS`` parts. None contains another, so classes and functions inside others are left out.
    """
    texts = {summary.unit: summary.text for summary in summaries}
    chosen = [unit for unit in _outermost(units) if unit.id in texts]
    return [event for unit in chosen for event in _events_of(unit, texts[unit.id])]


def code_parts(code: str) -> list[str]:
    """Cut a function where statements of its outermost block begin."""
    lines = code.split("\n")
    filled = sum(bool(line.strip()) for line in lines)
    wanted = max(SHORTEST_PART, -(-filled // MOST_PARTS))
    indents = [len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()]
    body = min((indent for indent in indents if indent), default=0)
    parts: list[list[str]] = [[]]
    filled_here, left = 0, filled
    for line in lines:
        begins = bool(line.strip()) and len(line) - len(line.lstrip()) == body > 0
        if begins and filled_here >= wanted and left >= SHORTEST_PART:
            parts.append([])
            filled_here = 0
        parts[-1].append(line)
        filled_here, left = filled_here + bool(line.strip()), left - bool(line.strip())
    return [dedent("\n".join(part)).strip("\n") for part in parts]


def _events_of(unit: Unit, summary: str) -> list[Event]:
    paragraphs = _BLANK_LINE.split((unit.docstring or "").strip())[1:]
    prose = [text for text in (docstring_summary(replace(unit, docstring=p)) for p in paragraphs) if text]
    code = code_parts(unit.content)
    named = [
        ("summary", summary),
        *((f"text-{i}", text) for i, text in enumerate(prose, start=1)),
        *((f"code-{i}", text) for i, text in enumerate(code, start=1)),
    ]
    distinct = {content(text): (name, text) for name, text in reversed(named)}
    return [
        Event(event_id=f"{unit.id}/{name}", text=text, sense=unit.id, lemma=unit.name)
        for name, text in reversed(distinct.values())
    ]


def _outermost(units: Sequence[Unit]) -> list[Unit]:
    """Functions and methods that lie in no other; units are by path and line."""
    outermost: list[Unit] = []
    for unit in sorted(units, key=lambda unit: (unit.path, unit.start_line, -unit.end_line, unit.id)):
        inside = outermost and outermost[-1].path == unit.path and unit.end_line <= outermost[-1].end_line
        if unit.type != "class" and not inside:
            outermost.append(unit)
    return outermost


def _bundle(benchmark: Benchmark, row: Mapping[str, Any], summary: Summary, several: bool) -> Bundle:
    target = benchmark.units[row["target"]]

    def code(unit: Unit) -> Text:
        return Text(unit.content, event_id=unit.id)

    return Bundle(
        f"{row['item']} by {summary.source}" if several else row["item"],
        Text(summary.text),
        code(target),
        tuple(code(benchmark.units[unit]) for unit in row["distractors"]),
        metadata={
            "level": row["level"],
            "target": target.id,
            "summary": summary.source,
            "strategies": row["strategies"],
            "difficulty": row["difficulty"],
            "difficulty_score": row["difficulty_score"],
            "benchmark": benchmark.header.fingerprint,
        },
    )


def _write(out: Path, rows: Iterable[Mapping[str, Any]]) -> int:
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
    write_text(out, "".join(lines))
    return len(lines)
