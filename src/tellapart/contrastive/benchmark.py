"""A frozen benchmark, and the copy that a run keeps: units, summaries, distractor sets, a fingerprint."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl
from typing_extensions import TypedDict

from tellapart.contrastive.summaries import Summary
from tellapart.core.fingerprint import canonical_json, fingerprint, sha256
from tellapart.core.record import Record
from tellapart.errors import FingerprintError, InputError
from tellapart.extraction.sources import LeftOut
from tellapart.extraction.unit import Parameter, Unit
from tellapart.files import as_object, read_object, write_bytes, write_text
from tellapart.store import OpenRun, load_record, read_frame, write_frame


class BenchmarkCounts(TypedDict, total=False):
    """What was found, kept and left out: by cause, source of summaries, or level.

    ``names_masked`` counts ``units`` and ``summaries`` that were changed, and those ``too_short`` without the
    name; ``summaries_missing`` has causes by language model and unit.
    """

    extracted: int
    copies: int
    undocumented: int
    skipped: dict[str, int]
    units: int
    languages: dict[str, int]
    types: dict[str, int]
    summaries: dict[str, int]
    names_leaked: int
    targets: int
    items: dict[str, int]
    insufficient_distractors: dict[str, int]
    names_masked: dict[str, int]
    summaries_missing: dict[str, dict[str, str]]


CandidateKind = Literal["documented", "all"]
"""Which units may be candidates: those with a docstring or a summary, or all."""

LLM = "llm"
"""The source of summaries that language models write; also where a benchmark keeps how they were asked."""


class Choices(Record):
    """What was chosen of units, summaries and levels."""

    summaries: str
    candidates: CandidateKind
    languages: list[str]
    cross_language: bool
    mask_names: bool


class Header(Record):
    """``benchmark.json``; the fingerprint ``hash|seed|items`` is over everything else, and over the files."""

    fingerprint: str = ""
    seed: int
    selector: str
    selector_fingerprint: str
    levels: list[str]
    choices: Choices
    counts: BenchmarkCounts
    files: dict[str, str] = {}

    def description(self) -> str:
        """What was found, kept and left out, in a few lines for people."""
        counts, masked = self.counts, self.counts.get("names_masked")
        left_out = {"copies": counts.get("copies", 0), "undocumented": counts.get("undocumented", 0)}
        items = {level: counts["items"][level] for level in self.levels if level in counts["items"]}
        lines = [
            f"{sum(items.values()):,} items about {counts['targets']:,} targets: {_listed(items)}",
            f"candidates: {counts['units']:,} units "
            f"({_listed(counts['languages'])}; {_listed(counts['types'])})",
            f"left out: {_listed(left_out | counts.get('skipped', {}))}",
            f"too few candidates: {_listed(counts['insufficient_distractors']) or 'nowhere'}",
            f"names leaked: {counts['names_leaked']:,} of {sum(counts['summaries'].values()):,} summaries "
            "contain the name of their unit",
        ]
        if masked is not None:
            lines.append(
                f"names masked: in {masked['units']:,} units and {masked['summaries']:,} summaries; "
                f"summaries left out that say too little without the name: {masked['too_short']:,}"
            )
        for source, missing in counts.get("summaries_missing", {}).items():
            written, causes = counts["summaries"].get(source, 0), Counter(sorted(missing.values()))
            lines.append(
                f"summaries by {source}: {written:,} of {written + len(missing):,}, "
                f"missing: {_listed(causes) or 'none'}"
            )
        return "\n".join([*lines, f"fingerprint: {self.fingerprint}"])


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in counts.items())


LEFT_OUT = "left_out.jsonl"
"""Beside ``benchmark.json``. No question depends on it, so the fingerprint does not either."""

EXAMPLES = 2


class LeftOutUnit(Record):
    """A unit by its qualified name, and the line on which it starts, from 1."""

    name: str
    line: int


class LeftOutPath(Record):
    """Units of one file that were left out for one cause; without units, the whole file or directory."""

    path: str
    cause: str
    units: list[LeftOutUnit]


def by_path(things: Iterable[LeftOut]) -> list[LeftOutPath]:
    """Group what was left out by path and cause, in that order."""
    ordered = sorted(things, key=lambda thing: (thing.path, thing.cause, thing.line, thing.name))
    return [
        LeftOutPath(
            path=path,
            cause=cause,
            units=[LeftOutUnit(name=thing.name, line=thing.line) for thing in group if thing.line],
        )
        for (path, cause), group in groupby(ordered, key=lambda thing: (thing.path, thing.cause))
    ]


def examples(paths: Sequence[LeftOutPath]) -> list[str]:
    """Write a line for each cause, with how many things it left out and the first few of them."""
    named: dict[str, list[str]] = {}
    for row in paths:
        units = [f"{row.path}:{unit.line} {unit.name}" for unit in row.units]
        named.setdefault(row.cause, []).extend(units or [row.path])
    return [
        f"  {cause} ({len(names):,}): {', '.join(names[:EXAMPLES])}{', …' if len(names) > EXAMPLES else ''}"
        for cause, names in sorted(named.items())
    ]


def write_left_out(directory: Path, paths: Iterable[LeftOutPath]) -> None:
    """Write one JSON object per line."""
    lines = (json.dumps(row.to_json(), ensure_ascii=False) for row in paths)
    write_text(directory / LEFT_OUT, "".join(f"{line}\n" for line in lines))


_BUILD_AGAIN = "A changed benchmark asks other questions: build it again instead of editing it"
FILES = ("units.parquet", "summaries.parquet", "sets.parquet")

SETS = pl.Schema(
    {
        "item": pl.String(),
        "level": pl.String(),
        "target": pl.Int64(),
        "distractors": pl.List(pl.Int64()),
        "strategies": pl.List(pl.String()),
        "similarities": pl.List(pl.Float64()),
        "difficulty_score": pl.Float64(),
        "difficulty": pl.String(),
    }
)
_LINES = ("start_line", "end_line")
_UNITS = pl.Schema(
    [(field.name, pl.Int64() if field.name in _LINES else pl.String()) for field in fields(Unit)]
)
_SUMMARIES = pl.Schema({field.name: pl.String for field in fields(Summary)})
SCHEMAS = {"units.parquet": _UNITS, "summaries.parquet": _SUMMARIES, "sets.parquet": SETS}
"""The tables of a benchmark, by file."""


@dataclass(frozen=True)
class Benchmark:
    """Questions about code.

    Attributes:
        units: Every unit, targets and candidates, by path and line; a unit's number is its row here.
        summaries: By unit, then source.
        sets: One row an item: ``item``, ``level``, the numbers of its ``target`` and ``distractors``,
            ``strategies``, ``similarities``, ``difficulty_score`` and ``difficulty`` (the score's label).
        left_out: Files and units that were left out, which freezing writes to ``left_out.jsonl``; None where
            the benchmark was read.
    """

    header: Header
    units: Sequence[Unit]
    summaries: Sequence[Summary]
    sets: pl.DataFrame
    left_out: Sequence[LeftOutPath] | None = None

    @cached_property
    def position(self) -> dict[str, int]:
        """Number of a unit by its id."""
        return {unit.id: i for i, unit in enumerate(self.units)}

    @property
    def by_models(self) -> bool:
        """Whether language models wrote the summaries for this benchmark, to be compared."""
        return "summaries_missing" in self.header.counts

    @cached_property
    def sources(self) -> list[str]:
        """Who wrote summaries, or was asked to and did not, in ascending order."""
        writers = self.header.counts.get("summaries_missing", {})
        return sorted({summary.source for summary in self.summaries} | set(writers))

    def summary_missing(self, source: str) -> dict[str, str]:
        """Why a target has no summary of a language model, by its id, as a score table says it."""
        missing: dict[str, str] = self.header.counts.get("summaries_missing", {}).get(source, {})
        return missing

    @cached_property
    def texts(self) -> dict[str, dict[str, str]]:
        """Summaries by source, then by the unit's id; who wrote none has an entry."""
        texts: dict[str, dict[str, str]] = {source: {} for source in self.sources}
        for summary in self.summaries:
            texts[summary.source][summary.unit] = summary.text
        return texts

    def unit(self, name: str) -> Unit:
        """The unit of an id."""
        return self.units[self.position[name]]

    @cached_property
    def targets(self) -> list[Unit]:
        """The units that are asked about, each once."""
        return [self.units[row] for row in self.sets["target"].unique().sort()]

    def options(self) -> tuple[np.ndarray, np.ndarray]:
        """The options of every item, each item's target first, one after the other; and where each begins."""
        lists = self.sets.select(pl.concat_list("target", "distractors")).to_series()
        flat = lists.explode(empty_as_null=False).to_numpy()
        return flat, np.concatenate([[0], lists.list.len().cum_sum().to_numpy()]).astype(np.int64)


def write_benchmark(directory: Path, benchmark: Benchmark) -> Header:
    """Freeze a benchmark into an existing, empty directory."""
    units = pl.DataFrame(
        [
            {**asdict(unit), "parameters": json.dumps([asdict(p) for p in unit.parameters])}
            for unit in benchmark.units
        ],
        schema=_UNITS,
    )
    summaries = pl.DataFrame([asdict(summary) for summary in benchmark.summaries], schema=_SUMMARIES)
    for name, frame in zip(FILES, (units, summaries, benchmark.sets), strict=True):
        write_frame(directory / name, frame)
    if benchmark.left_out is not None:
        write_left_out(directory, benchmark.left_out)
    header = benchmark.header.model_copy(update={"files": _hashes(directory)})
    header = header.model_copy(update={"fingerprint": _fingerprint(header, benchmark.sets.height)})
    write_text(directory / "benchmark.json", json.dumps(header.to_json(), indent=2, sort_keys=True) + "\n")
    return header


def read_benchmark(directory: Path) -> Benchmark:
    """Read a frozen benchmark and prove that it is unchanged."""
    header = _read_header(directory / "benchmark.json")
    for name, digest in _hashes(directory).items():
        if header.files.get(name) != digest:
            raise FingerprintError(
                f"its SHA-256 is {digest[:16]}…, when frozen it was {str(header.files.get(name))[:16]}…",
                where=directory / name,
                next_step=_BUILD_AGAIN,
            )
    units, summaries, sets = (read_frame(directory / name, schema=SCHEMAS[name]) for name in FILES)
    if header.fingerprint != _fingerprint(header, sets.height):
        raise FingerprintError(
            f"the fingerprint is {header.fingerprint!r}, but the content gives "
            f"{_fingerprint(header, sets.height)!r}",
            where=directory / "benchmark.json",
            next_step=_BUILD_AGAIN,
        )
    return Benchmark(
        header,
        [_unit(row) for row in units.iter_rows(named=True)],
        [Summary(*row) for row in summaries.rows()],
        sets,
    )


def _read_header(path: Path) -> Header:
    if not path.exists():
        raise InputError(
            "there is no benchmark here: benchmark.json is missing",
            where=path.parent,
            next_step="Make one with 'tellapart contrastive build REPO --out BENCH'",
        )
    return load_record(path, Header, "benchmark")


def _unit(row: dict[str, Any]) -> Unit:
    return Unit(**{**row, "parameters": tuple(Parameter(**p) for p in json.loads(row["parameters"]))})


def _hashes(directory: Path) -> dict[str, str]:
    try:
        return {name: sha256((directory / name).read_bytes()) for name in FILES}
    except OSError as error:
        raise InputError(f"a file of the benchmark cannot be read: {error}", where=directory) from None


def _fingerprint(header: Header, items: int) -> str:
    content = canonical_json({name: at for name, at in header.to_json().items() if name != "fingerprint"})
    return str(fingerprint(content, seed=header.seed, item_count=items))


KEPT = "artifacts/benchmark"
"""Where in a run directory its copy of the benchmark is."""

MODELS = f"{LLM}/models.json"
"""In a benchmark and its copies, how language models were asked for summaries."""


def keep_benchmark(bench: Path, open_run: OpenRun) -> None:
    """Copy a benchmark, how language models were asked for its summaries, and what was left out."""
    optional = (MODELS, LEFT_OUT)
    for file in ("benchmark.json", *FILES, *(name for name in optional if (bench / name).exists())):
        # Of no step: it is written anew whenever the run goes on.
        write_bytes(open_run.path / KEPT / file, (bench / file).read_bytes())


def kept_models(benchmark: Path) -> dict[str, dict[str, Any]]:
    """Read what a benchmark, or a copy of it, says of the language models that wrote its summaries."""
    path = benchmark / MODELS
    if not path.exists():
        return {}
    return as_object(read_object(path).get("models"), f"{path}: 'models'")
