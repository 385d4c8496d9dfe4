"""Gold files as files of the approved repositories, without those that a rule leaves out or no tree holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from tellapart.codesearch.git import prefix_of
from tellapart.codesearch.gold.forms import GoldForm, GoldRow, is_benchmark, read_gold
from tellapart.codesearch.model import (
    UNCERTAIN,
    Base,
    Conversation,
    Gold,
    Searched,
    SearchResults,
    Span,
    Unusable,
)
from tellapart.codesearch.paths import approved_name, named_file
from tellapart.codesearch.recordings import read_conversations
from tellapart.errors import InputError
from tellapart.extraction.sources import TEST_DIRECTORY, TEST_FILE

if TYPE_CHECKING:
    from tellapart.codesearch.repositories import Repositories


@dataclass(frozen=True)
class PlacedGold:
    """Gold of all issues of a file, and the digest of that."""

    form: str
    gold: Mapping[str, Gold]
    bases: Mapping[str, Base]
    notes: tuple[str, ...] = ()
    digest: str = ""


def place_gold(form: GoldForm, repositories: Repositories) -> PlacedGold:
    """Name the files of a gold file as ``repo/path`` of the approved repositories.

    Where an approved directory is a part of its git repository, paths are cut to it, and what lies outside is
    left out.
    """
    names = {row.repository for row in form.rows}
    prefixes = {name: prefix_of(repositories.root / name) for name in repositories.names}
    gold, bases, faults = {}, {}, list(form.unusable)
    for row in form.rows:
        home = repository_of(row.repository, repositories, only=len(names) == 1)
        if row.repository is not None and home is None:
            faults.append((row.id, f"its repository {row.repository!r} is not approved"))
            continue
        gold[row.id] = _placed(row, home, repositories, prefixes)
        if row.commit and home:
            bases[row.id] = Base(home, row.commit)
    if not gold:
        raise InputError(
            f"no gold is about an approved repository: {faults[0][0]!r}: {faults[0][1]}",
            next_step="Approve its directory with --repo, named as the repository is",
        )
    notes = []
    if faults:
        notes.append(
            f"{len(faults)} of {len(form.rows) + len(form.unusable)} gold entries are left out, the first "
            f"{faults[0][0]!r}: {faults[0][1]}"
        )
    return PlacedGold(form.name, gold, bases, tuple(notes))


def repository_of(given: str | None, repositories: Repositories, *, only: bool) -> str | None:
    """The approved repository that somebody names ``owner/name``; None where that is not known."""
    if given is None:
        return None
    name = approved_name(given, repositories.names)
    if name is not None:
        return name
    return repositories.names[0] if only and len(repositories.names) == 1 else None


def _placed(row: GoldRow, home: str | None, repositories: Repositories, prefixes: Mapping[str, str]) -> Gold:
    left_out = Counter(added=len(row.changed.added))
    placed: dict[str, tuple[Span, ...]] = {}
    for path, spans in row.changed.changed.items():
        if home is None or not row.from_top:
            file = _anywhere(path, repositories)
        elif path.startswith(prefixes[home]):
            file = named_file(f"{home}/{path.removeprefix(prefixes[home])}", repositories.names)
        else:
            left_out["outside"] += 1
            continue
        if file is None:
            left_out["unusable"] += 1
        else:
            placed[file] = spans
    return Gold(
        tuple(sorted(placed)),
        left_out=dict(sorted((+left_out).items())),
        lines={file: spans for file, spans in placed.items() if spans},
    )


def _anywhere(path: str, repositories: Repositories) -> str | None:
    """The file of a path that says its repository, or that is of the only one; the likeliest."""
    spelled, names = path.strip().removeprefix("./"), repositories.names
    ways = [spelled] if len(names) > 1 or spelled.partition("/")[0] in names else []
    ways += [f"{names[0]}/{spelled}"] if len(names) == 1 else []
    files = [file for way in ways or [spelled] if (file := named_file(way, names)) is not None]
    return next(filter(repositories.holds, files), files[0] if files else None)


def settle(gold: Gold, holds: Callable[[str], bool]) -> Gold:
    """Leave out tests, lock files, and files that the searched tree lacks."""
    left_out = Counter(gold.left_out)
    kept: list[str] = []
    absent: list[str] = []
    for file in gold.files:
        rule = rule_for(file)
        if rule:
            left_out[rule] += 1
        else:
            (kept if holds(file) else absent).append(file)
    return replace(
        gold,
        files=tuple(kept),
        absent=tuple(absent),
        left_out=dict(sorted(left_out.items())),
    )


LOCK_FILES = (
    *("*.lock", "*.lockb", "*.lockfile", "*-lock.json", "*-lock.yaml", "*-lock.yml", "*.lock.json"),
    *("npm-shrinkwrap.json", "go.sum", "go.work.sum", "*.lock.hcl", "package.resolved"),
)
"""Names of files that a package manager writes, in lower case."""


def rule_for(file: str) -> str | None:
    """Why a gold file is left out: ``test`` or ``lock``; None for one that counts."""
    *directories, name = file.split("/")[1:]
    if any(TEST_DIRECTORY.fullmatch(directory) for directory in directories) or TEST_FILE.fullmatch(name):
        return "test"
    return "lock" if any(fnmatchcase(name.lower(), pattern) for pattern in LOCK_FILES) else None


def read_issues(content: bytes, repositories: Repositories, *, where: str) -> SearchResults:
    """Read issues: ``conversations.json``, or a benchmark of the forms that ``gold.forms`` reads."""
    if not is_benchmark(content, where):
        return read_conversations(content, where=where)
    form = read_gold(content, where)
    placed = place_gold(form, repositories)
    issues, unusable = [], [Unusable(*left) for left in form.unusable]
    for row in form.rows:
        if row.id not in placed.gold:
            unusable.append(Unusable(row.id, f"its repository {row.repository!r} is not approved"))
        elif not row.summary.strip():
            unusable.append(Unusable(row.id, "it has no words to search for"))
        else:
            base = placed.bases.get(row.id)
            issue = Conversation(row.id, row.summary, row.area or UNCERTAIN, base=base)
            issues.append(Searched(issue, gold=placed.gold[row.id]))
    if not issues:
        raise InputError(
            f"no issue of this {form.name} file can be used; {unusable[0].conversation!r}: {unusable[0].why}",
            where=where,
        )
    return SearchResults(None, None, tuple(issues), tuple(unusable), gold_form=form.name)
