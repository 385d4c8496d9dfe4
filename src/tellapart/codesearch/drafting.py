"""Drafts of issues from a repository's own commits and docstrings, distinct and from every area in turn."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from tellapart.codesearch.evaluation import GOLD_FORM
from tellapart.codesearch.git import git
from tellapart.codesearch.gold.patches import files_of_patch
from tellapart.codesearch.gold.placing import rule_for
from tellapart.codesearch.model import Base, Span
from tellapart.codesearch.repositories import Repositories
from tellapart.core.fingerprint import sha256
from tellapart.core.randomness import generator
from tellapart.core.seed import SEED
from tellapart.embed.identifiers import split_identifiers
from tellapart.errors import InputError, UsageError, near_match
from tellapart.extraction.extract import extract_units
from tellapart.extraction.sources import Skipped, Sources, find_sources

FEWEST_WORDS, MOST_WORDS = 4, 60

MOST_FILES = 15  # That a commit may touch: one that touches more is no single issue
MOST_COMMITS = 20_000  # Of a repository that are looked at, the newest
SHORTEST_UNIT_LINES = 3

_DRAFTS_AN_ISSUE = 4
_INSTEAD = "Draft issues from docstrings instead: --source docstrings"
_PREFIX = re.compile(r"^(?:\[[^\]]+\]\s*|[\w./-]+(?:\([^)]*\))?!?:\s+)")
_NUMBER = re.compile(r" ?\((?:#\d+|[A-Z]+-\d+)\)$")
_CHORE = re.compile(
    r"merge\b|revert\b|bump\b|release\b|v?\d+\.\d+|wip\b|(?:fixup|squash|amend)!|initial commit"
    r"|update (?:dependenc|changelog|version|lock|copyright)|(?:chore|ci|build|style|release|deps)(?:\(|!?:)"
    r"|.*\b(?:typos?|whitespace|changelog|lint(?:er|ing)?|reformat\w*|dependabot|pre-commit)\b",
    re.IGNORECASE,
)
_PARAGRAPH_END = re.compile(r"\n\s*\n|\n\s*(?::\w+|@\w+|[-*>]|>>>)")
_SENTENCE_END = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)\s+(?=\S)")
_MARKUP = re.compile(r":\w+(?::\w+){0,8}:(?=`)|[`*]+|</?\w+[^>\n]{0,1000}>")


@dataclass(frozen=True)
class Draft:
    """An issue and the files that it is about."""

    source: str
    origin: str
    summary: str
    files: tuple[str, ...]
    base: Base | None = None
    added: int = 0

    @property
    def area(self) -> str:
        """The first two directories, below the repository, of most of its files; a tie by name."""
        counts = Counter("/".join(file.split("/")[:-1][:3]) for file in self.files)
        return min(counts, key=lambda area: (-counts[area], area))

    def entry(self, lines: Mapping[str, tuple[Span, ...]]) -> dict[str, Any]:
        """The conversation; its id is the same for the same origin, whatever else is drafted."""
        base = self.base
        spans = {file: list(map(list, of_file)) for file, of_file in lines.items()}
        return {
            "conversation_id": f"{self.source}-{sha256(self.origin.encode('utf-8', 'replace'))[:12]}",
            "issue_summary": self.summary,
            "product_area": self.area,
            "classification_confidence": 1.0,
            "touched_files": list(self.files),
            **({"touched_lines": spans} if spans else {}),
            **({"touched_files_left_out": {"added": self.added}} if self.added else {}),
            **({"repository": base.repository, "base_commit": base.commit} if base else {}),
        }


@dataclass(frozen=True)
class Commit:
    """A commit that is no merge."""

    hash: str
    author: str
    subject: str
    files: tuple[str, ...]
    parent: str | None = None
    added: frozenset[str] = frozenset()

    @property
    def issue(self) -> str | None:
        """The subject without kind and part in front and number behind; None for a chore."""
        subject = " ".join(self.subject.split())
        bare = _NUMBER.sub("", _PREFIX.sub("", subject))
        chore = _CHORE.match(subject) or _CHORE.match(bare) or "[bot]" in self.author
        return bare if not chore and _is_informative(bare) else None


def _is_informative(text: str) -> bool:
    return FEWEST_WORDS <= len(text.split()) <= MOST_WORDS


def read_commits(repository: Path) -> list[Commit]:
    """Read the history of a directory: commits that touch something in it, the newest first."""
    arguments = ["log", "-z", f"--max-count={MOST_COMMITS}", "--no-merges", "--no-renames", "--no-ext-diff"]
    arguments += ["--no-textconv", "--relative", "--name-status", "--format=%x01%H%x00%P%x00%an%x00%s", "--"]
    log = git(repository, *arguments, ".", next_step=_INSTEAD).decode("utf-8", "surrogateescape")
    commits = []
    for entry in log.removeprefix("\1").split("\0\1"):
        commit, _, files = entry.partition("\0\n")
        match commit.rstrip("\0").split("\0"):
            case [digest, parents, author, subject]:
                fields = files.removesuffix("\0").split("\0") if files else []
                touched = dict(zip(fields[1::2], fields[::2], strict=True))
                added = frozenset(path for path, status in touched.items() if status == "A")
                parent = parents.partition(" ")[0] or None
                commits.append(Commit(digest, author, subject, tuple(touched), parent, added))
    return commits


def commit_drafts(repositories: Repositories, seed: int) -> Iterator[Draft]:
    """Draft issues from commits, in an order that ``seed`` decides.

    Left out are chores, commits of robots, those that touch more than ``MOST_FILES`` files, and those of
    whose files none is there any more. What a commit adds is no file of its issue, since nobody can find it
    before; the first commit of all has nothing else, and no tree before it.
    """
    readable = set(repositories.files())
    drafts = []
    for name in repositories.names:
        for commit in read_commits(repositories.root / name):
            files = {f"{name}/{file}" for file in commit.files if file not in commit.added}
            there = files & readable
            gone = {file for file in files - there if not repositories.holds(file)}
            if commit.parent and commit.issue and there and len(commit.files) <= MOST_FILES:
                touched, base = tuple(sorted(there | gone)), Base(name, commit.parent)
                origin = f"{name}/{commit.hash}"
                drafts.append(Draft("commit", origin, commit.issue, touched, base, len(commit.added)))
    yield from sorted(drafts, key=lambda draft: _at_random(seed, draft.origin))


def docstring_drafts(repositories: Repositories, seed: int) -> Iterator[Draft]:
    """Draft issues from docstrings, one a file at most, files in an order that ``seed`` decides."""
    readable = set(repositories.files())
    found = {name: find_sources(repositories.root / name).files for name in repositories.names}
    files = {f"{name}/{file.path}": file for name, sources in found.items() for file in sources}
    for path in sorted(files.keys() & readable, key=lambda path: _at_random(seed, path)):
        units = extract_units(Sources((files[path],), Skipped()), min_lines=SHORTEST_UNIT_LINES).units
        sentences = {unit: first_sentence(unit.docstring or "") for unit in units}
        drafts = [
            Draft("docstring", f"{path.partition('/')[0]}/{unit.id}", sentence, (path,))
            for unit, sentence in sentences.items()
            if _is_informative(sentence) and unit.name.lower() not in sentence.lower().split()
        ]
        if drafts:
            yield min(drafts, key=lambda draft: _at_random(seed, draft.origin))


def _at_random(seed: int, origin: str) -> float:
    return float(generator(seed, origin).random())


def first_sentence(docstring: str) -> str:
    """The first sentence on one line, without markup; empty where there is none."""
    paragraph = _PARAGRAPH_END.split(docstring.strip(), maxsplit=1)[0]
    return _SENTENCE_END.split(" ".join(_MARKUP.sub("", paragraph).split()), maxsplit=1)[0]


SOURCES: dict[str, Callable[[Repositories, int], Iterator[Draft]]] = {
    "commits": commit_drafts,
    "docstrings": docstring_drafts,
}
"""Where issues can come from."""

ABOUT = {
    "commits": (
        "the files that commits touched",
        "who writes a commit knows the code, and names it: users write other words",
    ),
    "docstrings": (
        "the files whose docstrings the issues are",
        "each issue is a sentence of a file that is searched, so that its very words lead there: a search "
        "looks better on these than on what users write",
    ),
}
"""By source, what its touched files are, and what its issues cannot show."""


def draft_issues(
    repositories: Repositories, count: int, *, source: str = "docstrings", seed: int = SEED
) -> tuple[dict[str, Any], list[str]]:
    """Draft issues from what a repository says of itself, distinct and from every area in turn; and notes.

    Those whose files are all tests or lock files are passed over.
    """
    if source not in SOURCES:
        raise UsageError(f"the source of issues is {source!r}", next_step=near_match(source, SOURCES))
    drafted = (draft for draft in SOURCES[source](repositories, seed) if not all(map(rule_for, draft.files)))
    drafts = {
        " ".join(split_identifiers(draft.summary)): draft
        for draft in islice(drafted, count * _DRAFTS_AN_ISSUE)
    }
    if not drafts:
        other = next(name for name in SOURCES if name != source)
        raise InputError(
            f"no issue can be drafted from the {source} in {', '.join(repositories.names)}",
            where=repositories.root,
            next_step=f"Try --source {other}",
        )
    turn: Counter[str] = Counter()
    in_turn = []
    for place, draft in enumerate(drafts.values()):
        turn[draft.area] += 1
        in_turn.append((turn[draft.area], place, draft))
    chosen = [draft for _, _, draft in sorted(in_turn, key=lambda each: each[:2])[:count]]
    entries = [draft.entry(_touched_lines(draft, repositories)) for draft in chosen]
    entries.sort(key=lambda entry: (entry["product_area"], entry["conversation_id"]))
    form, caution = ABOUT[source]
    few = [f"{len(entries)} issues are all that the {source} give, {count} were requested"]
    return {GOLD_FORM: form, "conversations": entries}, [*(few if len(entries) < count else []), caution]


def _touched_lines(draft: Draft, repositories: Repositories) -> dict[str, tuple[Span, ...]]:
    """By file, the lines that a commit changed, as they were before it; empty for other drafts."""
    if draft.base is None:
        return {}
    name, _, commit = draft.origin.partition("/")
    options = ("--no-color", "--no-renames", "--no-ext-diff", "--no-textconv", "--relative")
    prefixes = ("--src-prefix=a/", "--dst-prefix=b/")
    diff = git(repositories.root / name, "diff", *options, *prefixes, draft.base.commit, commit)
    changed = files_of_patch(diff.decode("utf-8", "replace")).changed
    return {
        file: spans for path, spans in changed.items() if spans and (file := f"{name}/{path}") in draft.files
    }
