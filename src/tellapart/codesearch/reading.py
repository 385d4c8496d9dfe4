"""What systems answer and pipelines record, read as files of the repositories.

An answer is JSON (a list of paths or of objects with ``path``, the documented object, or one of these a
line), or else a path a line, each with an optional ``:LINE`` or ``:LINE:…``. What names no file is left out
and counted. Recordings list paths and objects in the same way.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from pydantic import TypeAdapter, ValidationError

from tellapart.codesearch.model import Failed, SearchResult, Snippet
from tellapart.codesearch.paths import PathReader, Tree
from tellapart.codesearch.repositories import Reason, secret_by_content, without_secret_texts
from tellapart.errors import InputError, near_match, quoted
from tellapart.files import JsonError, first_fault, parse_json

FILES = "files_found"  # The field of the documented form that lists the files
MOST_ENTRIES = 10_000
"""Maximum number of lines or items of one answer that are read; each takes a look at the disk."""

_PATH_KEYS = ("path", "file_path", "file")


@dataclass
class FileList:
    """The files of a list as ``repo/path``, each once and in its order, to the terms that led to it.

    A path in an approved repository counts although nothing is there (``gone``): whoever returned it says
    that it is a file. ``counts`` is what was left out, by reason; ``example`` the first of these that is a
    path, since lines that are none may be the content of a file; ``hint`` the repository that it may mean.
    """

    files: dict[str, list[str]] = field(default_factory=dict)
    gone: list[str] = field(default_factory=list)
    lines: dict[str, set[int]] = field(default_factory=dict)
    no_lines: int = 0
    counts: Counter[Reason] = field(default_factory=Counter)
    example: str = ""
    hint: str = ""

    def add_line(self, file: str, line: Any) -> None:
        """Note a line of a file, or that it is none."""
        if isinstance(line, int) and not isinstance(line, bool) and line > 0:
            self.lines.setdefault(file, set()).add(line)
        else:
            self.no_lines += 1

    @property
    def why(self) -> str:
        """How much was left out by reason, with an example, and a name that may be meant."""
        many = ", ".join(f"{count} {reason}" for reason, count in sorted(self.counts.items()))
        example = f", such as {self.example!r}" if self.example else ""
        return f"{many}{example}{self.hint}".removesuffix(".")


def list_files(
    items: Iterable[Any], reader: PathReader, keeps: Collection[str], *, printed: bool = False
) -> FileList:
    """Read which files the items of a list name; those that are left out for a reason in ``keeps`` stay."""
    listed = FileList()
    for item in items:
        repo, path = _repo_and_path(item)
        named = reader.line(path) if printed else reader.named(path, repo)
        if not named.file or named.reason not in (None, *keeps):
            reason = named.reason or "no path"
            listed.counts[reason] += 1
            if reason != "no path" and not listed.example and not _is_secret(path):
                listed.example = (named.file or path)[:80]
                if reason == "not approved" and reader.names:
                    listed.hint = f". {near_match(listed.example.split('/')[0], reader.names)}"
            continue
        if named.reason == "not in the tree" and named.file not in listed.files:
            listed.gone.append(named.file)
        fields = item if isinstance(item, dict) else {}
        line = fields.get("line", fields.get("line_start", named.line))
        if line is not None:
            listed.add_line(named.file, line)
        _add(listed.files, named.file, fields.get("terms"))
    return listed


def line_note(count: int) -> list[str]:
    """Say how many line numbers were left out."""
    what = "which are no whole numbers from 1, or of no file that was found"
    return [f"left out {count} line number(s), {what}"] if count else []


def _add(files: dict[str, list[str]], file: str, terms: Any) -> None:
    before = files.setdefault(file, [])
    before += [term for term in terms if term not in before] if isinstance(terms, list) else []


@dataclass(frozen=True)
class Answer:
    """What a system returned for one issue, read; no result where nothing of it names a file."""

    result: SearchResult | None
    log: Any = None
    listed: FileList = field(default_factory=FileList)
    failure: Failed | None = None
    notes: tuple[str, ...] = ()
    silent: bool = False


def read_answer(output: object, tree: Tree, *, cwd: str | None = None) -> Answer:
    """Read what a system printed or returned."""
    try:
        return _read(output, PathReader(tree, cwd))
    except RecursionError:
        return _failed("what was printed cannot be read: its JSON is nested too deeply")
    except JsonError as error:
        return _failed(f"what was printed cannot be read: {error.what}")


def _read(output: object, reader: PathReader) -> Answer:
    if isinstance(output, bytes):
        output = output.decode("utf-8-sig", "replace")
    if isinstance(output, str) and not output.strip():
        return _failed("nothing was printed")
    documents = _documents(output) if isinstance(output, str) else [_as_json(output)]
    fields = _documented(documents[0]) if documents and len(documents) == 1 else {}
    items: Any
    if documents is None:
        items = [line for each in str(output).splitlines() if (line := each.strip())]
    elif fields:
        items = fields[FILES]
    else:
        items = [item for one in documents for item in (one if isinstance(one, list) else [one])]
    if not isinstance(items, list):
        return _failed(f"{FILES!r} is {quoted(items)}, expected a list")
    notes: list[str] = []
    read_first = _first(items, "entries", notes)
    listed = list_files(read_first, reader, ("not in the tree",), printed=documents is None)
    if items and len(listed.gone) == len(listed.files):
        return _failed(_complaint(items, listed), listed)
    read, of_fields = _with_files(fields, listed, reader)
    notes += of_fields
    log, withheld = without_secret_texts(fields.get("exploration_log"))
    try:
        result = TypeAdapter(SearchResult).validate_python(read)
    except ValidationError as error:
        return _failed(first_fault(error, SearchResult), listed)
    if withheld:
        notes.append(f"withheld {withheld} text(s) of the log that hold a secret")
    return Answer(result, log, listed, notes=tuple(notes))


def _first(entries: list[Any], what: str, notes: list[str]) -> list[Any]:
    """The first entries, as many as are read, and a note where there are more."""
    if left := len(entries[MOST_ENTRIES:]):
        notes.append(f"read the first {MOST_ENTRIES:,} {what}, and left out {left:,} after them")
    return entries[:MOST_ENTRIES]


def _failed(detail: str, listed: FileList | None = None) -> Answer:
    return Answer(None, listed=listed or FileList(), failure=Failed("parse", "output", detail))


def _documents(text: str) -> list[Any] | None:
    """The JSON of a text, which may be one document or one a line; None for a text of other lines."""
    for documents in ([text], [line for line in text.splitlines() if line.strip()]):
        if all(document.lstrip().startswith(("{", "[")) for document in documents):
            with suppress(ValueError):
                for document in documents:
                    json.loads(document)
                return [parse_json(document, "what was printed", finite=True) for document in documents]
    return None


def _complaint(items: Sequence[Any], listed: FileList) -> str:
    if len(items) == 1 and isinstance(items[0], dict) and not listed.example:
        # Its values may be the contents of a file.
        keys = ", ".join(filter(str.isidentifier, items[0]))[:80]
        expected = f"expected a list of paths or of objects with 'path', alone or as {{{FILES!r}: […]}}"
        return f"this is JSON without {FILES!r}: {{{keys}}}; {expected}"
    total = listed.counts.total() + len(listed.files)
    why = listed.why or f"{len(listed.gone)} not in the tree, such as {listed.gone[0]!r}"
    return f"none of {total} lines or items names a file of the repositories: {why}"


def _as_json(value: Any) -> Any:
    """A value as JSON has it: no NaN, and no halves of surrogates, which no file can hold."""
    text = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
    return parse_json(text, "what was found", finite=True)


def _documented(document: Any) -> dict[str, Any]:
    """The fields of the documented form; empty for any other."""
    fields = document.get("search_results", document) if isinstance(document, dict) else {}
    return fields if isinstance(fields, dict) and FILES in fields else {}


def _with_files(
    data: Mapping[str, Any], listed: FileList, reader: PathReader
) -> tuple[dict[str, Any], list[str]]:
    """The fields of ``search_results`` with files, terms and snippets as they are read; notes for people."""
    notes: list[str] = []
    terms = {file: list(of_file) for file, of_file in listed.files.items() if of_file}
    by_file = data.get("terms_by_file")
    by_path = list(by_file.items()) if isinstance(by_file, dict) else []
    for path, of_file in _first(by_path, "entries of 'terms_by_file'", notes):
        if (named := reader.named(path)).file in listed.files:
            _add(terms, named.file, of_file)
    used, withheld = without_secret_texts(data.get("search_terms_used"))
    shown, of_snippets = _snippets(data.get("snippets"), reader)
    if withheld:
        notes.append(f"withheld {withheld} search term(s) that hold a secret")
    recorded = data.get("lines_by_file") or {}
    for file, numbers in recorded.items() if isinstance(recorded, dict) else [("", recorded)]:
        for line in numbers if isinstance(numbers, list) else [numbers]:
            listed.add_line(file, line if file in listed.files else None)
    read = {
        FILES: list(listed.files),
        "search_terms_used": used,
        "terms_by_file": terms,
        "snippets": shown,
        "lines_by_file": {file: sorted(numbers) for file, numbers in listed.lines.items()},
    }
    return {**data, **read}, [*notes, *of_snippets]


def _snippets(given: Any, reader: PathReader) -> tuple[list[Snippet], list[str]]:
    """Snippets with their paths as ``repo/path``, without those that nobody may be shown; and notes."""
    usable, secrets = [], 0
    notes: list[str] = []
    records = _first(given, "snippets", notes) if isinstance(given, list) else []
    for record in records:
        repo, path = _repo_and_path(record)
        named = reader.named(path, repo)
        try:
            snippet = TypeAdapter(Snippet).validate_python({**record, "file_path": named.file})
        except (ValidationError, TypeError):
            continue
        if named.reason == "secret" or _is_secret(snippet.content):
            secrets += 1
        elif named.claimed:
            usable.append(snippet)
    if secrets:
        notes.append(f"withheld {secrets} snippet(s) that hold a secret or are of a file with one")
    if unread := len(records) - len(usable) - secrets:
        notes.append(f"left out {unread} of {len(records)} snippets, which name no file or have no 'content'")
    return usable, notes


@dataclass
class Reading:
    """How the paths of one recorded conversation are read, and what people should know of them."""

    reader: PathReader
    notes: list[str] = field(default_factory=list)

    def search_result(self, data: dict[str, Any]) -> dict[str, Any]:
        """Read the files, snippets and terms of ``search_results``."""
        if not isinstance(data.get(FILES), list):
            return data
        listed = self._listed(data[FILES])
        data, notes = _with_files(data, listed, self.reader)
        self.notes += [*notes, *line_note(listed.no_lines)]
        return data

    def case(self, data: dict[str, Any]) -> dict[str, Any]:
        """Read the files, runs and verdicts of an evaluated conversation."""
        data = dict(data)
        for name in ("our_files", "our_unique_judgments"):
            if not isinstance(data.get(name), list):
                raise InputError(f"{name!r} is {quoted(data.get(name))}, expected a list")
        data["our_files"] = list(self._listed(data["our_files"], "our files: ").files)
        for name in ("run_a", "run_b", "retest_a", "retest_b"):
            run = data.get(name)
            if isinstance(run, dict) and isinstance(run.get(FILES), list):
                data[name] = {**run, FILES: list(self._listed(run[FILES], f"{name}: ").files)}
        data["our_unique_judgments"] = self._judgements(data["our_unique_judgments"])
        data["search_terms_used"], _ = without_secret_texts(data.get("search_terms_used"))
        data["snippets"], notes = _snippets(data.get("snippets"), self.reader)
        self.notes += notes
        return data

    def _listed(self, items: Sequence[Any], prefix: str = "") -> FileList:
        listed = list_files(items, self.reader, ("not in the tree", "secret"))
        left = sum(listed.counts.values())
        if left and not listed.files:
            noun = "file" if len(items) == 1 else "files"
            raise InputError(f"none of its {len(items)} {noun} can be used: {listed.why}")
        if left:
            self.notes.append(f"{prefix}left out {left} of {len(items)} files: {listed.why}")
        return listed

    def _judgements(self, judgements: list[Any]) -> list[Any]:
        """The verdicts by file; of several on one file, the first."""
        kept: dict[str, Any] = {}
        for judgement in judgements:
            if not isinstance(judgement, dict):
                raise InputError(f"a verdict is {judgement!r:.60}, expected an object with a file")
            named = self.reader.named(_repo_and_path(judgement)[1])
            if named.claimed:
                kept.setdefault(named.file, {**judgement, "file": named.file})
        if len(kept) < len(judgements):
            self.notes.append(
                f"left out {len(judgements) - len(kept)} of {len(judgements)} verdicts, on no file or on one "
                "that has a verdict already"
            )
        return list(kept.values())


def _repo_and_path(item: Any) -> tuple[str | None, str]:
    """The repository and the path of an entry, which is a path alone or an object."""
    if isinstance(item, str):
        return None, item
    fields = item if isinstance(item, dict) else {}
    path = next((fields[key] for key in _PATH_KEYS if isinstance(fields.get(key), str)), "")
    repo = fields.get("repo")
    return repo if isinstance(repo, str) and repo else None, path


def _is_secret(text: str) -> bool:
    return secret_by_content(text.encode("utf-8", "replace")) is not None
