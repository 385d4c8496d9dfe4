"""A whole evaluation to be killed by ``benchmarks/kills.py``: its command, what it asked and kept."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from codesearch.played_models import ASKING, A, explored, is_exploration, opening, turn
from support.recorded import calls_of, entries_of

CONVERSATIONS, CONNECTIONS = 6, 4

MODULES = (
    "tellapart.codesearch.run",
    "tellapart.codesearch.page.report",
    "tellapart.llm.asking",
    "tellapart.llm.agents",
    "sklearn.metrics",
)


def conversations() -> list[str]:
    return [f"c{number}" for number in range(CONVERSATIONS)]


def ours(name: str) -> list[str]:
    return [f"app/{name}/{kind}.py" for kind in ("both", "good", "good_too", "bad", "worse")]


def finds(model: str, name: str) -> list[str]:
    return [f"app/{name}/both.py", f"app/{name}/{'only_a' if model == A else 'missed'}.py"]


def write_place(place: Path) -> Path:
    """Write code and search results for all conversations."""
    entries = []
    for name in conversations():
        for path in {*ours(name), *finds(A, name), *finds("", name)}:
            (place / "code" / path).parent.mkdir(parents=True, exist_ok=True)
            (place / "code" / path).write_text(f"pins = {path!r}\n")
        entry = {
            "conversation_id": name,
            "issue_summary": f"Pins of {name} do not show",
            "product_area": "feed",
        }
        entries.append(entry | {"search_results": {"files_found": ours(name), "search_terms_used": ["pins"]}})
    record = {"iteration_number": 1, "timestamp": "2026-01-15T15:30:00Z", "conversations": entries}
    (place / "search_results.json").write_text(json.dumps(record))
    return place


def command(place: Path, name: str) -> tuple[Any, ...]:
    read = ("--repos-path", place / "code", "--repo", "app", "--in", place / "search_results.json")
    config = place / f"{name}.config.json"
    config.write_text(json.dumps({"state": f"{name}.state.json", "retest": 2}))
    limits = ("--concurrency", CONNECTIONS, "--config", config)
    to = ("--run", place / name, "--out", place / f"{name}.json")
    return ("codesearch", "evaluate", *read, *ASKING, *limits, *to)


def finished(run: Path) -> Counter[tuple[str, str]]:
    """How often each exploration came to its end, by model and conversation."""
    done = entries_of(run, "explorations")
    return Counter((("b", "a")[entry["role"].endswith("_a")], entry["conversation"]) for entry in done)


def answered(run: Path) -> Counter[str]:
    """Questions to the judge whose replies are in the journal."""
    calls = calls_of(run)
    return Counter(call["messages"][0]["content"] for call in calls if "reply" in call)


def begun(requests: Sequence[Any]) -> Counter[tuple[str, str]]:
    """How often each exploration was begun."""
    first = [explored(each) for each in requests if is_exploration(each) and turn(each) == 0]
    return Counter(("a" if model == A else "b", name) for model, name in first)


def asked(requests: Sequence[Any]) -> Counter[str]:
    """How often each question was put to the judge."""
    return Counter(opening(each) for each in requests if not is_exploration(each))
