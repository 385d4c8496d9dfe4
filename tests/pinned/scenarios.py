"""What is done with which inputs, and what is kept of it.

The command lines are in ``scripts``, one a line without its first word. ``> NAME`` behind it pins what it
prints, and ``[N]`` before it is its exit code, if not 0.
"""

import hashlib
import json
import math
import re
import shlex
import shutil
from dataclasses import dataclass, field
from difflib import unified_diff
from itertools import islice
from pathlib import Path

import polars as pl

from pinned.terminal import tellapart

HERE = Path(__file__).parent
TESTS = HERE.parent
PACKAGE = ("contrastive/fixtures/package", "contrastive/fixtures/polyglot")
LANGUAGES = (*PACKAGE, "extraction/fixtures/languages")
LINE = re.compile(r"(?:\[(?P<code>\d+)\] )?(?P<words>.*?)(?: > (?P<name>\S+))?")
FLAT = re.compile(r"\[\n\s*([^\[\]{}]*?)\n\s*\]")
VARIES = {
    "timestamp",
    "startedAt",
    "finishedAt",
    "generatedAt",
    "generated_at",
    "duration_s",
    # Of a compressed file, whose bytes follow the library's version.
    "scores_hash",
    "finished_at",
    "tellapart_version",
}


@dataclass(frozen=True)
class Scenario:
    """Command lines in one directory, and what is pinned besides what they print.

    Attributes:
        inputs: Fixtures of the tests, by the directory that they are copied into.
        files: Patterns of files whose bytes are pinned.
        tables: Patterns of Parquet files whose rows and notes are pinned; the bytes are those of a library.
        same: Pairs of files that hold the same, JSON but for times.
    """

    inputs: dict[str, tuple[str, ...]] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    same: tuple[tuple[str, str], ...] = ()


INPUTS = {"inputs": ("pinned/inputs",)}
FROZEN = ("benchmark.json", "*.parquet")
SCENARIOS = {
    "audit": Scenario(inputs=INPUTS | {"scores": ("readers/fixtures",)}),
    "contrastive": Scenario(
        inputs={"code": LANGUAGES},
        files=(
            *(f"{bench}/{file}" for bench in ("bench", "written", "banded", "crossed") for file in FROZEN),
            "bundles.jsonl",
            "events.jsonl",
            "summaries.jsonl",
        ),
        tables=("runs/*/scores.parquet",),
    ),
    "bundles": Scenario(
        inputs=INPUTS | {"code": PACKAGE},
        files=(
            "tiered.jsonl*",
            "reranking.jsonl",
            "triplets.parquet",
            "longer.jsonl*",
            "*quarantine.jsonl",
        ),
        tables=("fresh.scores.parquet",),
        same=(("again.jsonl", "mined.jsonl"), ("again.stats.json", "mined.stats.json")),
    ),
    "codesearch": Scenario(
        inputs={"recorded": ("codesearch/reading/fixtures",), "code": LANGUAGES},
        files=("conversations.json", "search_results.json", "trec/*"),
    ),
    "longcontext": Scenario(inputs={"conversations": ("longcontext/fixtures",)}, files=("made/*",)),
}


def lay_out(directory, inputs):
    """Copy fixtures into a directory."""
    leaving = shutil.ignore_patterns("__pycache__")
    for name, sources in inputs.items():
        for source in sources:
            shutil.copytree(TESTS / source, directory / name, ignore=leaving, dirs_exist_ok=True)


def lines(name):
    """The command lines of a script, read."""
    for line in (HERE / "scripts" / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        yield line, LINE.fullmatch(line)


def outcome(name, directory):
    """Run a scenario; what is pinned of it, as texts by name of file."""
    scenario = SCENARIOS[name]
    lay_out(directory, scenario.inputs)
    pinned = {}
    for line, read in lines(name):
        words = [found for word in shlex.split(read["words"]) for found in spread(word, directory)]
        if words[0] == "cat":
            (directory / read["name"]).write_bytes(
                b"".join((directory / word).read_bytes() for word in words[1:])
            )
            continue
        code, out, err = tellapart(directory, *words)
        assert code == int(read["code"] or 0), f"{line}: exit code {code}\n{err}"
        if read["name"]:
            pinned |= printed(read["name"], out, directory)
    files = {str(place.relative_to(directory)): digest(place) for place in found(directory, scenario.files)}
    pinned["files.json"] = compact(files)
    pinned["tables.json"] = compact(
        {str(place.relative_to(directory)): rows(place) for place in found(directory, scenario.tables)}
    )
    for one, other in scenario.same:
        assert settled_file(directory / one) == settled_file(directory / other), f"{one} is not {other}"
    return {file: text for file, text in pinned.items() if text != "{}\n"}


def spread(word, directory):
    """The files that a pattern stands for, as a shell would have it."""
    return (
        sorted(str(place.relative_to(directory)) for place in directory.glob(word)) if "*" in word else [word]
    )


def found(directory, patterns):
    """The files below a directory, in order."""
    return sorted({place for pattern in patterns for place in directory.glob(pattern) if place.is_file()})


def printed(name, out, directory):
    """What a command printed, without what is another at the next time."""
    text = out.replace(str(directory), "DIRECTORY")
    try:
        return {f"{name}.json": compact(settled(json.loads(text)))}
    except ValueError:
        return {f"{name}.txt": text}


def settled(value):
    """JSON without times, durations and versions, which are what varies; whether there is one stays."""
    if isinstance(value, dict):
        return {
            key: "VARIES" if key in VARIES and one is not None else settled(one) for key, one in value.items()
        }
    return [settled(one) for one in value] if isinstance(value, list) else value


def compact(value):
    """JSON of a line for every key, but lists of numbers and words on one."""
    text = json.dumps(value, indent=1, ensure_ascii=False)
    return FLAT.sub(lambda part: f"[{' '.join(map(str.strip, part[1].splitlines()))}]", text) + "\n"


def digest(place):
    """SHA-256 of a file."""
    return hashlib.sha256(place.read_bytes()).hexdigest()


def rows(place):
    """A table of scores as JSON: its notes, its columns with their types, and its rows."""
    frame = pl.read_parquet(place)
    notes = {
        key: text for key, text in pl.read_parquet_metadata(place).items() if key.startswith("tellapart")
    }
    columns = {name: str(kind) for name, kind in frame.schema.items()}
    return {"notes": notes, "columns": columns, "rows": [[*map(on_one_line, row)] for row in frame.rows()]}


def on_one_line(value):
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value


def settled_file(place):
    """The bytes of a file; JSON without what varies."""
    if place.suffix == ".jsonl":
        return [settled(json.loads(line)) for line in place.read_text(encoding="utf-8").splitlines()]
    return settled(json.loads(place.read_bytes())) if place.suffix == ".json" else place.read_bytes()


def differences(name, expected, printed):
    """The first places where two texts that were pinned under a name differ."""
    if name.endswith(".json"):
        return list(islice(unlike(json.loads(expected), json.loads(printed)), 20))
    return list(islice(unified_diff(expected.splitlines(), printed.splitlines(), lineterm=""), 20))


def unlike(expected, printed, where="JSON"):
    """Where two JSON values differ, in the order of keys too; numbers may by a billionth, as sums do."""
    inside, now = inner(expected), inner(printed)
    if type(expected) is not type(printed) or (inside is None and not alike(expected, printed)):
        yield f"{where}: {expected!r}, now {printed!r}"[:1000]
    elif inside is not None and list(inside) != list(now):
        yield f"{where}: {list(inside)}, now {list(now)}"[:1000]
    else:
        for key, value in (inside or {}).items():
            yield from unlike(value, now[key], f"{where}[{key!r}]")


def inner(value):
    """What lies in an object or a list, by key or place; nothing lies in a number or a word."""
    return dict(enumerate(value)) if isinstance(value, list) else value if isinstance(value, dict) else None


def alike(expected, printed):
    """Whether two values of one type are the same, up to the order in which numbers were added."""
    if isinstance(expected, float):
        return math.isclose(expected, printed, rel_tol=1e-9, abs_tol=1e-12)
    return expected == printed
