"""The policy file, and the two directories of benchmarks that it is about."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from tellapart.compare.policy import Policy, PolicyVerdict, Rule, judge_readings
from tellapart.core.progress import SILENT, Progress
from tellapart.errors import InputError
from tellapart.files import read_object, read_text
from tellapart.files.reading import read_json_objects
from tellapart.files.records import check_record
from tellapart.files.yaml_text import parse_yaml
from tellapart.readers import Reading, Source, read_scores
from tellapart.readers.reader import NamedFrame
from tellapart.readers.settings import ReadingSettings
from tellapart.report.numbers import listed

_BUNDLE, _RESULTS = "eval-*.json", "results.jsonl"


def read_policy(path: Path) -> Policy:
    """Read a policy file; a benchmark without a rule of its own has nothing after its colon, or ``{}``."""
    _, raw = parse_yaml(read_text(path), path)
    if isinstance(raw, dict) and isinstance(raw.get("benchmarks"), dict):
        raw["benchmarks"] = {name: rule or {} for name, rule in raw["benchmarks"].items()}
    return check_record(raw, Policy, path, "gate policy")


def judge_policy(
    baseline: Path, candidate: Path, policy: Policy, *, progress: Progress = SILENT
) -> PolicyVerdict:
    """Hold the benchmarks of a candidate against those of a baseline.

    Each side is a directory with a file or a directory for each benchmark, called after it: whatever
    `read_scores` reads, or a bundle of NeMo Evaluator, which names its benchmark itself.
    """
    sides = benchmarks_of(baseline), benchmarks_of(candidate)
    shared = sides[0].keys() & sides[1].keys()
    names = sorted(shared | policy.benchmarks.keys())
    readings = {
        name: _read(name, policy.rule(name), sides[0][name], sides[1][name], progress)
        for name in names
        if name in shared
    }
    return judge_readings(readings, policy)


def benchmarks_of(side: Path) -> dict[str, Path]:
    """The benchmarks of a directory, by name."""
    if not side.is_dir():
        raise InputError(
            "this is not a directory",
            where=side,
            next_step="With --policy give two directories, each with a file or directory for each benchmark",
        )
    found: dict[str, Path] = {}
    inside = [path for path in sorted(side.iterdir()) if not path.name.startswith((".", "_"))]
    for path in [side] if list(side.glob(_BUNDLE)) else inside:
        bundles = sorted(path.glob(_BUNDLE)) if path.is_dir() else []
        if len(bundles) > 1:
            raise InputError(
                f"there are several bundles: {listed([bundle.name for bundle in bundles])}",
                where=path,
                next_step="Keep one for each benchmark",
            )
        name = path.name if path.is_dir() else path.stem
        if bundles:
            name = str(read_object(bundles[0]).get("benchmark", {}).get("name", name))
        if name in found:
            raise InputError(
                f"two entries are of the benchmark {name!r}: {found[name].name} and {path.name}", where=side
            )
        found[name] = path
    return found


def _read(name: str, rule: Rule, baseline: Path, candidate: Path, progress: Progress) -> Reading:
    sources: list[Source] = []
    for side, path in (("baseline", baseline), ("candidate", candidate)):
        is_bundle = path.is_dir() and any(path.glob(_BUNDLE))
        sources.append(_bundle(path, side, rule) if is_bundle else path)
    lower = rule.direction == "lower_is_better"
    settings = ReadingSettings(lower_is_better=lower, limits=(0, float("inf")) if lower else None)
    return read_scores(sources, settings, apart=True, progress=progress)


def _bundle(folder: Path, side: str, rule: Rule) -> NamedFrame:
    """The results of a bundle of NeMo Evaluator: a row for each problem and repeat, with its reward."""
    path = folder / _RESULTS
    rows = [record for _, record in read_json_objects(path)]
    try:
        frame = pl.DataFrame(
            {
                "model": [side] * len(rows),
                "item": [str(row["problem_idx"]) for row in rows],
                "replicate": [int(row.get("repeat", 0)) for row in rows],
                "score": [float(row["reward"]) for row in rows],
            }
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"damaged, or of another version of NeMo Evaluator: {error!r}",
            where=path,
            next_step="Each line needs problem_idx, repeat and reward",
        ) from None
    if rule.metric == "pass@1":
        frame = frame.with_columns((pl.col("score") > 0).cast(pl.Float64).alias("score"))
    return NamedFrame(f"{folder.name} ({side})", frame)
