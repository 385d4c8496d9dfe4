"""How the paths, verdicts and snippets of one conversation are read from a file."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import TypeAdapter, ValidationError

from tellapart.codesearch.model import Snippet
from tellapart.codesearch.paths import PathReader, claimed_paths
from tellapart.codesearch.secret_files import secret_by_content, without_secret_texts
from tellapart.errors import InputError, quoted
from tellapart.files import first_fault

_PATH_KEYS = ("path", "file_path", "file")


@dataclass
class Reading:
    """How the paths of one conversation are read, and what people should know of them.

    The model asks it for every search and every case that it reads from a file.
    """

    reader: PathReader
    made_up: Sequence[Mapping[str, Any]] = ()
    notes: list[str] = field(default_factory=list)

    def search_result(self, data: dict[str, Any]) -> dict[str, Any]:
        """Read the files, snippets and terms of ``search_results``."""
        items = data.get("files_found")
        if not isinstance(items, list):
            return data
        items = list(items)
        for entry in sorted(self.made_up, key=lambda entry: int(entry["place"])):
            # It counts as returned, in the place in which the system had it.
            items.insert(entry["place"], entry["path"])
        files, by_item = self._files(items)
        terms = self._terms(zip(by_item, items, strict=True), data.get("terms_by_file") or {}, files)
        return {
            **data,
            "files_found": files,
            "search_terms_used": self._texts(data.get("search_terms_used")),
            "snippets": self._snippets(data.get("snippets")),
            "terms_by_file": terms,
        }

    def case(self, data: dict[str, Any]) -> dict[str, Any]:
        """Read the files, runs and verdicts of an evaluated conversation."""
        data = dict(data)
        for name in ("our_files", "our_unique_judgments"):
            if not isinstance(data.get(name), list):
                raise InputError(f"{name!r} is {quoted(data.get(name))}, expected a list")
        data["our_files"] = self._files(data["our_files"], "our files: ")[0]
        for name, words in (("run_a", "run A"), ("run_b", "run B"), ("retest_a", ""), ("retest_b", "")):
            data[name] = self._run(data.get(name), words)
        data["our_unique_judgments"] = self._judgements(data["our_unique_judgments"])
        data["search_terms_used"] = self._texts(data.get("search_terms_used"))
        data["snippets"] = self._snippets(data.get("snippets"))
        return data

    def _files(self, items: Sequence[Any], prefix: str = "") -> tuple[list[str], Sequence[str | None]]:
        paths = claimed_paths(map(_repo_and_path, items), self.reader)
        self.notes += [f"{prefix}{note}" for note in paths.notes]
        return list(paths.files), paths.by_item

    def _run(self, run: Any, words: str) -> Any:
        if not isinstance(run, dict) or not isinstance(run.get("files_found"), list):
            return run
        files, _ = self._files(run["files_found"], f"{words}: " if words else "")
        if words and files and run.get("error") and run.get("error_cause") is None:
            message = str(run["error"])[:60]
            self.notes.append(f"{words} failed, {message!r}, and has {len(files)} file(s), which are kept")
        return {**run, "files_found": files}

    def _judgements(self, judgements: list[Any]) -> list[Any]:
        kept: dict[str, Any] = {}
        refused, again = [], []
        for judgement in judgements:
            _, path = _repo_and_path(judgement)
            named = self.reader.named(path)
            if not named.claimed:
                refused.append(path)
            elif named.file in kept:
                again.append(named.file)
            else:
                kept[named.file] = {**judgement, "file": named.file}
        if refused:
            self.notes.append(
                f"left out {len(refused)} of {len(judgements)} verdicts, the first on {refused[0]!r}"
            )
        if again:
            self.notes.append(
                f"{len(again)} verdict(s) on files that have one already are left out, {again[0]!r}"
            )
        return list(kept.values())

    def _terms(
        self, by_item: Iterable[tuple[str | None, Any]], by_file: Mapping[str, Any], files: Collection[str]
    ) -> dict[str, list[str]]:
        """The terms that led to a file, as the items say and then as the list beside the files does."""
        given = [
            (file, terms)
            for file, item in by_item
            if file is not None and isinstance(item, dict)
            for terms in [item.get("terms", item.get("matched_terms"))]
            if isinstance(terms, list)
        ]
        strange = []
        for path, terms in by_file.items():
            named = self.reader.named(path)
            if named.claimed and named.file in files:
                given.append((named.file, terms or []))
            else:
                strange.append(path)
        if strange:
            self.notes.append(
                f"left out the terms of {len(strange)} path(s), the first since {strange[0]!r} is "
                "none of its files"
            )
        joined: dict[str, list[str]] = {}
        for file, terms in given:
            joined[file] = list(dict.fromkeys([*joined.get(file, []), *terms]))
        return joined

    def _snippets(self, given: Any) -> list[Snippet]:
        usable, faults = [], []
        for record in given if isinstance(given, list) else []:
            repo, path = _repo_and_path(record)
            named = self.reader.named(path, repo)
            try:
                snippet = TypeAdapter(Snippet).validate_python({**record, "file_path": named.file or path})
            except (ValidationError, TypeError) as error:
                fault = first_fault(error, Snippet) if isinstance(error, ValidationError) else str(error)
                faults.append(fault)
                continue
            if named.reason == "secret" or secret_by_content(snippet.content.encode("utf-8", "replace")):
                faults.append(f"{path!r} holds a secret, or shows one")
            elif named.claimed:
                usable.append(snippet)
            else:
                faults.append(f"{path!r} is no file: {named.reason}")
        if faults:
            self.notes.append(f"left out {len(faults)} of {len(given)} snippets, the first since {faults[0]}")
        return usable

    def _texts(self, given: Any) -> Any:
        return without_secret_texts(given)[0] if isinstance(given, list) else given


def _repo_and_path(item: Any) -> tuple[str | None, str]:
    """The repository and the path of an entry, which is a path alone or an object."""
    if isinstance(item, str):
        return None, item
    fields = item if isinstance(item, dict) else {}
    path = next((fields[key] for key in _PATH_KEYS if isinstance(fields.get(key), str)), "")
    repo = fields.get("repo")
    return repo if isinstance(repo, str) else None, path
