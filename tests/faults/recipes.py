"""The commands whose every write is tried, with tiny real inputs."""

import json
import re
import shutil
import sysconfig
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

TESTS = Path(__file__).parents[1]
STORED = TESTS / "pinned" / "stored"

JOURNALS = ("calls.jsonl", "explorations.jsonl")
"""Their lines come in the order in which things were done, which after a crash is another."""

MODULES = (
    "inspect_ai._eval.run",
    "inspect_ai.model._openai_responses",
    "inspect_ai.agent",
    "inspect_ai.agent._acp.server",
    "anyio._backends._asyncio",
    "tellapart.cli.main",
    "tellapart.llm.session",
    "tellapart.llm.agents",
    "tellapart.contrastive.run",
    "tellapart.contrastive.build_run",
    "tellapart.contrastive.page",
    "tellapart.bundles.run",
    "tellapart.bundles.mining.run",
    "tellapart.bundles.capsule",
    "tellapart.codesearch.iteration",
    "tellapart.codesearch.looping.run",
    "tellapart.codesearch.searching",
    "tellapart.longcontext.run",
    "tellapart.longcontext.grade_run",
    "tellapart.longcontext.page",
    "tellapart.offline.contrastive",
    "tellapart.offline.codesearch",
    "tellapart.offline.longcontext",
)


@dataclass(frozen=True)
class Recipe:
    """A command.

    Attributes:
        name: For people.
        library: What the demonstration takes for Python's standard library, by its name in ``in``.
        files: What is written into ``in`` as well, by name.
        words: Behind ``tellapart``; what it reads is in ``in``, what it writes in ``world/out``.
        inputs: Files and directories of the tests, by the name that they have in ``in``.
        code: Its exit code.
    """

    name: str
    words: tuple[str, ...]
    inputs: dict[str, Path]
    code: int = 0
    library: str | None = None
    files: Mapping[str, str] = field(default_factory=dict)

    def prepare(self, base: Path) -> None:
        """Put there what it reads."""
        for name, source in self.inputs.items():
            target = base / "in" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copyfile(source, target)
        for name, text in self.files.items():
            (base / "in" / name).write_text(text)

    def environment(self, base: Path) -> dict[str, str]:
        """Places of its own for all that it may write."""
        world = base / "world"
        return {
            "COLUMNS": "100",
            "NO_COLOR": "1",
            "TERM": "dumb",
            "HOME": str(world / "home"),
            "TMPDIR": str(world / "tmp"),
            "XDG_CACHE_HOME": str(world / "home" / "cache"),
            "XDG_DATA_HOME": str(world / "home" / "data"),
            # Compiling would take longer than all the rest.
            "NUMBA_DISABLE_JIT": "1",
            "TELLAPART_CACHE": str(base / "vectors.sqlite"),
            "TELLAPART_INDEX": str(world / "index"),
            "SOURCE_DATE_EPOCH": "1700000000",
        }

    def listen(self, ask: Callable[[str], None]) -> None:
        """Have every question to an offline model told, before the command runs in this process."""
        if self.library is not None:
            library = str(Path("in", self.library).resolve())
            sysconfig.get_path = lambda _: library

        from tellapart.offline.responders import RESPONDERS

        for name, registered in RESPONDERS.items():

            def respond(turns, reply=registered.respond):
                ask(json.dumps([list(turn) for turn in turns]))
                return reply(turns)

            RESPONDERS[name] = replace(registered, respond=respond)

    def answered(self, journals: list[bytes]) -> Counter:
        """Questions whose replies stand in journals of calls."""
        answered: Counter = Counter()
        said: dict[str | None, list[list[str]]] = {None: []}
        for line in b"".join(data[: data.rfind(b"\n") + 1] for data in journals).splitlines():
            call = json.loads(line)
            if "key" not in call:
                continue
            if "turn" in call:
                before = said[call["after"]] or [["system", call["system"]]] * ("system" in call)
                messages = [*before, ["user", call["turn"]]]
            else:
                messages = [[turn["role"], turn["content"]] for turn in call.get("messages", ())]
            if "reply" in call:
                said[call["key"]] = [*messages, ["assistant", call["reply"]]]
                answered[json.dumps(messages)] += 1
        return answered


_LOG = re.compile(r"/(?:artifacts/)?(?:inspect|logs)(?:/[^/]+\.eval)?$")
"""Logs of Inspect, one for each time that it was begun, and their directory."""
_PROBE = re.compile(r"tmp/[a-z0-9_]{8}")
"""What Python makes to see whether it may write temporary files, and removes at once."""


def settled_tree(tree: dict) -> dict:
    """What must be the same, byte for byte: of journals the lines in any order, and no logs of Inspect."""
    settled = {}
    for name, node in tree.items():
        if _LOG.search(name) or _PROBE.fullmatch(name):
            continue
        if node.data is None:
            settled[name + "/"] = None
        else:
            settled[name] = _settled_file(name.rpartition("/")[2], node.data)
    return settled


def _settled_file(name: str, data: bytes):
    if name in JOURNALS:
        return sorted(data.splitlines())
    if name == "spending.jsonl":
        return None
    if name == "SHA256SUMS":
        return [line for line in data.splitlines() if not line.endswith(_ORDERED)]
    if name == "run.json":
        record = json.loads(data)
        # A digest of a journal, and what agents took: what was cut off is asked again.
        record["inputs"].pop("reused explorations", None)
        for model in [model for model in record["models"] if model.startswith("agent:")]:
            record["models"].pop(model)
        return json.dumps(record)
    return data


_ORDERED = (b"calls.jsonl", b"explorations.jsonl", b"spending.jsonl", b"run.json")

CODE = {"code": TESTS / "contrastive" / "fixtures" / "package"}
BENCH = {"bench": STORED / "contrastive" / "bench"}
EVAL = {name: STORED / "bundles" / name for name in ("eval.jsonl", "eval.jsonl.version.json")}
EVENTS = "".join((STORED / "bundles" / "events.jsonl").read_text().splitlines(keepends=True)[:30])
BOARD = {name: STORED / "bundles" / name for name in ("bm25.json", "bm25.scores.parquet")}
SEARCHED = CODE | {
    name: STORED / "codesearch" / name for name in ("search_results.json", "conversations.json")
}
CASES = {"cases": STORED / "longcontext" / "cases"}
PLAYED = CASES | {"played": STORED / "longcontext" / "runs" / "played"}


def _recipe(name: str, words: str, inputs: dict[str, Path], **more) -> Recipe:
    return Recipe(name, tuple(words.split()), inputs, **more)


_AGENTS = {
    "repos_path": ".",
    "approved_repos": ["code"],
    "explorers": {"run_a": "agent:offline/greps", "run_b": "lexical"},
    "models": {"judge": "offline/uncommon-words"},
    "loop": {"max_iterations": 2},
}

KILLED = {
    recipe.name: recipe
    for recipe in (
        _recipe(
            "codesearch loop",
            "codesearch loop --repos-path in --repo code --in in/conversations.json --dir world/out/loop",
            SEARCHED,
        ),
        _recipe(
            "codesearch loop with agents and a judge",
            "codesearch loop --config in/config.json --in in/conversations.json --dir world/out/loop",
            SEARCHED,
            files={"config.json": json.dumps(_AGENTS)},
        ),
        _recipe(
            "codesearch evaluate with agents",
            "codesearch evaluate --repos-path in --repo code --in in/search_results.json --iteration 1 "
            "--run world/out/run --explorer-a agent:offline/greps --judge offline/uncommon-words --retest 1 "
            "--state world/out/state.json --out world/out/evaluation.json",
            SEARCHED,
        ),
        _recipe("demo", "demo --targets 4 --out world/out/demo", CODE, library="code"),
    )
}
"""Commands that are killed at random, since more than one thing is done at a time, or it is a long one."""

SAMPLED = (
    "contrastive build",
    "contrastive run",
    "contrastive run --llm",
    "bundles mine",
    "bundles score",
    "codesearch evaluate",
    "codesearch loop",
    "longcontext run",
    "longcontext grade",
)
"""Commands of which a few crashes are among the tests."""

RECIPES = {
    recipe.name: recipe
    for recipe in (
        _recipe(
            "contrastive build",
            "contrastive build in/code --out world/out/bench --targets 2 --levels easy,hard",
            CODE,
        ),
        _recipe(
            "contrastive build --summaries llm",
            "contrastive build in/code --out world/out/bench --targets 2 --levels easy "
            "--summaries llm:offline/names --max-connections 1",
            CODE,
        ),
        _recipe(
            "contrastive run",
            "contrastive run in/bench --model bm25 --model hashing --out world/out/run",
            BENCH,
        ),
        _recipe(
            "contrastive run --llm",
            "contrastive run in/bench --llm offline/overlap --max-connections 1 --out world/out/run",
            BENCH,
        ),
        _recipe(
            "bundles mine",
            "bundles mine in/events.jsonl --existing in/eval.jsonl --model hashing --threshold 0.2 "
            "--out world/out/mined.jsonl --stats world/out/mined.stats.json "
            "--quarantine world/out/quarantine.jsonl",
            EVAL,
            files={"events.jsonl": EVENTS},
        ),
        _recipe(
            "bundles score",
            "bundles score in/eval.jsonl --model hashing --out world/out/board.json",
            EVAL,
        ),
        _recipe("bundles tier", "bundles tier in/eval.jsonl --model bm25 --out world/out/tiered.jsonl", EVAL),
        _recipe(
            "bundles convert",
            "bundles convert in/eval.jsonl world/out/trec --to trec --model bm25",
            EVAL,
        ),
        _recipe(
            "bundles capsule",
            "bundles capsule --eval in/eval.jsonl --scoreboard in/bm25.json world/out/capsule",
            EVAL | BOARD,
        ),
        _recipe(
            "codesearch evaluate",
            "codesearch evaluate --repos-path in --repo code --in in/search_results.json --iteration 1 "
            "--run world/out/run --judge offline/uncommon-words --max-connections 1 --concurrency 1 "
            "--state world/out/state.json --out world/out/evaluation.json",
            SEARCHED,
        ),
        _recipe(
            "codesearch loop",
            "codesearch loop --repos-path in --repo code --in in/conversations.json --dir world/out/loop",
            SEARCHED,
        ),
        _recipe(
            "longcontext generate",
            "longcontext generate --out world/out/cases --lengths 1K --conversations 1 --facts 2 --traps 2",
            {},
        ),
        _recipe(
            "longcontext run",
            "longcontext run in/cases --model offline/recalls --fork-probes --quiet --run world/out/run "
            "--delay 0 --max-connections 1 --out world/out/results.json",
            CASES,
        ),
        _recipe(
            "longcontext grade",
            "longcontext grade in/played --cases in/cases --grader both --judge offline/compares --delay 0 "
            "--max-connections 1 --run world/out/run --out world/out/report.md",
            PLAYED,
        ),
    )
}
