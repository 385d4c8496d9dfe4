"""What is done with which inputs, and what is kept of it.

The command lines are in ``scripts``, one a line without its first word. ``> NAME`` behind it pins what it
prints, and ``[N]`` before it is its exit code, if not 0. Those in ``made`` made what is stored; with
``kill N FILE:`` before it, a command was killed once the file had N lines.
"""

import hashlib
import json
import math
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from difflib import unified_diff
from itertools import islice
from pathlib import Path

import polars as pl

from pinned.terminal import environment, tellapart

HERE = Path(__file__).parent
TESTS = HERE.parent
PACKAGE = ("contrastive/fixtures/package", "contrastive/fixtures/polyglot")
LANGUAGES = (*PACKAGE, "extraction/fixtures/languages")
LINE = re.compile(
    r"(?:kill (?P<lines>\d+) (?P<file>\S+): )?(?:\[(?P<code>\d+)\] )?(?P<words>.*?)(?: > (?P<name>\S+))?"
)
FLAT = re.compile(r"\[\n\s*([^\[\]{}]*?)\n\s*\]")
VARIES = {
    "timestamp",
    "startedAt",
    "finishedAt",
    "generatedAt",
    "generated_at",
    "duration_s",
    "finished_at",
    "tellapart_version",
}


@dataclass(frozen=True)
class Making:
    """How runs that are stored were made, beside the command lines of ``made``.

    Attributes:
        inputs: Fixtures of the tests, by the directory that they are copied into.
        passing: Names of what is not stored: the inputs, and what lies in a run as well.
    """

    inputs: dict[str, tuple[str, ...]]
    passing: tuple[str, ...]


@dataclass(frozen=True)
class Scenario:
    """Command lines in one directory, and what is pinned besides what they print.

    Attributes:
        inputs: Fixtures of the tests, by the directory that they are copied into.
        stored: The directory of ``stored`` that is there from the beginning.
        files: Patterns of files whose bytes are pinned.
        tables: Patterns of Parquet files whose rows and notes are pinned; the bytes are those of a library.
        same: Pairs of files that hold the same: rows of Parquet, JSON but for times, bytes of others.
        grown: Pairs of a table or JSON file and one of an earlier version, all of which it holds.
        journals: Patterns of journals that may grow, but neither lose a line nor ask again what they hold.
    """

    inputs: dict[str, tuple[str, ...]] = field(default_factory=dict)
    stored: str | None = None
    files: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    same: tuple[tuple[str, str], ...] = ()
    grown: tuple[tuple[str, str], ...] = ()
    journals: tuple[str, ...] = ()


MAKINGS = {
    "contrastive": Making({"code": PACKAGE}, ("code", "logs")),
    "bundles": Making({"code": PACKAGE}, ("code", "bench", "bundles.jsonl")),
    "codesearch": Making({"code": PACKAGE}, ("code", "judged.json", "narrowed.json")),
    "longcontext": Making({}, ("rules.md", "both.md")),
}
INPUTS = {"inputs": ("pinned/inputs",)}
FROZEN = ("benchmark.json", "*.parquet")
SCENARIOS = {
    "audit": Scenario(inputs=INPUTS | {"scores": ("audit/reading/fixtures",)}),
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
        inputs=INPUTS,
        stored="bundles",
        files=(
            "tiered.jsonl*",
            "reranking.jsonl",
            "triplets.parquet",
            "trec/*",
            "longer.jsonl*",
            "*quarantine.jsonl",
        ),
        tables=("fresh.scores.parquet",),
        same=(("again.jsonl", "mined.jsonl"), ("again.stats.json", "mined.stats.json")),
    ),
    "stored_bundles": Scenario(
        stored="bundles",
        tables=("*.scores.parquet",),
        grown=(("again.scores.parquet", "bm25.scores.parquet"), ("again.json", "bm25.json")),
    ),
    "stored_codesearch": Scenario(
        inputs={"code": PACKAGE},
        stored="codesearch",
        files=(
            "trec/*",
            "rescored.json",
            "conversations_again.json",
            "search_results_again.json",
            "loop/*/learnings.json",
        ),
        tables=("runs/*/scores.parquet",),
        same=(
            ("known.json", "runs/judged/artifacts/evaluation.json"),
            # Evaluated anew, with the sentences of today.
            ("reused.json", "killed.json"),
        ),
        journals=("runs/*/*.jsonl", "loop/*/run/*.jsonl"),
    ),
    "codesearch": Scenario(
        inputs={"recorded": ("codesearch/reading/fixtures",), "code": LANGUAGES},
        files=("conversations.json", "search_results.json", "trec/*"),
    ),
    "longcontext": Scenario(inputs={"conversations": ("longcontext/fixtures",)}, files=("made/*",)),
    "stored_longcontext": Scenario(
        inputs=INPUTS,
        stored="longcontext",
        files=("made/*",),
        tables=("runs/*/scores.parquet",),
        same=(
            (
                "runs/replayed/artifacts/experiment-results.json",
                "runs/played/artifacts/experiment-results.json",
            ),
            (
                "runs/killed/artifacts/experiment-results.json",
                "runs/played/artifacts/experiment-results.json",
            ),
            ("runs/regraded/scores.parquet", "runs/graded/scores.parquet"),
            ("runs/rejudged/scores.parquet", "runs/judged/scores.parquet"),
            ("runs/cut/scores.parquet", "runs/judged/scores.parquet"),
        ),
        journals=("runs/*/calls.jsonl",),
    ),
}


def lay_out(directory, inputs, stored=None):
    """Copy fixtures, and a directory of what is stored, into a directory."""
    leaving = shutil.ignore_patterns("__pycache__")
    for name, sources in inputs.items():
        for source in sources:
            shutil.copytree(TESTS / source, directory / name, ignore=leaving, dirs_exist_ok=True)
    if stored:
        shutil.copytree(HERE / "stored" / stored, directory, dirs_exist_ok=True)


def lines(folder, name):
    """The command lines of a script, read."""
    for line in (HERE / folder / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        yield line, LINE.fullmatch(line)


def outcome(name, directory):
    """Run a scenario; what is pinned of it, as texts by name of file."""
    scenario = SCENARIOS[name]
    lay_out(directory, scenario.inputs, scenario.stored)
    before = {place: place.read_bytes() for place in found(directory, scenario.journals)}
    pinned = {}
    for line, read in lines("scripts", name):
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
        assert content(directory / one) == content(directory / other), f"{one} is not {other}"
    for one, other in scenario.grown:
        lacking = list(islice(lacks(by_column(directory / one), by_column(directory / other)), 5))
        assert not lacking, f"{one} lacks of {other}: {lacking}"
    pinned["journals.json"] = compact(
        {
            str(place.relative_to(directory)): growth(before.get(place, before.get(partial(place))), place)
            for place in found(directory, scenario.journals)
        }
    )
    return {file: text for file, text in pinned.items() if text != "{}\n"}


def spread(word, directory):
    """The files that a pattern stands for, as a shell would have it."""
    return (
        sorted(str(place.relative_to(directory)) for place in directory.glob(word)) if "*" in word else [word]
    )


def partial(place):
    """Where a file of a run lay before the run was complete."""
    return place.parent.with_name(place.parent.name + ".partial") / place.name


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


def content(place):
    """What two files must share to be the same."""
    if place.suffix == ".parquet":
        return rows(place)
    return settled(json.loads(place.read_bytes())) if place.suffix == ".json" else place.read_bytes()


def by_column(place):
    """A table as its columns and notes, or JSON, but for times."""
    if place.suffix != ".parquet":
        return content(place)
    notes = {key: json.loads(text) for key, text in rows(place)["notes"].items()}
    return {"notes": notes, "columns": pl.read_parquet(place).to_dict(as_series=False)}


def lacks(value, earlier, path=""):
    """Where a value is not what it was in an earlier version; keys may have been added to dictionaries.

    Intervals are left out: how they allow for clusters has changed since.
    """
    if isinstance(value, dict) and isinstance(earlier, dict):
        for key in earlier.keys() - {"ci95"}:
            yield from lacks(value.get(key), earlier[key], f"{path}.{key}")
    elif value != earlier:
        yield path


def growth(before, place):
    """How many lines a journal had, and how many calls are new; none that was there may be made again."""
    after = place.read_bytes()
    before = before or b""
    assert after.startswith(before), f"{place}: what was kept has changed"
    parts = before, after[len(before) :]
    kept, new = ({json.loads(line).get("key") or line for line in part.splitlines()} for part in parts)
    assert not kept & new, f"{place}: what was kept was asked again"
    return {"before": before.count(b"\n"), "new": len(new)}


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


def store(name, directory):
    """Make what is stored anew and keep it, without what no command reads again."""
    making = MAKINGS[name]
    lay_out(directory, making.inputs)
    for line, read in lines("made", name):
        words = shlex.split(read["words"])
        if read["lines"]:
            kill(directory, words, directory / read["file"], int(read["lines"]))
        else:
            code, _, err = tellapart(directory, *words)
            assert code == 0, f"{line}: {err}"
    place = HERE / "stored" / name
    leaving = shutil.ignore_patterns("inspect", "cache.sqlite*", "index", *making.passing)
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(directory, place, ignore=leaving)


def kill(directory, words, file, lines):
    """Run a command line until a file that it writes has so many lines."""
    command = [sys.executable, "-m", "tellapart", *words]
    with subprocess.Popen(command, cwd=directory, env=environment(directory)) as process:
        while not file.exists() or file.read_bytes().count(b"\n") < lines:
            assert process.poll() is None, f"{words} ended before it was killed"
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
