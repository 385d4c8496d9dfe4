"""What a search system printed or returned, as files of the repositories.

It is JSON (a list of paths or of objects with ``path``, the documented object, or one of these a line), or a
path a line, each with an optional ``:LINE`` or ``:LINE:…``. What names no file is left out and counted.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tellapart.codesearch.model import Failed
from tellapart.codesearch.paths import LeftOut, Named, PathReader, Reason, left_out_sentence
from tellapart.codesearch.secret_files import secret_by_content
from tellapart.errors import quoted

if TYPE_CHECKING:
    from tellapart.codesearch.paths import Tree

FILES = "files_found"
"""The field of the documented form that lists the files."""

_PATH_KEYS = ("path", "file_path", "file")
_SHOWN_CHARACTERS = 200
_SHOWN_LINES = 20

MOST_ENTRIES = 10_000
"""Maximum number of lines or items of one answer that are read; each takes a look at the disk."""


@dataclass(frozen=True)
class Answer:
    """What a system returned for one issue.

    Attributes:
        result: The documented ``search_results``: ``files_found`` holds ``repo/path``, or objects with
            ``path``, each file once and in the system's order.
        left_out: Paths that are no file that it found, each once; of many the first.
        counts: How many lines or items were left out, by reason; ``no path`` is only counted, since it may
            be the content of a file.
        made_up: Of these, paths in an approved repository at which there is nothing, as ``repo/path``, each
            with its place in the list of both, from 0.
        failure: Why there is no result: something was returned and none of it names a file, or nothing was.
            None for a result, in which there may be no file.
        not_read: How many lines or items came after the first ``MOST_ENTRIES``.
        withheld: How many snippets were left out since they are of a file that nobody is shown, or hold a
            key or a token.
    """

    result: dict[str, Any]
    left_out: tuple[LeftOut, ...] = ()
    counts: Mapping[Reason, int] = field(default_factory=dict)
    made_up: Mapping[str, int] = field(default_factory=dict)
    failure: Failed | None = None
    withheld: int = 0
    not_read: int = 0


def read_answer(output: object, tree: Tree, *, cwd: str | None = None) -> Answer:
    """Read what a system printed or returned."""
    try:
        return _read(output, _Reading(PathReader(tree, cwd)))
    except RecursionError:
        return _failed("what was printed cannot be read: its JSON is nested too deeply")


def _read(output: object, reading: _Reading) -> Answer:
    if isinstance(output, bytes):
        output = output.decode("utf-8-sig", "replace")
    if isinstance(output, str):
        if not output.strip():
            return _failed("nothing was printed")
        documents, lines = _parts(output)
    else:
        documents, lines = [output], []
    documents = [_without_halves(document) for document in documents]
    fields = _documented(documents[0]) if len(documents) == 1 else {}
    if not isinstance(fields.get(FILES, []), list):
        return _failed(f"{FILES!r} is {quoted(fields[FILES])}, expected a list")
    for document in [fields[FILES]] if FILES in fields else documents:
        reading.document(document)
    for line in lines:
        reading.line(line)
    further = reading.placed({name: value for name, value in fields.items() if name != FILES})
    failed = not reading.files and not reading.empty
    items = [{"path": file, **item} if item else file for file, item in reading.files.items()]
    return Answer(
        {} if failed else {FILES: items, **further},
        tuple(reading.left_out),
        dict(reading.counts),
        reading.made_up,
        Failed("parse", "output", reading.complaint(documents)) if failed else None,
        reading.withheld,
        max(0, reading.entries - MOST_ENTRIES),
    )


def _failed(detail: str) -> Answer:
    return Answer({}, failure=Failed("parse", "output", detail))


def _parts(text: str) -> tuple[list[Any], list[str]]:
    """The JSON documents of a text, which may be one or one a line, and its other lines."""
    if isinstance(whole := _json(text), list | dict):
        return [whole], []
    documents, lines = [], []
    for line in filter(None, map(str.strip, text.splitlines())):
        value = _json(line)
        if isinstance(value, list | dict):
            documents.append(value)
        else:
            lines.append(line)
    return documents, lines


def _json(text: str) -> Any:
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text, parse_constant=lambda _: None)
    except ValueError:
        return None


def _documented(document: Any) -> dict[str, Any]:
    """The fields of the documented form; empty for any other."""
    fields = document.get("search_results", document) if isinstance(document, dict) else {}
    return fields if isinstance(fields, dict) and FILES in fields else {}


class _Reading:
    """What was read so far."""

    def __init__(self, reader: PathReader) -> None:
        self._reader = reader
        self.files: dict[str, dict[str, Any]] = {}
        self.left_out: list[LeftOut] = []
        self.counts: Counter[Reason] = Counter()
        self.made_up: dict[str, int] = {}
        self.empty = False
        self.withheld = 0
        self.entries = 0

    def document(self, value: Any) -> None:
        """Read a JSON value: a list of paths and objects, or such an object."""
        if isinstance(value, list):
            self.empty = self.empty or not value
            for item in value:
                self._item(item)
        else:
            self._item(value)

    def line(self, line: str) -> None:
        """Read a plain line."""
        self._take(line, {}, self._reader.line)

    def _item(self, value: Any) -> None:
        if isinstance(value, str):
            self._take(value, {}, self._reader.named)
            return
        fields = value if isinstance(value, dict) else {}
        path = next((fields[key] for key in _PATH_KEYS if isinstance(fields.get(key), str)), None)
        if path is None:
            self._leave_out("", Named("", "no path"))
            return
        repo = fields.get("repo")
        terms = fields.get("terms", fields.get("matched_terms"))
        kept: dict[str, Any] = {"terms": terms} if _is_texts(terms) else {}
        if isinstance(relevance := fields.get("relevance"), int | float):
            kept["relevance"] = relevance
        home = repo if isinstance(repo, str) else None
        self._take(path, kept, lambda text: self._reader.named(text, home))

    def _take(self, text: str, item: dict[str, Any], read: Callable[[str], Named]) -> None:
        self.entries += 1
        if self.entries > MOST_ENTRIES:
            return
        named = read(text)
        if named.reason is None:
            self._add(named.file, item)
            return
        if named.file and named.reason == "not in the tree":
            self.made_up.setdefault(named.file, len(self.files) + len(self.made_up))
        self._leave_out(text, named)

    def _add(self, file: str, item: dict[str, Any]) -> None:
        before = self.files.setdefault(file, {})
        terms = [*before.get("terms", []), *item.get("terms", [])]
        for name, value in item.items():
            before.setdefault(name, value)
        if terms:
            before["terms"] = list(dict.fromkeys(terms))

    def _leave_out(self, text: str, named: Named) -> None:
        reason = named.reason or "no path"
        self.counts[reason] += 1
        if reason == "no path" or sum(left.reason == reason for left in self.left_out) >= _SHOWN_LINES:
            return
        left = LeftOut(named.file or text[:_SHOWN_CHARACTERS], reason)
        if left not in self.left_out and not _is_secret(text):
            self.left_out.append(left)

    def complaint(self, documents: Sequence[Any]) -> str:
        """Why there is no file."""
        if len(documents) == 1 and isinstance(documents[0], dict) and not self.left_out:
            names = [name for name in documents[0] if name.isidentifier()]
            return f"this is JSON without {FILES!r}: {{{', '.join(names[:5])}}}"
        why = left_out_sentence(self.left_out, self.counts, self._reader.names)
        return f"none of {sum(self.counts.values())} lines or items names a file of the repositories: {why}"

    def placed(self, further: dict[str, Any]) -> dict[str, Any]:
        """The same further fields, with paths as ``repo/path`` where these are files."""
        placed = dict(further)
        terms = placed.get("terms_by_file")
        if isinstance(terms, dict):
            placed["terms_by_file"] = {self._repo_path(file): value for file, value in terms.items()}
        snippets = placed.get("snippets")
        if isinstance(snippets, list):
            shown = [self._snippet(snippet) for snippet in snippets]
            placed["snippets"] = [snippet for snippet in shown if snippet is not None]
            self.withheld = len(snippets) - len(placed["snippets"])
        return placed

    def _repo_path(self, text: str) -> str:
        named = self._reader.named(text)
        return named.file if named.reason is None else text

    def _snippet(self, value: object) -> object:
        """A snippet with its path as ``repo/path``; None for one that nobody may be shown."""
        if not isinstance(value, dict):
            return value
        content = value.get("content")
        if isinstance(content, str) and _is_secret(content):
            return None
        name = next((name for name in _PATH_KEYS if isinstance(value.get(name), str)), None)
        if name is None:
            return value
        repo = value.get("repo")
        named = self._reader.named(value[name], repo if isinstance(repo, str) else None)
        if named.reason == "secret":
            return None
        return value if named.reason else {**value, name: named.file}


def _without_halves(value: Any) -> Any:
    """A value as JSON has it without halves of surrogates, which no file can hold."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [_without_halves(item) for item in value]
    if isinstance(value, dict):
        return {_without_halves(name): _without_halves(item) for name, item in value.items()}
    return value


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_secret(text: str) -> bool:
    return secret_by_content(text.encode("utf-8", "replace")) is not None
