"""The demonstration: which models an evaluation on the standard library of its Python separates."""

from __future__ import annotations

import platform
import resource
import sys
import sysconfig
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tellapart.audit.analysis import audit_files
from tellapart.audit.page.sections import document as audit_document
from tellapart.contrastive import building, running
from tellapart.contrastive import page as pages
from tellapart.contrastive.benchmark import read_benchmark
from tellapart.contrastive.build_options import BuildOptions
from tellapart.contrastive.figures import MARGIN
from tellapart.contrastive.models import LEXICAL, Models
from tellapart.contrastive.page.controls import names_alone
from tellapart.contrastive.selection.levels import BUILT, LADDER, ORIGINAL, POOL
from tellapart.core.comparison import Comparison, compare_scored
from tellapart.core.progress import SILENT, Progress
from tellapart.core.scores import ScoreTable
from tellapart.environment.clock import seconds_since
from tellapart.report import numbers as show
from tellapart.report.comparison import headline, items_as_seen, words
from tellapart.report.output import write
from tellapart.store import RunDirectory, run_name

MODELS = (*LEXICAL, "hashing")
"""Three that need nothing but the code, and one that is known to be worse."""

OTHER_DESIGNS = (ORIGINAL.name, LADDER.name)
"""Ways of choosing distractors whose items needed are held beside those of the pool, on the same targets."""


@dataclass(frozen=True)
class Demo:
    """What the demonstration left behind."""

    figures: dict[str, Any]
    conclusion: tuple[str, ...]
    benchmark: Path
    run: Path
    report: Path


def run_demo(
    out: Path,
    models: Sequence[str] | None = None,
    *,
    targets: int = 200,
    progress: Progress = SILENT,
) -> Demo:
    """Build, run and report; what is finished at ``out`` is reused."""
    started = time.monotonic()
    names = list(models or MODELS)
    bench = out / f"benchmark-python{platform.python_version()}-{targets}"
    directory = _answered(out, bench, names, targets, progress)
    progress("writing the report")
    page = out / "report.html"
    view = pages.load(directory)
    audit = _audited(out, directory, page) if len(names) > 1 else {}
    links = (("The audit of this run", "audit.html"),) if audit else ()
    write(lambda: pages.document(view, links), html=page, markdown=out / "report.md")
    figures = pages.json_figures(view) | {
        "audit": audit,
        "seconds": round(seconds_since(started), 1),
        "peak_rss_mb": _peak_rss_mb(),
    }
    return Demo(figures, conclusion(view), bench, directory.path, page)


def _answered(out: Path, bench: Path, names: list[str], targets: int, progress: Progress) -> RunDirectory:
    """Build and run; what models and texts take is free again afterwards."""
    with Models(progress=progress) as loaded:
        if not bench.exists():
            library = Path(sysconfig.get_path("stdlib"))
            options = BuildOptions(targets=targets, levels=(ORIGINAL, *BUILT))
            building.freeze(building.draft([library], options, loaded=loaded, progress=progress), bench)
        fingerprint = read_benchmark(bench).header.fingerprint
        path = out / run_name("run", {"models": names}, {"benchmark": fingerprint})
        return running.run(bench, names, out=path, loaded=loaded, progress=progress)


def conclusion(view: pages.View) -> tuple[str, ...]:
    """Say what was asked, which models differ, at what cost by each design, the curve, and the checks."""
    counts = view.header.counts
    lines = [
        f"Asked: {show.count(counts['targets'])} of the {show.count(counts['units'])} documented functions, "
        f"methods and classes in the standard library of Python {platform.python_version()}, names masked; "
        f"benchmark {view.report.fingerprint}.",
        f"{headline(view.comparison)}." if view.comparison else "One model: nothing to compare.",
        *needed(view.scores, view.comparison),
        f"Right, from the worst model to the best: {_curve(view)}.",
        *_control(view),
        *names_alone(view),
    ]
    return tuple(lines)


def needed(scores: ScoreTable, comparison: Comparison | None) -> list[str]:
    """Say what each design takes to tell the closest pair apart, and how equal the others may be."""
    if comparison is None:
        return []
    lines, primary = [], comparison.primary
    apart = sorted(primary.separated, key=lambda pair: abs(pair.difference or 0.0))
    if apart:
        by_design = {
            # As if the design were the whole evaluation.
            name: compare_scored(ScoreTable.from_frame(scores.frame.filter(difficulty=name)))
            for name in OTHER_DESIGNS
        } | {POOL.name: comparison}
        items = [
            f"{items_as_seen(pair.items_needed)} by {_named(name)}"
            for name, alone in by_design.items()
            for pair in (alone.primary.pairs if alone else ())
            if (pair.a, pair.b) == (apart[0].a, apart[0].b)
        ]
        closest = ", the closest of these," if len(apart) > 1 else ""
        lines.append(
            f"To tell {apart[0].ahead} from {apart[0].behind}{closest} takes so many items, were the gap the "
            f"one seen: {', '.join(items)}."
        )
    tied = [pair for pair in primary.pairs if not pair.is_separated and pair.interval_95]
    if tied:
        widest = max(abs(end) for pair in tied for end in pair.interval_95 or ())
        names = show.listed(sorted({name for pair in tied for name in (pair.a, pair.b)}))
        lines.append(f"{names} may be equal: no two differ by more than {100 * widest:.1f} points.")
    return lines


def _named(design: str) -> str:
    return "the original method" if design == ORIGINAL.name else f"the {words(design)}"


def _curve(view: pages.View) -> str:
    """Give the range of the models' accuracies at each level."""
    parts = []
    for level, by_model in view.report.by_difficulty.items():
        rates = [result.accuracy for result in by_model.values() if result.accuracy is not None]
        parts += [f"{words(level)} {show.between(rates, show.whole_percent)}"] if rates else []
    return ", ".join(parts)


def _control(view: pages.View) -> list[str]:
    shuffled = view.report.controls.get("shuffled", {})
    shown = [
        f"{model} {show.decimal(control.ratio, 2)} ({control.outcome})"
        for model, control in shuffled.items()
        if control.ratio is not None
    ]
    if not shown:
        return []
    return [
        f"Control, another unit's summary: accuracy over that of guessing {', '.join(shown)}; "
        f"at chance is within {100 * MARGIN:g} %."
    ]


def _audited(out: Path, directory: RunDirectory, report: Path) -> dict[str, Any]:
    audited = audit_files([directory.path])
    links = (("The report", report.name),)
    write(partial(audit_document, audited.findings, links), html=out / "audit.html")
    return audited.findings.model_dump(mode="json")


def _peak_rss_mb() -> float:
    unit = 1024**2 if sys.platform == "darwin" else 1024
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit, 1)
