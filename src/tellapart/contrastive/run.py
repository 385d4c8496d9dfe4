"""The suite's shell: what touches files, models and progress; the steps themselves are pure."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from tellapart.contrastive.aggregate import report_figures
from tellapart.contrastive.benchmark import Benchmark, read_benchmark, write_benchmark
from tellapart.contrastive.build import BuildOptions, build_benchmark, summaries_by_position
from tellapart.contrastive.copies import distinct
from tellapart.contrastive.matching import match, match_swaps
from tellapart.contrastive.queries import CONTROLS, Condition, queries
from tellapart.contrastive.selectors import EmbedderSelector, FusionSelector, Selector
from tellapart.contrastive.skipped import Skipped
from tellapart.contrastive.sources import find_sources
from tellapart.contrastive.summaries import Summary, docstring_summaries, read_summaries
from tellapart.contrastive.swap import swaps_of
from tellapart.contrastive.unit import Unit
from tellapart.contrastive.units import extract_units
from tellapart.core.fingerprint import sha256
from tellapart.embed.protocol import Matcher
from tellapart.embed.registry import load_embedder, load_matcher
from tellapart.errors import InputError, UsageError
from tellapart.store import RunDirectory, new_record, run_name, storage, writing

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Material:
    """What a benchmark is built from.

    Attributes:
        units: Distinct units that may be targets or candidates, by path and line.
        summaries: Of some or all of them.
        counts: What was found and left out.
        skipped: Files and definitions left out, with examples by cause.
    """

    units: tuple[Unit, ...]
    summaries: tuple[Summary, ...]
    counts: dict[str, Any]
    skipped: Skipped


def gather(
    repositories: Sequence[Path], *, summaries: str = "docstring", candidates: str = "documented"
) -> Material:
    """Extract units and summaries.

    Args:
        repositories: One or more directories; with several, paths begin with the directory's name.
        summaries: ``docstring``, or ``jsonl:FILE`` for texts that models wrote.
        candidates: ``documented`` takes only units that have a docstring or a summary, so that a target and its
            distractors are of one kind and none can be told apart without reading the summary; ``all`` takes
            every unit.

    Raises:
        InputError: A repository or the summaries cannot be used, or there is nothing to ask about.
    """
    units: list[Unit] = []
    counts: dict[str, int] = {}
    examples: dict[str, tuple[str, ...]] = {}
    for repository in repositories:
        extraction = extract_units(find_sources(repository))
        prefix = f"{repository.resolve().name}/" if len(repositories) > 1 else ""
        units += [replace(unit, id=prefix + unit.id, path=prefix + unit.path) for unit in extraction.units]
        for cause, count in extraction.skipped.counts.items():
            counts[cause] = counts.get(cause, 0) + count
            examples[cause] = examples.get(cause, ()) + extraction.skipped.examples[cause]
    _check_units(units, repositories)
    kept, copies = distinct(units)
    texts = _summaries(summaries, kept)
    documented = {summary.unit for summary in docstring_summaries(kept)} | {summary.unit for summary in texts}
    pool = kept if candidates == "all" else tuple(unit for unit in kept if unit.id in documented)
    found = {"extracted": len(units), "copies": len(copies), "undocumented": len(kept) - len(pool), "skipped": counts}
    return Material(pool, tuple(texts), found, Skipped(counts, examples))


def build(
    repositories: Sequence[Path],
    out: Path,
    options: BuildOptions,
    *,
    summaries: str = "docstring",
    candidates: str = "documented",
    selector: str = "fusion",
    base_url: str | None = None,
    progress: Progress = lambda _: None,
) -> Benchmark:
    """Build a benchmark and freeze it at ``out``, which must not exist.

    Raises:
        TellapartError: Something cannot be used; nothing is left at ``out``.
    """
    if out.exists():
        raise UsageError("there is something here already", where=out, next_step="Choose another --out")
    progress(f"extracting units from {', '.join(map(str, repositories))}")
    material = gather(repositories, summaries=summaries, candidates=candidates)
    progress(f"choosing distractors among {len(material.units)} units with {selector}")
    chooser = load_selector(selector, material.units, material.summaries, base_url=base_url)
    benchmark = build_benchmark(material.units, material.summaries, chooser, options, material.counts)
    with storage(out):
        out.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.parent))
        try:
            header = write_benchmark(temporary, benchmark)
            temporary.chmod(0o755)
            temporary.rename(out)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    return replace(benchmark, header=header)


def run(
    bench: Path,
    models: Sequence[str],
    *,
    out: Path | None = None,
    base_url: str | None = None,
    progress: Progress = lambda _: None,
) -> RunDirectory:
    """Let models answer a benchmark, or finish an interrupted run of the same.

    Args:
        bench: A frozen benchmark.
        models: Names of matchers.
        out: The run directory; by default ``runs/`` and a name that follows from the question.
        base_url: Where an OpenAI-compatible server is.
        progress: Told what is being done.

    Raises:
        TellapartError: Something cannot be used; what is finished is kept for a resumed run.
    """
    benchmark = read_benchmark(bench)
    config = {"models": list(dict.fromkeys(models)), "base_url": base_url}
    inputs = {"benchmark": benchmark.header.fingerprint}
    path = out or Path("runs") / run_name("contrastive", config, inputs)
    record = new_record("contrastive", config, inputs, seed=benchmark.header.seed)
    with writing(path, record) as open_run:
        shutil.copytree(bench, open_run.path / "artifacts" / "benchmark", dirs_exist_ok=True)
        corpus = [unit.content for unit in benchmark.units]
        for name in config["models"]:
            if not open_run.done(name):
                progress(f"{name} answers {benchmark.sets.height} items and their controls")
                matcher = load_matcher(name, corpus=corpus, base_url=base_url)
                items, swaps = answer(benchmark, matcher, several_matchers=len(config["models"]) > 1)
                open_run.write_frame(_part(name, "items"), items)
                open_run.write_frame(_part(name, "swaps"), swaps)
                open_run.finish_step(name, fingerprint=matcher.fingerprint)
        record.models = {entry["step"]: {"fingerprint": entry["fingerprint"]} for entry in open_run.journal.entries}
        _complete(open_run, benchmark, config["models"])
    return RunDirectory.open(path)


def answer(
    benchmark: Benchmark,
    matcher: Matcher,
    *,
    several_matchers: bool = True,
    controls: Sequence[Condition] = CONTROLS,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Rows of one matcher: items under all conditions, and swaps, for each source of summaries.

    What is compared is the matcher when there is one source, the source when there is one matcher, else both.
    """
    items, swaps = [], []
    for source in benchmark.sources:
        label = _label(matcher.name, source, several_matchers, len(benchmark.sources) > 1)
        conditions: tuple[Condition, ...] = ("summary", *controls)
        asked = {condition: queries(benchmark, condition, source) for condition in conditions}
        items.append(match(benchmark, matcher, asked, model=label, source=source))
        if controls:
            swaps.append(match_swaps(benchmark, matcher, swaps_of(benchmark, source), model=label))
    return pl.concat(items), pl.concat(swaps) if swaps else pl.DataFrame()


def load_selector(
    name: str, units: Sequence[Unit], summaries: Sequence[Summary], *, base_url: str | None = None
) -> Selector:
    """Fit ``fusion`` or any embedder on the units of a benchmark.

    Raises:
        TellapartError: There is no such embedder, or it cannot be loaded.
    """
    if name == "fusion":
        return FusionSelector(units, summaries_by_position(units, summaries))
    return EmbedderSelector(units, load_embedder(name, corpus=[unit.content for unit in units], base_url=base_url))


def _complete(open_run: Any, benchmark: Benchmark, models: Sequence[str]) -> None:
    """Join the parts, and derive the score table and the report's figures."""
    items, swaps = (pl.concat([open_run.read_frame(_part(name, kind)) for name in models]) for kind in ("items", "swaps"))
    open_run.write_frame("items.parquet", items)
    open_run.write_frame("artifacts/swaps.parquet", swaps)
    real = items.filter(pl.col("condition") == "summary")
    open_run.write_frame("scores.parquet", score_rows(real))
    open_run.write_json("artifacts/report.json", report_figures(benchmark, items, swaps))
    open_run.record.counts = {"models": real["model"].n_unique(), "items": benchmark.sets.height}
    shutil.rmtree(open_run.path / "artifacts" / "parts")


def score_rows(items: pl.DataFrame) -> pl.DataFrame:
    """Item rows as a score table: the probability of a correct answer, clustered on the file."""
    return items.select(
        "model",
        "item",
        pl.col("correct").alias("score"),
        "missing",
        pl.lit(0, dtype=pl.Int64).alias("replicate"),
        pl.col("path").alias("cluster"),
        pl.col("level").alias("difficulty"),
        "language",
        "unit_type",
    )


def _label(matcher: str, source: str, several_matchers: bool, several_sources: bool) -> str:
    if not several_sources:
        return matcher
    return f"{source} | {matcher}" if several_matchers else source


def _part(model: str, kind: str) -> str:
    return f"artifacts/parts/{sha256(model.encode())[:12]}-{kind}.parquet"


def _summaries(source: str, units: Sequence[Unit]) -> list[Summary]:
    kind, _, file = source.partition(":")
    if kind == "docstring" and not file:
        texts = docstring_summaries(units)
        if not texts:
            raise InputError(
                f"none of the {len(units)} units has a docstring or doc comment of 20 characters or more",
                next_step="Give summaries of your own with --summaries jsonl:FILE",
            )
        return texts
    if kind == "jsonl" and file:
        return read_summaries(Path(file), {unit.id: unit for unit in units})
    raise UsageError(f"unknown source of summaries {source!r}", next_step="Expected 'docstring' or 'jsonl:FILE'")


def _check_units(units: Sequence[Unit], repositories: Sequence[Path]) -> None:
    if len({repository.resolve().name for repository in repositories}) < len(repositories):
        raise UsageError("two repositories have the same directory name; their units could not be told apart")
    if not units:
        raise InputError(
            "no function, method or class of 5 to 500 lines was found in any known language",
            where=", ".join(map(str, repositories)),
            next_step="Tests, vendored and generated code are left out; see docs/contrastive.md for the languages",
        )
