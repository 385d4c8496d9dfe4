"""Offline stand-ins of code search: a judge and an explorer with tools."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

from tellapart.embed.identifiers import split_identifiers
from tellapart.llm.agents import SUBMIT
from tellapart.offline.provider import calls_tool
from tellapart.offline.responders import Reply, respond

_SECTION = re.compile(r"^[0-9a-f]{12} (.*)\n((?:\|.*\n)*)", re.MULTILINE)
_NUMBERED = re.compile(r"^(?:File|Piece) (\d+(?:-\w+)?)[, ]")
_SHORTEST_WORD = 4
_COMMON_WORDS = """
about above after again also always another because been before being below between both cannot could does
doing done down during each even ever every file files first found from gets give gives have having here
instead into just kind know less like made make makes many more most much must need needs never none only
other over part same says should show shown since some such take than that their them then there these they
thing this those through time under until used user users uses using very want were what when where whether
which while will with within without work works would your
"""
_COMMON = frozenset(_COMMON_WORDS.split())


@respond("uncommon-words")
def uncommon_words(prompt: str) -> str:
    """Judge files, or a search, by the words of the issue that are neither short nor common.

    A file is relevant where its path and contents share at least a third of these words, and at least two of
    them or all there are; it would be changed where the path has one of them too.
    """
    sections = [(match[1], match[2]) for match in _SECTION.finditer(prompt)]
    issue = _words("".join(text for heading, text in sections if heading == "Issue"))
    files = _numbered(sections, "File")
    if files:
        judgements = [_judgement(label, issue, *texts) for label, texts in files.items()]
        return json.dumps({"judgements": judgements})
    returned = [text for heading, text in sections if heading.startswith("Files that the search returned")]
    return _assessment(prompt, issue, sections) if returned else "There is nothing to judge."


def _judgement(label: str, issue: set[str], path: str, text: str) -> dict[str, Any]:
    shared = issue & _words(f"{path}\n{text}")
    relevant = 3 * len(shared) >= len(issue) and len(shared) >= min(2, max(len(issue), 1))
    changed = "yes" if issue & _words(path) else "maybe"
    return {
        "file": label,
        "relevant": relevant,
        "actionable": changed if relevant else "no",
        "reasoning": f"It shares {len(shared)} of {len(issue)} uncommon words with the issue: "
        f"{', '.join(sorted(shared)[:5]) or 'none'}.",
    }


def _assessment(prompt: str, issue: set[str], sections: list[tuple[str, str]]) -> str:
    """Score by shares, from 1 for none to 5 for all: of paths, pieces and known files that share a word."""
    text_of = {heading.partition(",")[0]: text for heading, text in sections}
    our_files = _lines(text_of["Files that the search returned"])
    explored_files = _lines(
        text_of.get("Files that others found for this issue without seeing the search", "")
    )
    hit = [bool(issue & _words(path)) for path in our_files]
    pieces = [bool(issue & _words(text)) for _, text in _numbered(sections, "Piece").values()]
    areas = _lines(text_of["Product areas"])
    scores = {
        "file_relevance": hit,
        "snippet_quality": pieces,
        "service_accuracy": [
            path.partition("/")[0] in {file.partition("/")[0] for file in explored_files}
            for path in our_files
        ],
        "noise": hit,
        "coverage": [path in our_files for path in explored_files],
        "gestalt": hit,
    }
    requested = {name: _score(shares) for name, shares in scores.items() if f'- "{name}":' in prompt}
    named = [number for number, area in enumerate(areas, 1) if issue & _words(area)]
    return json.dumps(
        {
            **requested,
            "product_area": named[0] if named else len(areas),
            "reasoning": f"{sum(hit)} of {len(hit)} paths share an uncommon word with the issue.",
        }
    )


def _numbered(sections: list[tuple[str, str]], kind: str) -> dict[str, list[str]]:
    """The texts of files or pieces, path first, by their labels or numbers."""
    by_number: dict[str, list[str]] = {}
    for heading, text in sections:
        match = _NUMBERED.match(heading)
        if match and heading.startswith(kind):
            by_number.setdefault(match[1], []).append(text)
    return by_number


def _score(shares: list[bool]) -> int:
    return 1 + round(4 * sum(shares) / len(shares)) if shares else 1


def _words(text: str) -> set[str]:
    return {word for word in split_identifiers(text) if len(word) >= _SHORTEST_WORD} - _COMMON


def _lines(text: str) -> list[str]:
    return [line.removeprefix("| ") for line in text.splitlines() if line not in ("|", "| (none)")]


MOST_WORDS = 8
"""Words of the issue that are searched."""

MOST_FILES = 20
"""Files that are handed in."""

_ISSUE_SECTION = re.compile(r"^[0-9a-f]{12} Issue\n((?:\|.*\n)*)", re.MULTILINE)
_HIT = re.compile(r"^([^\s:][^\s:/]*+/[^:\n]++):\d+: ", re.MULTILINE)


@respond("greps")
def greps(message: str) -> Reply:
    """Search for the longest words of the issue, once, and hand in the files with most lines that match."""
    issue = _ISSUE_SECTION.search(message)
    words = sorted(
        set(re.findall(r"[a-z]{4,20}", issue[1].lower() if issue else "")), key=lambda w: (-len(w), w)
    )
    if words:
        return calls_tool("grep", pattern="|".join(words[:MOST_WORDS]), ignore_case=True)
    hits = Counter(_HIT.findall(message))
    files = sorted(hits, key=lambda file: (-hits[file], file))[:MOST_FILES]
    return calls_tool(SUBMIT, files=files, reasoning="They have the most lines with words of the issue.")
