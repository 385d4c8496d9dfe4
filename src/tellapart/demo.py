"""The demonstration: what an evaluation can tell apart on the standard library of the Python that runs it."""

from __future__ import annotations

import json
import platform
import resource
import sys
import sysconfig
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, log
from pathlib import Path
from typing import Any

from tellapart.audit.run import audit_files
from tellapart.contrastive import run as suite
from tellapart.contrastive.benchmark import Benchmark, read_benchmark
from tellapart.contrastive.build import BuildOptions
from tellapart.contrastive.models import LEXICAL
from tellapart.contrastive.selection.original import BASELINE
from tellapart.embed import available
from tellapart.report import contrastive as pages
from tellapart.report.audit import output as audit_pages
from tellapart.store import RunDirectory, read_frame, run_name, write_frame, write_text

_Pair = dict[str, Any]
_ORIGINAL = "original.scores.parquet"


@dataclass(frozen=True)
class Demo:
    """What the demonstration left behind.

    Attributes:
        figures: The report's, with ``validation``, ``bias``, ``seconds`` and ``peak_rss_mb``.
        conclusion: Five lines, and those of the audits.
        benchmark: The frozen benchmark.
        run: The run directory.
        report: The page.
    """

    figures: dict[str, Any]
    conclusion: tuple[str, ...]
    benchmark: Path
    run: Path
    report: Path


def run_demo(
    out: Path,
    models: Sequence[str] | None = None,
    *,
    targets: int = 300,
    progress: Callable[[str], None] = lambda _: None,
) -> Demo:
    """Build, run, validate, measure the selection bias and report; finished parts at ``out`` are used again.

    Args:
        out: A directory.
        models: By default the lexical ones, and ``minilm`` where it is installed.
        targets: Units to ask about.
        progress: Told what is being done.

    Raises:
        TellapartError: A part cannot be done; what is finished is kept.
    """
    started = time.perf_counter()
    names = list(models or [*LEXICAL, *(["minilm"] if available("minilm") else [])])
    bench = out / f"benchmark-python{platform.python_version()}-{targets}"
    if not bench.exists():
        library = Path(sysconfig.get_path("stdlib"))
        suite.freeze(suite.draft([library], BuildOptions(targets=targets), progress=progress), bench)
    benchmark = read_benchmark(bench)
    directory = _answered(out, bench, benchmark.header.fingerprint, names, progress)
    extras: dict[str, Callable[[], dict[str, Any]]] = {
        "validation": lambda: _validated(directory, benchmark, names, progress),
        "bias": lambda: suite.bias(benchmark, names, progress=progress),
    }
    for name, compute in extras.items():
        file = directory.artifacts / f"{name}.json"
        if not file.exists():
            write_text(file, json.dumps(compute(), indent=2, allow_nan=False) + "\n")
    progress("writing the report")
    page = out / "report.html"
    audits = _audited(out, directory, page) if len(names) > 1 else {}
    links = tuple((f"The audit of {name}", place.name) for name, (place, _) in audits.items())
    pages.write_report(directory, html=page, markdown=out / "report.md", links=links)
    figures = dict(pages.load(directory).figures) | {
        name: json.loads((directory.artifacts / f"{name}.json").read_text()) for name in extras
    }
    figures["audit"] = {name: found for name, (_, found) in audits.items()}
    figures |= {"seconds": round(time.perf_counter() - started, 1), "peak_rss_mb": _peak_rss_mb()}
    lines = conclusion(figures, benchmark.header.counts) + audit_lines(figures["audit"])
    return Demo(figures, lines, bench, directory.path, page)


def conclusion(figures: dict[str, Any], counts: dict[str, Any]) -> tuple[str, ...]:
    """Five lines: the question, what the old and the new way tell apart, what to leave alone, the control.

    Args:
        figures: With ``fingerprint``, ``controls`` and ``validation``; any figure may be undefined.
        counts: Of the benchmark's header.
    """
    old, levels = figures["validation"].get("baseline"), figures["validation"]["phase2"]
    pairs = {level: setup["pairs"] for level, setup in levels.items()}
    sharpest = min(pairs, key=lambda level: (-_separated(pairs[level]), _effort(pairs[level])))
    return (
        f"Asked: {counts['targets']:,} of the {counts['units']:,} documented functions, methods and classes "
        f"in the standard library of Python {platform.python_version()}, at {len(levels)} levels; "
        f"benchmark {figures['fingerprint']}.",
        f"The old way, 4 distractors: {_told(old) if old else 'no question could be built.'}",
        f"The new way, {sharpest}: {_told(levels[sharpest])}",
        _leave_alone(pairs[sharpest], sharpest),
        _control(figures["controls"]["shuffled"]),
    )


def audit_lines(audits: dict[str, dict[str, Any]]) -> tuple[str, ...]:
    """Two lines an audit: what it tells apart, and the items that each pair would need.

    Args:
        audits: Figures of audits, by what was audited.
    """
    lines = []
    for name, figures in audits.items():
        needed = ", ".join(f"{pair['a']}–{pair['b']} {_items(pair)}" for pair in figures["pairs"])
        lines.append(f"Audit of {name}: {audit_pages.headline(figures)}.")
        there = f"{figures['items']:,}{_of_one_level(figures)}"
        lines.append(f"Items that each pair would need there: {needed}, of {there}.")
    return tuple(lines)


def _of_one_level(audit: dict[str, Any]) -> str:
    """The same of the level that tells most apart with fewest items; nothing where there is one level."""
    levels = audit["by_stratum"].get("difficulty", {})
    if len(levels) < 2:
        return ""
    needed = {
        name: [{"items_needed": n} for n in level["items_needed"].values()] for name, level in levels.items()
    }
    best = min(levels, key=lambda name: (-(levels[name]["separated_paired"] or 0), _effort(needed[name])))
    counts = ", ".join(map(_items, needed[best]))
    return f"; of {best} alone {counts}, of {levels[best]['items']:,}"


def _told(setup: dict[str, Any]) -> str:
    rates = [(model, row["accuracy"]) for model, row in setup["models"].items()]
    accuracies = ", ".join(f"{model} {'–' if rate is None else f'{rate:.0%}'}" for model, rate in rates)
    if not setup["pairs"]:
        return f"{accuracies}."
    needed = ", ".join(f"{pair['a']}–{pair['b']} {_items(pair)}" for pair in setup["pairs"])
    told = f"{_separated(setup['pairs'])} of {len(setup['pairs'])} pairs told apart"
    return f"{accuracies}; {told}; items needed: {needed}."


def _leave_alone(pairs: Sequence[_Pair], level: str) -> str:
    """The two models that are hardest to tell apart where telling apart is easiest."""
    equal = [pair for pair in pairs if not _is_separated(pair) and pair["difference"] is not None]
    if not equal:
        return f"Leave alone: nothing; {level} tells every pair apart that there is."
    pair = max(equal, key=lambda pair: pair["items_needed"] or inf)
    span = "" if pair["ci"] is None else " ({:+.1f} to {:+.1f})".format(*(100 * end for end in pair["ci"]))
    cost = (
        f"take {_items(pair)} items" if pair["items_needed"] else "not be possible with any number of items"
    )
    return (
        f"Leave alone: {pair['a']} and {pair['b']} differ by {100 * pair['difference']:+.1f} points{span} "
        f"at {level}; telling them apart would {cost}, so choose on other grounds."
    )


def _control(shuffled: dict[str, dict[str, Any]]) -> str:
    scores = ", ".join(f"{model} {row['accuracy']:.1%}" for model, row in shuffled.items() if row["ci"])
    off = [model for model, row in shuffled.items() if row["ci"] and not _is_at_chance(row)]
    if not scores:
        return "Control, another unit's summary: too few items to say."
    chance = next(iter(shuffled.values()))["chance"]
    verdict = f"not at chance: {', '.join(off)}" if off else "all at chance within their intervals"
    return f"Control, another unit's summary: {scores}, where guessing gives {chance:.1%}; {verdict}."


def _is_at_chance(row: dict[str, Any]) -> bool:
    low, high = row["ci"]
    return bool(low <= row["chance"] <= high)


def _is_separated(pair: _Pair) -> bool:
    return pair["p_holm"] is not None and pair["p_holm"] < 0.05


def _separated(pairs: Sequence[_Pair]) -> int:
    return sum(map(_is_separated, pairs))


def _effort(pairs: Sequence[_Pair]) -> float:
    """Sum of the logarithms of the items needed; a pair that no number separates counts as a billion."""
    return sum(log(pair["items_needed"] or 1e9) for pair in pairs)


def _items(pair: _Pair) -> str:
    return f"{pair['items_needed']:,}" if pair["items_needed"] else "–"


def _answered(
    out: Path, bench: Path, fingerprint: str, models: list[str], progress: Callable[[str], None]
) -> RunDirectory:
    """The run of these models on this benchmark: the one that is there, or a new one."""
    path = out / run_name("run", {"models": models}, {"benchmark": fingerprint})
    return RunDirectory.open(path) if path.exists() else suite.run(bench, models, out=path, progress=progress)


def _validated(
    directory: RunDirectory, benchmark: Benchmark, names: list[str], progress: Callable[[str], None]
) -> dict[str, Any]:
    """The set-ups compared; the answers under the original method are kept as a score table."""
    found = suite.validate(benchmark, names, answered=directory.frame("items.parquet"), progress=progress)
    original = found.scores.filter(difficulty=BASELINE.name)
    write_frame(directory.artifacts / _ORIGINAL, original)
    return found.figures


def _audited(out: Path, directory: RunDirectory, report: Path) -> dict[str, tuple[Path, dict[str, Any]]]:
    """Page and figures of the audits of the run, and of the original method where it could ask anything."""
    sources = {
        "this run": (directory.path, out / "audit.html"),
        "the old way": (directory.artifacts / _ORIGINAL, out / "audit-original.html"),
    }
    audits = {}
    for name, (scores, page) in sources.items():
        if scores.name == _ORIGINAL and not read_frame(scores).height:
            continue
        found = audit_files([scores])
        items = found.findings.item_findings.table
        audit_pages.write_report(found.figures, items, html=page, links=(("The report", report.name),))
        audits[name] = page, found.figures
    return audits


def _peak_rss_mb() -> float:
    unit = 1024**2 if sys.platform == "darwin" else 1024
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit, 1)
