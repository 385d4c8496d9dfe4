"""What a search system printed or returned, in whatever form, as files of the repositories.

A form is recognised by what names files, not by the tool that wrote it: lines, JSON, JSON Lines, or records
that end in NUL. What names no file is left out with the reason, and the rest counts.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from tellapart.codesearch.case import Failed, LeftOut, Reason
from tellapart.codesearch.reading.forms import ResultForm
from tellapart.codesearch.reading.paths import (
    Named,
    PathReader,
    left_out_sentence,
    names_path_alone,
    shown_path,
)
from tellapart.codesearch.secret_files import secret_by_content, secret_by_name
from tellapart.errors import quoted
from tellapart.files import Fault, JsonError, parse_json

if TYPE_CHECKING:
    from tellapart.codesearch.base_trees import Tree

FILES = "files_found"
"""The field of the documented form that lists the files."""

_PATH_KEYS = (
    *("path", "filepath", "file", "filename", "relativepath", "relpath", "fullpath", "abspath"),
    *("absolutepath", "uri", "fileuri", "source", "sourcefile", "documentpath"),
)
# These may hold anything, and count only if they are files.
_WEAK_KEYS = ("id", "key", "name", "url", "htmlurl", "href", "title", "document", "docid", "location")
_LISTS = (
    *("filesfound", "files", "filenames", "paths", "filepaths", "relevantfiles", "results", "searchresults"),
    *("matches", "hits", "items", "documents", "data", "output", "answer"),
)
_TEXTS = (*_LISTS, "text", "content", "stdout", "result")
_REPOSITORY_KEYS = ("repo", "repository")
_ESCAPES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[()][A-Z0-9]|\x0f")
_LINES = re.compile(r"\r{0,8}\n|\r")
_OPENING = re.compile(r"[ \t]*([{\[])")
_BETWEEN = re.compile(r"[ \t,;]*")
_BELOW_HEADING = re.compile(r"\s*\d+[:-]")
_BEHIND_PATH = re.compile(r"[:=]|-\d+-")
_BINARY = re.compile(r"(?:Binary file (.+) matches\.?|\w*grep: (.+): binary file matches)")
_PLAIN_WORD = re.compile(r"[^\W\d_]{1,20}[.,:;!?]*")
_OUTLINE = re.compile(r"\{[\w, ]*\}|\(\w+\)")
_TELLS_SECRET = re.compile(r"passw|token|secret|credential|api.?key|bearer", re.IGNORECASE)
_SHOWN_WORDS = 8
_NO_HITS = re.compile(r"(.+):0")
_SHOWN_CHARACTERS = 200
_SHOWN_LINES = 20
_SHOWN_MESSAGES = 3


@dataclass(frozen=True)
class Answer:
    """What a system returned for one issue.

    Attributes:
        result: The documented ``search_results``: ``files_found`` holds ``repo/path``, or objects with
            ``path``, each file once and in the system's order.
        left_out: What names no file, each line once; of many the first.
        counts: How many lines were left out, by reason.
        made_up: Of these, paths in an approved repository at which there is nothing, as ``repo/path``, each
            with its place in the list of both, from 0.
        failure: Why there is no result: something was returned and none of it names a file, nothing was, or
            JSON breaks off. None for a result, in which there may be no file.
        withheld: How many snippets were left out since they are of a file that nobody is shown, or hold a
            key or a token.
    """

    result: dict[str, Any]
    left_out: tuple[LeftOut, ...] = ()
    counts: Mapping[Reason, int] = field(default_factory=dict)
    made_up: Mapping[str, int] = field(default_factory=dict)
    failure: Failed | None = None
    withheld: int = 0


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
        if not output.strip("\0 \t\r\n"):
            return _failed("nothing was printed")
        documents, lines, fault = _parts(_ESCAPES.sub("", output))
        if fault is not None:
            return _failed(f"what was printed cannot be read: {fault}")
    else:
        documents, lines = [output], []
    documents = [_without_halves(document) for document in documents]
    fields = _fields(documents)
    if not isinstance(fields.get(FILES, []), list | str | dict):
        return _failed(f"{FILES!r} is {quoted(fields[FILES])}, expected a list")
    further = {name: value for name, value in fields.items() if name != FILES}
    for document in [fields[FILES]] if FILES in fields else documents:
        reading.document(document)
    reading.lines(lines)
    failed = not reading.files and not reading.empty
    items = [{"path": file, **item} if item else file for file, item in reading.files.items()]
    result = {} if failed else {FILES: items, **reading.placed(further)}
    return Answer(
        result,
        tuple(reading.shown()),
        dict(reading.counts),
        reading.made_up,
        Failed("parse", "output", reading.complaint(documents)) if failed else None,
        reading.withheld,
    )


def _failed(detail: str) -> Answer:
    return Answer({}, failure=Failed("parse", "output", detail))


def says_no_match(output: bytes) -> bool:
    """Whether all that a program printed is that nothing matched: nothing, ``path:0`` lines, or a summary."""
    documents, lines, _ = _parts(_ESCAPES.sub("", output.decode("utf-8", "replace")))
    return all(map(_is_summary, documents)) and all(
        _NO_HITS.fullmatch(line.strip()) or not line.strip("\0 \t") for line in lines
    )


def _is_summary(document: object) -> bool:
    return isinstance(document, dict) and document.get("type") == "summary"


def _parts(text: str) -> tuple[list[Any], list[str], str | None]:
    """JSON documents and all other lines of a text; and why JSON that breaks off cannot be read."""
    documents: list[Any] = []
    lines: list[str] = []
    decoder = json.JSONDecoder(parse_constant=lambda _: None)
    at, wasted, fault = 0, 0, None
    stop = following = -1
    last = len(text.rstrip())
    if "\0" in text and "\n" not in text.strip("\0\r\n"):
        return [], text.split("\0"), None
    while at < len(text):
        if at >= following:
            end = _LINES.search(text, at)
            stop = end.start() if end else len(text)
            following = end.end() if end else len(text)
        opening = _OPENING.match(text, at)
        # What cannot be read as JSON is not read again and again from each of its lines.
        if opening and wasted <= 2 * len(text):
            try:
                value, close = decoder.raw_decode(text, opening.start(1))
            except (ValueError, RecursionError) as error:
                stuck = getattr(error, "pos", len(text))
                wasted += stuck - at
                # JSON that breaks off is stuck in the last line.
                if fault is None and not documents and text.find("\n", stuck, last) < 0:
                    fault = _break(text[opening.start(1) :])
            else:
                after = close + len(_BETWEEN.match(text, close)[0])  # type: ignore[index]
                if isinstance(value, dict | list) and (after == len(text) or text[after] in "{[\r\n"):
                    documents.append(value)
                    at = after
                    if ended := _LINES.match(text, after):
                        at = ended.end()
                    continue
        lines.append(text[at:stop])
        at = following
    return documents, lines, None if documents else fault


def _break(text: str) -> str | None:
    """Why JSON breaks off; None for what is no JSON, or all there."""
    try:
        parse_json(text, "line")
    except JsonError as error:
        return error.what if error.fault is Fault.CUT_OFF else None
    except RecursionError:
        return "its JSON is nested too deeply"
    return None


def _fields(documents: Sequence[Any]) -> dict[str, Any]:
    """The fields of the documented form: all of them if it lists its files as documented."""
    if len(documents) != 1 or not isinstance(documents[0], dict):
        return {}
    fields = documents[0].get("search_results", documents[0])
    if not isinstance(fields, dict):
        return {}
    if FILES in fields:
        return fields
    return {name: value for name, value in fields.items() if name in ResultForm.model_fields}


def _key(name: str) -> str:
    return name.replace("_", "").replace("-", "").casefold()


def _text(value: object) -> str | None:
    """A text, also as ripgrep writes one, which may be no UTF-8."""
    if isinstance(value, dict) and set(value) == {"text"}:
        value = value["text"]
    elif isinstance(value, dict) and set(value) == {"bytes"} and isinstance(value["bytes"], str):
        try:
            return base64.b64decode(value["bytes"]).decode("utf-8", "replace")
        except (binascii.Error, ValueError):
            return None
    return value if isinstance(value, str) and value.strip() else None


class _Reading:
    """What was read so far."""

    def __init__(self, reader: PathReader) -> None:
        self._reader = reader
        self._listed: set[tuple[str, Reason]] = set()
        self.files: dict[str, dict[str, Any]] = {}
        self.left_out: list[LeftOut] = []
        self.counts: Counter[Reason] = Counter()
        self.made_up: dict[str, int] = {}
        self.empty = False
        self.withheld = 0
        self._in_content = 0

    def document(self, value: Any) -> None:
        """Read a JSON value."""
        if _is_summary(value):
            self.empty = True
        elif isinstance(value, list):
            self._list(value)
        elif isinstance(value, str):
            self.lines(_LINES.split(value))
        elif isinstance(value, dict):
            before, self.empty = self.empty, False
            if not self._object(value) and not self.empty and value:
                self._leave_out(_outline(value), Named("", "no path"))
            self.empty = self.empty or before

    def lines(self, lines: Sequence[str]) -> None:
        """Read plain lines.

        A file inside a sentence counts only if no line is better than that: a message such as "indexing a.py"
        beside a list of files is no answer.
        """
        sentences: list[tuple[str, Named]] = []
        below_file = below_secret = False
        for line in _records(lines):
            text = line.strip()
            if not text or text == "--":
                continue
            if self._says_no_hits(text):
                self.empty = True
                continue
            named = self._take(text)
            if named.reason in (None, "secret"):
                below_file = True
                # What stands below is its content.
                below_secret = named.reason is not None and not _BEHIND_PATH.search(text)
            elif below_file and _BELOW_HEADING.match(line):
                continue
            elif below_secret and ("=" in text or not names_path_alone(text)):
                self._leave_out("", Named("", "no path"))
            else:
                self._make_up(named, text)
                sentences.append((text, named))
                below_file = False
        take = not self.files and not self.empty
        for text, named in sentences:
            files = self._reader.in_sentence(text) if take else []
            for file in files:
                self._add(file, {})
            if not files:
                self._leave_out(text, named)

    def _says_no_hits(self, line: str) -> bool:
        none = _NO_HITS.fullmatch(line)
        return none is not None and self._reader.named(none[1]).reason is None

    def _take(self, line: str) -> Named:
        """Add the files that a line names; leave out one that is withheld."""
        named = self._named_in(line)
        if named.reason is None:
            for file in self._reader.several(line) or [named.file]:
                self._add(file, {})
        elif named.reason == "secret":
            self._leave_out(line, named)
        return named

    def complaint(self, documents: Sequence[Any]) -> str:
        """Why there is no file."""
        if not self.left_out:
            if documents:
                return f"this is JSON without {FILES!r}: {_outline(documents[0])}"
            return "nothing was printed that names a file"
        return f"none of {sum(self.counts.values())} lines or items names a file of the repositories: " + (
            left_out_sentence(self.left_out, self.counts, self._reader.names)
        )

    def placed(self, further: dict[str, Any]) -> dict[str, Any]:
        """The same further fields, with paths as ``repo/path`` where these are files."""
        placed = dict(further)
        functions = placed.get("functions_found")
        if isinstance(functions, list):
            placed["functions_found"] = [self._function(one) for one in functions]
        terms = placed.get("terms_by_file")
        if isinstance(terms, dict):
            placed["terms_by_file"] = {self._repo_path(file): value for file, value in terms.items()}
        snippets = placed.get("snippets")
        if isinstance(snippets, list):
            shown = (self._snippet(one) for one in snippets)
            placed["snippets"] = [snippet for snippet in shown if not _holds_secret(snippet)]
            self.withheld = len(snippets) - len(placed["snippets"])
        return placed

    def _list(self, values: Sequence[Any], *, sure: bool = True) -> int:
        """Read the items of a list; how many name something."""
        if not values:
            self.empty = self.empty or sure
            return 0
        if any(isinstance(one, int | float) for one in values) and any(
            isinstance(one, str) for one in values
        ):
            # A pair of a path and a score.
            return self._item([one for one in values if isinstance(one, str)], None, {}, sure=sure)
        count = 0
        for one in values:
            if isinstance(one, str):
                count += self._item([one], None, {}, sure=sure)
            elif isinstance(one, list):
                count += self._list(one, sure=sure)
            elif isinstance(one, dict):
                read = self._object(one)
                count += read
                if sure and not read:
                    self._leave_out(_outline(one), Named("", "no path"))
            elif sure:
                self._leave_out(_outline(one), Named("", "no path"))
        return count

    def _object(self, value: dict[str, Any]) -> int:
        """Read an object: by the field that holds its path, else by what lies in it; how many items."""
        by_key = {_key(name): name for name in reversed(value)}
        paths = [text for key in _PATH_KEYS if (text := _text(value.get(by_key.get(key, ""))))]
        repo = next((_text(value[by_key[key]]) for key in _REPOSITORY_KEYS if key in by_key), None)
        terms = value.get("terms", value.get("matched_terms"))
        kept = {"terms": terms} if _is_texts(terms) else {}
        if isinstance(relevance := value.get("relevance"), int | float):
            kept["relevance"] = relevance
        if paths and self._item(_joined(value, by_key, paths), repo, kept, sure=False):
            return 1
        places = [self._reader.named(path, repo) for path in paths]
        secret = next((one for one in places if one.reason == "secret"), None)
        if secret:
            self._leave_out("", secret)
            return 1
        results = {name: inner for name, inner in value.items() if _is_result_list(name, inner)}
        before = len(self.files)
        below = sum(self._list(inner) for inner in results.values())
        if len(self.files) > before or (results and not any(results.values())):
            # What stands beside results, such as what was excluded, is none.
            return below
        # Beside a path stands what is in it.
        is_content = any(one.reason != "no path" for one in places)
        self._in_content += is_content
        for name, inner in value.items():
            if isinstance(inner, list) and name not in results:
                below += self._list(inner, sure=_key(name) in _LISTS and not self._in_content)
            elif isinstance(inner, dict):
                below += self._object(inner)
        self._in_content -= is_content
        if below or (paths and self._item(paths, repo, kept, sure=True)):
            return below or 1
        return 0 if self._in_content else self._unlikely(value, by_key, repo, kept)

    def _unlikely(
        self, value: dict[str, Any], by_key: Mapping[str, str], repo: str | None, kept: dict[str, Any]
    ) -> int:
        """Look for files where there may be anything: fields such as ``name``, texts, the names of fields."""
        weak = [text for key in _WEAK_KEYS if (text := _text(value.get(by_key.get(key, ""))))]
        if weak and self._item(weak, repo, kept, sure=False):
            return 1
        before = len(self.files)
        for name, inner in value.items():
            if isinstance(inner, str) and _key(name) in _TEXTS:
                self.lines(_LINES.split(inner))
        if len(self.files) > before:
            return len(self.files) - before
        return sum(self._item([name], None, {}, sure=False) for name in value if not _is_word(name))

    def _item(self, texts: Sequence[str], repo: str | None, kept: dict[str, Any], *, sure: bool) -> int:
        """Take the first text that is a file; where none is and it surely is a path, leave the first out."""
        named = [self._reader.named(text, repo) for text in texts]
        for one in named:
            if one.reason is None:
                self._add(one.file, kept)
                return 1
        if sure:
            self._make_up(named[0])
            self._leave_out(texts[0], named[0])
        return int(sure)

    def _add(self, file: str, item: dict[str, Any]) -> None:
        before = self.files.setdefault(file, {})
        terms = [*before.get("terms", []), *item.get("terms", [])]
        for name, value in item.items():
            before.setdefault(name, value)
        if terms:
            before["terms"] = list(dict.fromkeys(terms))

    def _named_in(self, line: str) -> Named:
        binary = _BINARY.fullmatch(line)
        return self._reader.named(next(filter(None, binary.groups())) if binary else line)

    def _make_up(self, named: Named, line: str | None = None) -> None:
        """Keep a path at which there is nothing; of a line only if it is a path alone."""
        if not named.file or named.reason != "not in the tree":
            return
        if line is None or names_path_alone(line):
            self.made_up.setdefault(named.file, len(self.files) + len(self.made_up))

    def _leave_out(self, text: str, named: Named) -> None:
        reason = named.reason or "no path"
        # The rest of a line may be a secret's content.
        if reason == "secret":
            line = named.file
        elif reason == "no path":
            line = shown_message(text)
        else:
            line = shown_path(text)[:_SHOWN_CHARACTERS] or named.file
        line = line or "(not shown)"
        self.counts[reason] += 1
        most = _SHOWN_MESSAGES if reason == "no path" else _SHOWN_LINES
        if (line, reason) not in self._listed and sum(one.reason == reason for one in self.left_out) < most:
            self._listed.add((line, reason))
            shown = "(a line with a secret)" if reason != "secret" and _is_secret(text) else line
            self.left_out.append(LeftOut(shown, reason))

    def shown(self) -> list[LeftOut]:
        """What was left out; beside a secret no message, which may be its content."""
        if not self.counts["secret"]:
            return self.left_out
        return [
            LeftOut("(not shown)", "no path") if one.reason == "no path" else one for one in self.left_out
        ]

    def _repo_path(self, text: str) -> str:
        named = self._reader.named(text)
        return named.file if named.reason is None else text

    def _function(self, value: object) -> object:
        path, colon, name = value.rpartition(":") if isinstance(value, str) else ("", "", "")
        return f"{self._repo_path(path)}:{name}" if colon else value

    def _snippet(self, value: object) -> object:
        if not isinstance(value, dict):
            return value
        name = next(
            (name for name in ("file_path", "path", "file") if isinstance(value.get(name), str)), None
        )
        if name is None:
            return value
        repo = value.get("repo")
        named = self._reader.named(value[name], repo if isinstance(repo, str) else None)
        if named.reason == "secret":
            return None
        return value if named.reason else {**value, name: named.file}


def _joined(value: Mapping[str, Any], by_key: Mapping[str, str], paths: Sequence[str]) -> list[str]:
    """Paths of an object, and a directory with its file name where it has them apart."""
    folder = next(
        (
            text
            for key in ("path", "dir", "directory", "folder")
            if (text := _text(value.get(by_key.get(key, ""))))
        ),
        None,
    )
    name = next(
        (text for key in ("filename", "file") if (text := _text(value.get(by_key.get(key, ""))))), None
    )
    both = [f"{folder.rstrip('/')}/{name}"] if folder and name and "/" not in name else []
    return [*both, *paths]


def _records(lines: Sequence[str]) -> Iterator[str]:
    """Lines without what follows a path and NUL; of a line with several NUL all that they end."""
    for line in lines:
        pieces = line.split("\0")
        yield from pieces if len(pieces) > 2 else pieces[:1]


def _without_halves(value: Any) -> Any:
    """A value as JSON has it without halves of surrogates, which no file can hold."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [_without_halves(one) for one in value]
    if isinstance(value, dict):
        return {_without_halves(name): _without_halves(one) for name, one in value.items()}
    return value


def _is_result_list(name: str, value: object) -> bool:
    return isinstance(value, list) and _key(name) in _LISTS


def _outline(value: object) -> str:
    """The names of an object's fields, without what they hold."""
    if not isinstance(value, dict):
        return f"({type(value).__name__})"
    return "{" + ", ".join(f"{name}" for name in list(value)[:5] if _is_word(name)) + "}"


def shown_message(text: str) -> str:
    """The first plain words of a message, or the outline of an object; empty if it may tell a secret.

    A message ends before its first word with a digit or a sign inside, since that may be a key, and is not
    shown if it names a file of secrets, or speaks of passwords or tokens.
    """
    if _OUTLINE.fullmatch(text):
        return text
    if not re.search(r"\w", text):
        return text.strip()[:_SHOWN_CHARACTERS]
    words = text.split()
    if _TELLS_SECRET.search(text) or any(
        secret_by_name(part) for word in words for part in re.split(r"[/:=,;'\"()]+", word) if part
    ):
        return ""
    plain = list(takewhile(_PLAIN_WORD.fullmatch, words[:_SHOWN_WORDS]))
    return " ".join([*plain, "…"] if plain and len(plain) < len(words) else plain)


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _holds_secret(snippet: object) -> bool:
    """Whether a snippet is of a file that is withheld, or holds what such files are withheld for."""
    if isinstance(snippet, dict):
        content = snippet.get("content")
        return isinstance(content, str) and _is_secret(content)
    return snippet is None


def _is_secret(text: str) -> bool:
    return secret_by_content(text.encode("utf-8", "replace")) is not None


def _is_word(name: str) -> bool:
    return name.isidentifier() or not name.strip()
