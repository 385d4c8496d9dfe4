"""Gold files as benchmarks and pipelines write them: one reader for each form, chosen by what a row has.

SWE-bench and those made like it (Verified, Lite, Multilingual), Loc-Bench, ContextBench, TREC qrels, our own
conversations, and plain JSON. A file may be JSON, JSON Lines, CSV, TSV or Parquet.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from tellapart.codesearch.gold.patches import PatchFiles, files_of_patch
from tellapart.codesearch.model import touched_lines
from tellapart.codesearch.paths import without_container
from tellapart.core.trec_measures import decoded
from tellapart.errors import InputError, quoted
from tellapart.files import JsonError, parse_json
from tellapart.files.tables import kind_of, read_table

Row: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class GoldRow:
    """What a file says of one issue; None, or nothing, where it does not say it."""

    id: str
    changed: PatchFiles
    summary: str = ""
    repository: str | None = None
    commit: str | None = None
    area: str | None = None
    from_top: bool = False


@dataclass(frozen=True)
class GoldForm:
    """A file of gold."""

    name: str
    rows: tuple[GoldRow, ...]
    unusable: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class _Form:
    name: str
    has: tuple[str, ...]
    files: Callable[[Row], PatchFiles]


_IDS = ("conversation_id", "instance_id", "inst_id", "query_id", "query-id", "_id", "id", "qid")
_TEXTS = ("issue_summary", "problem_statement", "text", "query")
_FILES = ("touched_files", "gold_files", "files", "gold", "relevant_files", "qrels")
_CONTEXTS = ("gold_context", "init_ctx", "add_ctx")


def read_gold(content: bytes, where: str) -> GoldForm:
    """Read gold files; see the module for the forms."""
    rows = _rows(content, where)
    if not rows:
        raise InputError("there is no gold in this file", where=where)
    form = next((form for form in FORMS for row in rows if _has(row, form)), None)
    if form is None:
        raise InputError(
            f"no gold files are recognised in this: {quoted(rows[0])}",
            where=where,
            next_step=f"Its fields are none of those of {_known_forms()}; the plainest form is "
            '{"id of the conversation": ["repo/path", …]}',
        )
    return _each(form, rows, where)


def is_benchmark(content: bytes, where: str) -> bool:
    """Whether a file is no list of conversations of ours, but one of issues of a benchmark."""
    try:
        rows = _rows(content, where)
    except InputError:
        return False
    return bool(rows) and any(_has(rows[0], form) for form in FORMS if form.name != CONVERSATIONS)


def _has(row: Any, form: _Form) -> bool:
    return isinstance(row, Mapping) and all(name in row for name in form.has)


def _swebench(row: Row) -> PatchFiles:
    patch = row["patch"]
    if not isinstance(patch, str):
        raise InputError(f"its 'patch' is {quoted(patch)}, expected a text")
    files = files_of_patch(patch)
    if not (files.changed or files.added):
        raise InputError("its 'patch' touches no file, expected a unified diff")
    return files


def _locbench(row: Row) -> PatchFiles:
    files = [_file_of_function(item) for item in _list(row, "edit_functions")]
    if files:
        return PatchFiles(dict.fromkeys(files, ()))
    if row.get("patch"):
        return _swebench(row)
    raise InputError("its 'edit_functions' names no function, and it has no 'patch'")


def _contextbench(row: Row) -> PatchFiles:
    contexts = [context for key in _CONTEXTS for context in _list(row, key)]
    files = [_first(context, ("file", "file_path", "path")) for context in contexts]
    if not files or not all(isinstance(file, str) and file for file in files):
        key = next(key for key in _CONTEXTS if key in row)
        raise InputError(f"its {key!r} is {quoted(row[key])}, expected objects of which each has a 'file'")
    inside = (without_container(file.replace("\\", "/")) for file in files)
    return PatchFiles({file.removeprefix("./").removeprefix("/"): () for file in inside})


def _listed(row: Row) -> PatchFiles:
    key = next(name for name in _FILES if name in row)
    files = [_path_of(item) for item in _list(row, key)]
    lines = touched_lines(row.get("touched_lines"))
    return PatchFiles({file: lines.get(file, ()) for file in files})


CONVERSATIONS = "conversations"

FORMS: tuple[_Form, ...] = (
    _Form("Loc-Bench", ("instance_id", "edit_functions"), _locbench),
    *(_Form("ContextBench", (key,), _contextbench) for key in _CONTEXTS),
    _Form("SWE-bench", ("instance_id", "patch"), _swebench),
    _Form("TREC qrels", ("qrels",), _listed),
    *(_Form(CONVERSATIONS, (name,), _listed) for name in _FILES),
)
"""By the fields that tell it from the others; the first that fits is taken."""


def _known_forms() -> str:
    fields = {form.name: form.has for form in reversed(FORMS) if form.name != CONVERSATIONS}
    return ", ".join(f"{name} ({', '.join(fields[name])})" for name in sorted(fields))


def _each(form: _Form, rows: Sequence[Any], where: str) -> GoldForm:
    read: dict[str, GoldRow] = {}
    unusable: list[tuple[str, str]] = []
    for number, row in enumerate(rows, 1):
        id_ = f"#{number}"
        try:
            if not isinstance(row, Mapping):
                raise InputError(f"it is {quoted(row)}, expected an object")
            id_ = str(_first(row, _IDS) or id_)
            lacks = [key for key in form.has if row.get(key) is None]
            if lacks:
                raise InputError(f"it has no {lacks[0]!r}")
            gold_row = _issue(row, form.files(row))
            if gold_row.id in read:
                raise InputError("an earlier one has the same id")
            read[gold_row.id] = gold_row
        except InputError as error:
            unusable.append((id_, error.what))
    if not read:
        raise InputError(
            f"none of {len(rows)} gold entries can be used; {unusable[0][0]!r}: {unusable[0][1]}", where=where
        )
    return GoldForm(form.name, tuple(read.values()), tuple(unusable))


def _issue(row: Row, changed: PatchFiles) -> GoldRow:
    id_ = _first(row, _IDS)
    if id_ is None or isinstance(id_, bool) or not str(id_).strip():
        raise InputError(f"it has no id, which is one of {', '.join(_IDS)}")
    repository, commit, area = (
        str(value) if (value := _first(row, names)) else None
        for names in (("repo", "repository", "repo_url"), ("base_commit", "commit"), ("product_area",))
    )
    from_top = repository is not None and not any(name in row for name in _FILES)
    return GoldRow(str(id_), changed, str(_first(row, _TEXTS) or ""), repository, commit, area, from_top)


def _rows(content: bytes, where: str) -> list[Any]:
    """The rows of a file."""
    if content[:4] == b"PAR1":
        return _table(where)
    text = content.decode("utf-8-sig", "replace").strip()
    if not text:
        raise InputError("this file is empty", where=where)
    if text[0] not in "{[":
        fields = text.partition("\n")[0].split()
        is_qrels = len(fields) == 4 and re.fullmatch(r"-?\d+", fields[3]) is not None
        return _qrels(text, where) if is_qrels else _table(where)
    try:
        data = parse_json(text, where, finite=True)
    except JsonError:
        lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
        return [parse_json(line, f"{where}:{number}", finite=True) for number, line in lines]
    if isinstance(data, list):
        return data
    if isinstance(data.get("conversations"), list):
        return list(data["conversations"])
    is_row = any(_has(data, form) for form in FORMS)
    if data and not is_row and all(isinstance(value, list) for value in data.values()):
        return [{"id": id_, "files": files} for id_, files in data.items()]
    return [data]


def _table(where: str) -> list[Any]:
    """The rows of a table, which is read where it lies."""
    path = Path(where)
    kind = kind_of(path) if path.is_file() else None
    if kind is None:
        raise InputError(
            "this is no JSON, no TREC qrels, and no table",
            where=where,
            next_step="Name a file of one of these",
        )
    return read_table(path, kind).to_dicts()


def _qrels(text: str, where: str) -> list[Any]:
    """The documents that are relevant to each query."""
    files: dict[str, list[str]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        try:
            query, _, document, grade = line.split()
            relevant = files.setdefault(decoded(query), [])
            if float(grade) > 0:
                relevant.append(decoded(document))
        except ValueError:
            if line.strip():
                raise InputError(
                    f"expected 'query 0 document grade', got {line[:60]!r}", where=f"{where}:{number}"
                ) from None
    if not any(files.values()):
        raise InputError("no judgement calls a file relevant", where=where)
    return [{"id": query, "qrels": of_query} for query, of_query in files.items()]


def _file_of_function(item: Any) -> str:
    file, colon, name = str(item).rpartition(":")
    if not colon or not file or not name:
        raise InputError(f"the function is {item!r}, expected 'path:Class.method'")
    return file


def _path_of(item: Any) -> str:
    path = _first(item, ("path", "file_path", "file")) if isinstance(item, Mapping) else item
    if not isinstance(path, str):
        raise InputError(f"the gold file is {quoted(item)}, expected a path")
    repository = item.get("repo") if isinstance(item, Mapping) else None
    return f"{repository}/{path}" if repository and not path.startswith(f"{repository}/") else path


def _list(row: Row, key: str) -> list[Any]:
    """A list, which tables hold as a text of JSON or, as pandas writes it, of Python."""
    value = row.get(key)
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            try:
                value = ast.literal_eval(value)
            except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
                raise InputError(f"its {key!r} is {value[:60]!r}, expected a list") from None
    if value is None:
        return []
    if not isinstance(value, list | tuple):
        raise InputError(f"its {key!r} is {quoted(value)}, expected a list")
    return list(value)


def _first(row: Any, names: Iterable[str]) -> Any:
    if not isinstance(row, Mapping):
        return None
    return next((row[name] for name in names if row.get(name) is not None), None)
