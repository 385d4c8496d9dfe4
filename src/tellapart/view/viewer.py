"""What the page asks of a folder, as JSON has it: a method for each address."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from tellapart.core.comparison import parse_primary
from tellapart.core.comparison_settings import ComparisonSettings
from tellapart.core.score_grid import ScoreGrid
from tellapart.errors import InputError, UsageError
from tellapart.files.records import check_record
from tellapart.readers.settings import ReadingSettings
from tellapart.view.comparing import MOST_RUNS, compared, planned
from tellapart.view.details import Details
from tellapart.view.folder import Entry
from tellapart.view.history import check_size, history_of
from tellapart.view.items import ItemQuery, about, cell, check_name, find_items
from tellapart.view.labelling import Draw, Label, corrected, draw, keep_label, next_answer, sheet_of, state_of
from tellapart.view.listing import Listing
from tellapart.view.loaded import NO_SETTINGS, Kept, Loaded, files_of, load
from tellapart.view.modes import count_modes
from tellapart.view.notes import LABELS, Note, note_of, of_items, read_notes, unreadable_notes, write_note

_MOST_ITEMS = 10_000


class Viewer:
    """A folder of runs, logs and tables."""

    def __init__(self, root: Path, reading: ReadingSettings = NO_SETTINGS) -> None:
        """Show ``root``, whose files are read with ``reading`` where they need it; nothing is read yet."""
        self._human, self._reading = reading.human, replace(reading, human=None)
        # The scores of 100,000 items and 20 models take some 200 MB.
        self._loaded, self._details = Kept[Loaded](6), Kept[Details](32)
        self._compared = Kept[dict[str, Any]](16)
        self._listing = Listing(root, self._load)

    def runs(self, request: Request) -> Any:
        """``GET /api/runs``."""
        return self._listing.rows()

    def compare(self, request: Request) -> Any:
        """``GET /api/compare``: the runs and models of the address, see `compared`.

        With ``secondary=0`` without the secondary family, which takes long for many models.
        """
        figures = self._comparison(request, secondary=request.query_params.get("secondary") != "0")
        left = filter(None, map(unreadable_notes, self._entries(request)))
        return figures | {"notes": [*figures.get("notes", ()), *left]}

    def plan(self, request: Request) -> Any:
        """``GET /api/plan``: how many items would show a gap between two models."""
        figures = self._comparison(request, secondary=False)
        gap = _number(request, "gap")
        if gap is None:
            raise UsageError("the address does not say which gap", next_step="Add &gap=0.05")
        return planned(figures, _one(request, "a"), _one(request, "b"), gap)

    def items(self, request: Request) -> Any:
        """``GET /api/items``: items on which models differ, see `find_items`, and `about` them."""
        loaded, grid, notes = self._scores(request)
        given = request.query_params
        query = ItemQuery(
            given.get("a") or grid.models[0],
            given.get("b"),
            given.get("outcome", "any"),
            dict(_condition("in", condition) for condition in given.getlist("in")),
            given.get("cause", ""),
            given.get("text", ""),
            given.get("order", "gap"),
            int(_number(request, "offset") or 0),
            min(int(_number(request, "limit") or 100), _MOST_ITEMS),
        )
        page = find_items(loaded, grid, query)
        modes = self._modes(loaded)
        for row in page["items"]:
            row["note"] = _shown(notes.get(row["item"]))
            row["modes"] = _modes_of(row["item"], modes)
        return page | {"about": about(loaded, grid) | {"labels": LABELS}}

    def modes(self, request: Request) -> Any:
        """``GET /api/modes``: how frequent each failure mode is in the answers of a, or of a and b."""
        loaded, grid, _ = self._scores(request)
        a, b = _one(request, "a"), request.query_params.get("b")
        for model in filter(None, (a, b)):
            check_name(model, grid.models, "model")
        return asdict(count_modes(self._modes(loaded), grid, a, b))

    def history(self, request: Request) -> Any:
        """``GET /api/history``: the runs of the same items as one, by model, and where its score fell.

        Only that it is ``busy`` while the folder is still being read.
        """
        (entry,) = self._named([_one(request, "run")])
        rows = self._listing.same_evaluation(entry)
        if rows is None:
            return {"busy": True}
        check_size(len(rows), rows[0]["items"] or 1)
        chosen = list(self._listing.find([row["id"] for row in rows]).values())
        history = history_of(chosen, lambda one: self._load([one]).grid)
        return asdict(history) | {"ids": [one.id for one in chosen]}

    def item(self, request: Request) -> Any:
        """``GET /api/item``: detail item with its texts, answers, calls, and the scores of all models."""
        loaded, _, notes = self._scores(request)
        item = _one(request, "item")
        _check_item(loaded, item)
        index = loaded.place_of[item]
        details = {entry.path: self._details_of(entry) for entry in loaded.entries.values()}
        parts = {path: detail.of(item) for path, detail in details.items()}
        of_entry = dict(zip(loaded.entries, parts.values(), strict=True))
        texts = {(text["name"], text["text"]): text for part in parts.values() for text in part["texts"]}
        models = [
            {
                "model": model,
                **cell(loaded, model, index),
                "answers": _answers(loaded, of_entry, model),
                "prompt": _prompt(loaded, of_entry, model),
            }
            for model in loaded.grid.models
        ]
        # A column of questions or answers is a stratum of each item by itself.
        said = [answers for part in parts.values() for answers in part["answers"].values()]
        shown = {text for _, text in texts} | {one["answer"] for answers in said for one in answers}
        strata = {
            name: stratum.values[stratum.codes[index]]
            for name, stratum in loaded.grid.strata.items()
            if stratum.codes[index] >= 0
        }
        return {
            "item": item,
            "texts": list(texts.values()),
            "models": models,
            "calls": [call | {"run": path} for path, part in parts.items() for call in part["calls"]],
            "problems": [f"{path}: {detail.problem}" for path, detail in details.items() if detail.problem],
            "run": loaded.entry_of(item),
            "strata": {name: value for name, value in strata.items() if value not in shown},
            "note": _shown(notes.get(item)),
            "modes": _modes_of(item, self._modes(loaded)),
        }

    def notes(self, request: Request) -> Any:
        """``GET /api/notes``: by id of a run its notes."""
        return {entry.id: [asdict(note) for note in read_notes(entry)] for entry in self._entries(request)}

    def note(self, body: Any) -> Any:
        """``POST /api/notes``: keep a note on an item of a run, or on a model's answer to it."""
        runs, note = note_of(body)
        entries = self._named(runs)
        loaded = self._load(entries)
        _check_item(loaded, note.item)
        if note.model:
            check_name(note.model, loaded.grid.models, "model")
            id_ = next(id_ for id_, models in loaded.of_entry.items() if note.model in models)
            note = replace(note, model=self._own_name(loaded, id_, note.model))
        else:
            id_ = loaded.entry_of(note.item) or entries[0].id
        write_note(loaded.entries[id_], note)
        return {"kept": True}

    def label(self, request: Request) -> Any:
        """``GET /api/label``: an answer to label, see `next_answer`."""
        chosen = self._entries(request)
        code = request.query_params.get("code")
        return next_answer(sheet_of(chosen, self._human), self._load(chosen), code)

    def keep_label(self, body: Any) -> Any:
        """``POST /api/label``: keep a score, and give the next answer."""
        label = check_record(body, Label, "a label", strict=True)
        chosen = self._named(label.runs)
        return keep_label(sheet_of(chosen, self._human), self._load(chosen), label)

    def sheet(self, body: Any) -> Any:
        """``POST /api/sheet``: draw a sheet of answers to label."""
        wanted = check_record(body, Draw, "a sheet", strict=True)
        chosen = self._named(wanted.runs)
        draw(chosen, self._reading, sheet_of(chosen, self._human), wanted.budget)
        return {"drawn": True}

    def exclusions(self, request: Request) -> Response:
        """``GET /api/exclude``: ids of labelled items one a line, as ``--exclude`` takes them."""
        notes = [note for entry in self._entries(request) for note in read_notes(entry)]
        items = sorted({note.item for note in notes if note.leaves_out})
        return PlainTextResponse("".join(f"{item}\n" for item in items))

    def _load(self, entries: Sequence[Entry]) -> Loaded:
        return self._loaded.get(files_of(entries), partial(load, entries, self._reading))

    def _details_of(self, entry: Entry) -> Details:
        return self._details.get(files_of([entry]), partial(Details, entry, self._reading))

    def _own_name(self, loaded: Loaded, id_: str, model: str) -> str:
        """What a model is called in its own run: beside others the name of its run may stand behind it."""
        own = self._load([loaded.entries[id_]]).grid.models
        return model if model in own else _bare(model)

    def _modes(self, loaded: Loaded) -> list[Note]:
        """Failure modes of all runs, with the names that their models have beside each other."""
        modes = []
        for id_, models in loaded.of_entry.items():
            names = {self._own_name(loaded, id_, model): model for model in models}
            notes = read_notes(loaded.entries[id_])
            modes += [replace(note, model=names[note.model]) for note in notes if note.model in names]
        return modes

    def _entries(self, request: Request) -> list[Entry]:
        return self._named(request.query_params.getlist("run"))

    def _named(self, ids: Sequence[str]) -> list[Entry]:
        if not ids:
            raise UsageError("the address names no run", next_step="Add ?run=ID, of those in /api/runs")
        if len(set(ids)) > MOST_RUNS:
            raise InputError(
                f"{len(set(ids)):,} runs at once, expected at most {MOST_RUNS}",
                next_step="Tick fewer runs, or open the history of one of them",
            )
        there = self._listing.find(ids)
        gone = next((id_ for id_ in ids if id_ not in there), None)
        if gone is not None:
            raise UsageError(f"there is no run {gone!r} in this folder any more")
        chosen = [there[id_] for id_ in dict.fromkeys(ids)]
        growing = next((entry for entry in chosen if entry.is_growing or entry.error), None)
        if growing is not None:
            raise InputError(growing.error or "this run is not complete", where=growing.path)
        return chosen

    def _scores(self, request: Request) -> tuple[Loaded, ScoreGrid, Mapping[str, Note]]:
        chosen = self._entries(request)
        loaded = self._load(chosen)
        notes = of_items(note for entry in chosen for note in read_notes(entry))
        left_out = _left_out(notes) if request.query_params.get("exclude") else frozenset[str]()
        return loaded, loaded.chosen(request.query_params.getlist("model"), left_out), notes

    def _comparison(self, request: Request, *, secondary: bool) -> dict[str, Any]:
        """What an address compares; the latest few are kept."""
        loaded, grid, notes = self._scores(request)
        entries, settings = list(loaded.entries.values()), _settings(request)
        left_out = _left_out(notes) if grid.notes.excluded else frozenset[str]()
        sheet = sheet_of(entries, self._human)

        def make() -> dict[str, Any]:
            labelled, about_labels = corrected(entries, self._reading, sheet)
            shown = grid if labelled is None else labelled.chosen(grid.models, left_out)
            return compared(loaded, shown, settings, secondary=secondary) | {"labels": about_labels}

        key = (files_of(entries), grid.models, settings, left_out, secondary, state_of(sheet))
        return self._compared.get(key, make)


def _settings(request: Request) -> ComparisonSettings:
    given, sesoi = request.query_params, _number(request, "sesoi")
    primary = _condition("primary", given["primary"]) if given.get("primary") else None
    settings = ComparisonSettings(by=given.get("by"), baseline=given.get("baseline"), primary=primary)
    return settings if sesoi is None else replace(settings, sesoi=sesoi)


def _condition(name: str, text: str) -> tuple[str, str]:
    try:
        return parse_primary(text)
    except UsageError as error:
        what = f"{name} is {text!r}, expected COLUMN=VALUE"
        raise UsageError(what, next_step=error.next_step) from None


def _check_item(loaded: Loaded, item: str) -> None:
    if item not in loaded.place_of:
        raise UsageError(f"there is no item {item!r} in these runs")


def _shown(note: Note | None) -> dict[str, str] | None:
    return None if note is None else {"label": note.label, "text": note.text}


def _modes_of(item: str, modes: Iterable[Note]) -> dict[str, str]:
    return {mode.model: mode.label for mode in modes if mode.item == item}


def _left_out(notes: Mapping[str, Note]) -> frozenset[str]:
    return frozenset(item for item, note in notes.items() if note.leaves_out)


def _bare(model: str) -> str:
    """A name without that of its run."""
    return model.rpartition(" (")[0]


def _answers(loaded: Loaded, parts: Mapping[str, Mapping[str, Any]], model: str) -> list[Any]:
    """Rows about an item of those runs that have this model; names may have the run behind them."""
    of_runs = [part["answers"] for id_, part in parts.items() if model in loaded.of_entry[id_]]
    return [row for answers in of_runs for row in answers.get(model) or answers.get(_bare(model), [])]


def _prompt(loaded: Loaded, parts: Mapping[str, Mapping[str, Any]], model: str) -> str:
    """The messages of the first call of a model about an item; empty where none is on record."""
    for id_, part in parts.items():
        for call in part["calls"] if model in loaded.of_entry[id_] else ():
            if call.get("messages") and call.get("model") in (model, _bare(model)):
                return "\n\n".join(f"{one['role']}: {_as_text(one['content'])}" for one in call["messages"])
    return ""


def _as_text(content: Any) -> str:
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, indent=1)


def _one(request: Request, name: str) -> str:
    value = request.query_params.get(name)
    if not value:
        raise UsageError(f"the address does not say which {name}")
    return value


def _number(request: Request, name: str) -> float | None:
    text = request.query_params.get(name)
    if text is None:
        return None
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < 1e15:
        raise UsageError(f"{name} is {text!r}, expected a number of at least 0")
    return number
