"""The demonstration: which models an evaluation on the standard library of its Python separates."""

from __future__ import annotations

import json
import platform
import resource
import sys
import sysconfig
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tellapart.audit.page.sections import document as audit_document
from tellapart.audit.run import audit_files
from tellapart.contrastive import building, running
from tellapart.contrastive import page as pages
from tellapart.contrastive.benchmark import Benchmark, BenchmarkCounts, read_benchmark
from tellapart.contrastive.build_options import BuildOptions
from tellapart.contrastive.controls import MARGIN
from tellapart.contrastive.models import LEXICAL, Models
from tellapart.contrastive.selection.original import BASELINE
from tellapart.contrastive.validate import setup_scores
from tellapart.core.comparison import Comparison, from_json
from tellapart.core.progress import SILENT, Progress
from tellapart.environment.clock import seconds_since
from tellapart.files import write_json
from tellapart.report.comparison import headline, items_as_seen, sentence
from tellapart.report.numbers import percent, whole_percent
from tellapart.report.output import write
from tellapart.store import RunDirectory, read_frame, run_name, write_frame

PRIMARY = ("difficulty", "adversarial")
"""The items that the verdict is about: the hardest level, which has as many as the original method."""

_ORIGINAL = "original.scores.parquet"
_EXTRAS = ("validation", "bias")


@dataclass(frozen=True)
class Demo:
    """What the demonstration left behind.

    Attributes:
        figures: The report's, with ``validation``, ``bias``, ``audit``, ``seconds`` and ``peak_rss_mb``.
        conclusion: Four lines, or five.
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
    progress: Progress = SILENT,
) -> Demo:
    """Build, run, validate, measure the selection bias and report; finished parts at ``out`` are reused."""
    started = time.monotonic()
    names = list(models or LEXICAL)
    bench = out / f"benchmark-python{platform.python_version()}-{targets}"
    directory, counts = _measured(out, bench, names, targets, progress)
    progress("writing the report")
    page = out / "report.html"
    audits = _audited(out, directory, page) if len(names) > 1 else {}
    links = tuple(
        (f"The audit of {name}", audit_directory.name) for name, (audit_directory, _) in audits.items()
    )
    view = pages.load(directory)
    write(lambda: pages.document(view, links), html=page, markdown=out / "report.md")
    figures = pages.json_figures(view) | {
        name: json.loads((directory.artifacts / f"{name}.json").read_text()) for name in _EXTRAS
    }
    figures["audit"] = {name: result for name, (_, result) in audits.items()}
    figures |= {"seconds": round(seconds_since(started), 1), "peak_rss_mb": _peak_rss_mb()}
    return Demo(figures, conclusion(figures, counts), bench, directory.path, page)


def _measured(
    out: Path, bench: Path, names: list[str], targets: int, progress: Progress
) -> tuple[RunDirectory, BenchmarkCounts]:
    """Build, run, validate and measure the bias; what models and texts take is free again afterwards."""
    with Models(progress=progress) as loaded:
        if not bench.exists():
            library = Path(sysconfig.get_path("stdlib"))
            options = BuildOptions(targets=targets)
            building.freeze(building.draft([library], options, loaded=loaded, progress=progress), bench)
        benchmark = read_benchmark(bench)
        directory = _answered(out, bench, benchmark.header.fingerprint, names, loaded, progress)
        extras: dict[str, Callable[[], dict[str, Any]]] = {
            "validation": lambda: _validated(directory, benchmark, names, loaded, progress),
            "bias": lambda: running.bias(benchmark, names, loaded=loaded, progress=progress).to_json(),
        }
        for name, compute in extras.items():
            file = directory.artifacts / f"{name}.json"
            if not file.exists():
                write_json(file, compute())
    return directory, benchmark.header.counts


def conclusion(figures: dict[str, Any], counts: BenchmarkCounts) -> tuple[str, ...]:
    """Say what was asked, what the original method and this suite separate, at what cost, and the control."""
    setups = figures["validation"]
    original, chosen = setups.get("baseline"), setups["phase2"].get(PRIMARY[1], {"models": {}})
    run = from_json(figures["comparison"]) if "comparison" in figures else None
    before = from_json(original["comparison"]) if original and "comparison" in original else None
    lines = [
        f"Asked: {counts['targets']:,} of the {counts['units']:,} documented functions, methods and classes "
        f"in the standard library of Python {platform.python_version()}, at {len(setups['phase2'])} levels; "
        f"benchmark {figures['fingerprint']}.",
        f"The original method, 4 distractors: {_accuracies(original)}{_verdict(before)}"
        if original
        else "The original method, 4 distractors: no question could be built.",
        f"This suite, level {PRIMARY[1]}, chosen before the run: {_accuracies(chosen)}{_verdict(run)}",
    ]
    if run:
        lines.append(f"Items needed for 80 % power, were the gaps those seen: {_needed(run, before)}.")
    return (*lines, _control(figures["controls"]["shuffled"]))


def _accuracies(setup: dict[str, Any]) -> str:
    rates = [(model, row["accuracy"]) for model, row in setup["models"].items()]
    return (
        ", ".join(f"{model} {'–' if rate is None else whole_percent(rate)}" for model, rate in rates) + ". "
    )


def _verdict(comparison: Comparison | None) -> str:
    if comparison is None:
        return "One model: nothing to compare."
    return f"{headline(comparison, why=lambda pair: sentence(pair.reason) or 'too few items')}."


def _needed(run: Comparison, original: Comparison | None) -> str:
    """Of each pair the one number of items, by this suite and by the original method."""
    before = {(pair.a, pair.b): pair for pair in original.primary.pairs} if original else {}
    parts = []
    for pair in run.primary.pairs:
        old = before.get((pair.a, pair.b))
        by_the_original = f", by the original method {items_as_seen(old.items_needed)}" if old else ""
        parts.append(f"{pair.a}–{pair.b} {items_as_seen(pair.items_needed)}{by_the_original}")
    return f"{'; '.join(parts)}; there are {max(pair.n for pair in run.primary.pairs):,}"


def _control(shuffled: dict[str, dict[str, Any]]) -> str:
    scores = ", ".join(
        f"{model} {percent(row['value'])}" for model, row in shuffled.items() if row["interval"]
    )
    if not scores:
        return "Control, another unit's summary: too few items to say."
    outcomes: dict[str, list[str]] = {}
    for model, row in shuffled.items():
        outcomes.setdefault(row["outcome"], []).append(model)
    chance = next(iter(shuffled.values()))["chance"]
    shares = "; ".join(
        f"{'all' if len(outcomes) == 1 else ', '.join(models)} {outcome}"
        for outcome, models in outcomes.items()
    )
    return (
        f"Control, another unit's summary: {scores}, where guessing gives {percent(chance)}; {shares} "
        f"(within {100 * MARGIN:g} % of it)."
    )


def _answered(
    out: Path,
    bench: Path,
    fingerprint: str,
    models: list[str],
    loaded: Models,
    progress: Progress,
) -> RunDirectory:
    """The run of these models on this benchmark: the one that is there, or a new one."""
    path = out / run_name("run", {"models": models, "primary": PRIMARY}, {"benchmark": fingerprint})
    return running.run(bench, models, out=path, primary=PRIMARY, loaded=loaded, progress=progress)


def _validated(
    directory: RunDirectory,
    benchmark: Benchmark,
    names: list[str],
    loaded: Models,
    progress: Progress,
) -> dict[str, Any]:
    """The set-ups compared; the answers under the original method are kept as a score table."""
    validation = running.validate(
        benchmark, names, answered=directory.frame("items.parquet"), loaded=loaded, progress=progress
    )
    write_frame(directory.artifacts / _ORIGINAL, setup_scores(validation.scores, BASELINE.name).frame)
    return validation.setups.to_json()


def _audited(out: Path, directory: RunDirectory, report: Path) -> dict[str, tuple[Path, dict[str, Any]]]:
    """Page and figures of the audits of the run, and of the original method where it could ask anything."""
    sources = {
        "this run": (directory.path, out / "audit.html"),
        "the original method": (directory.artifacts / _ORIGINAL, out / "audit-original.html"),
    }
    audits = {}
    for name, (scores, page) in sources.items():
        if scores.name == _ORIGINAL and not read_frame(scores).height:
            continue
        audited = audit_files([scores])
        write(partial(audit_document, audited.findings, (("The report", report.name),)), html=page)
        audits[name] = page, audited.findings.model_dump(mode="json")
    return audits


def _peak_rss_mb() -> float:
    unit = 1024**2 if sys.platform == "darwin" else 1024
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit, 1)
