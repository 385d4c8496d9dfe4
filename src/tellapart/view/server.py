"""The server behind the page: JSON about a folder, for whoever has the token."""

from __future__ import annotations

import json
import math
import secrets
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from importlib.resources import files
from pathlib import Path
from threading import Lock
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from tellapart.core.comparison import parse_primary
from tellapart.core.comparison_settings import ComparisonSettings
from tellapart.core.score_grid import ScoreGrid
from tellapart.errors import InputError, TellapartError, UsageError
from tellapart.files import JsonError, parse_json
from tellapart.files.records import check_record
from tellapart.readers.settings import ReadingSettings
from tellapart.view.comparing import MOST_RUNS, compared, planned, settings_of
from tellapart.view.details import Details
from tellapart.view.folder import Entry
from tellapart.view.history import check_size, history_of
from tellapart.view.items import ItemQuery, about, cell, check_name, find_items
from tellapart.view.labelling import Draw, Label, corrected, draw, keep_label, next_answer, sheet_of, state_of
from tellapart.view.listing import Listing
from tellapart.view.loaded import NO_SETTINGS, Loaded, Shelf, load
from tellapart.view.modes import count_modes
from tellapart.view.notes import LABELS, Note, note_of, of_items, read_notes, unreadable_notes, write_note

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

_HEADERS = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_ASSETS = {
    "view.js": "text/javascript",
    "kit.js": "text/javascript",
    "history.js": "text/javascript",
    "label.js": "text/javascript",
    "code.js": "text/javascript",
    "export.js": "text/javascript",
    "view.css": "text/css",
    "screen.css": "text/css",
}
_MOST_BODY = 64 * 1024
_MOST_ITEMS = 10_000
_NO_TOKEN = (401, "open the address that 'tellapart view' printed: it has the token")
_KEPT = 16
"""Comparisons."""

Answer = Callable[[Request], Any]


class Viewer:
    """What a folder holds, as JSON has it."""

    def __init__(self, root: Path, reading: ReadingSettings = NO_SETTINGS) -> None:
        """Show ``root``, whose files are read with ``reading`` where they need it; nothing is read yet."""
        self._human, reading = reading.human, replace(reading, human=None)
        self._reading = reading
        self.loaded: Shelf[Loaded] = Shelf(partial(load, settings=reading))
        self.listing = Listing(root, self.loaded.get)
        self.details: Shelf[Details] = Shelf(partial(Details, settings=reading), 32)
        self._comparing = Lock()
        self._compared: OrderedDict[tuple[Any, ...], dict[str, Any]] = OrderedDict()

    def runs(self, request: Request) -> Any:
        """``GET /api/runs``."""
        return self.listing.rows()

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
        strata = dict(parse_primary(condition) for condition in request.query_params.getlist("in"))
        query = ItemQuery(
            request.query_params.get("a") or grid.models[0],
            request.query_params.get("b"),
            request.query_params.get("outcome", "any"),
            strata,
            request.query_params.get("cause", ""),
            request.query_params.get("text", ""),
            request.query_params.get("order", "gap"),
            int(_number(request, "offset") or 0),
            min(int(_number(request, "limit") or 100), _MOST_ITEMS),
        )
        page = find_items(loaded, grid, query)
        modes: dict[str, dict[str, str]] = {}
        for mode in self._modes(loaded):
            modes.setdefault(mode.item, {})[mode.model] = mode.label
        for row in page["items"]:
            row["note"] = _shown(notes.get(row["item"]))
            row["modes"] = modes.get(row["item"], {})
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
        rows = self.listing.same_evaluation(entry)
        if rows is None:
            return {"busy": True}
        check_size(len(rows), rows[0]["items"] or 1)
        there = self.listing.find([row["id"] for row in rows])
        chosen = [there[row["id"]] for row in rows if row["id"] in there]
        history = history_of(chosen, lambda one: self.loaded.get([one]).grid)
        return asdict(history) | {"ids": [one.id for one in chosen]}

    def item(self, request: Request) -> Any:
        """``GET /api/item``: detail item with its texts, answers, calls, and the scores of all models."""
        loaded, _, notes = self._scores(request)
        item = _one(request, "item")
        _check_item(loaded, item)
        index = loaded.place_of[item]
        details = {entry.path: self.details.get([entry]) for entry in loaded.entries.values()}
        parts = [detail.of(item) for detail in details.values()]
        texts = {(text["name"], text["text"]): text for part in parts for text in part["texts"]}
        # A column of questions or answers is a stratum of each item by itself.
        shown = {text for _, text in texts} | {
            answer["answer"] for part in parts for answers in part["answers"].values() for answer in answers
        }
        return {
            "item": item,
            "texts": list(texts.values()),
            "models": [
                {
                    "model": model,
                    **cell(loaded, model, index),
                    "answers": _answers(loaded, parts, model),
                    "prompt": _prompt(loaded, parts, model),
                }
                for model in loaded.grid.models
            ],
            "calls": [
                call | {"run": path}
                for path, part in zip(details, parts, strict=True)
                for call in part["calls"]
            ],
            "problems": [f"{path}: {detail.problem}" for path, detail in details.items() if detail.problem],
            "run": loaded.entry_of(item),
            "strata": {
                name: stratum.values[stratum.codes[index]]
                for name, stratum in loaded.grid.strata.items()
                if stratum.codes[index] >= 0 and stratum.values[stratum.codes[index]] not in shown
            },
            "note": _shown(notes.get(item)),
            "modes": {mode.model: mode.label for mode in self._modes(loaded) if mode.item == item},
        }

    def notes(self, request: Request) -> Any:
        """``GET /api/notes``: by id of a run its notes."""
        return {entry.id: [asdict(note) for note in read_notes(entry)] for entry in self._entries(request)}

    def note(self, body: Any) -> Any:
        """``POST /api/notes``: keep a note on an item of a run, or on a model's answer to it."""
        runs, note = note_of(body)
        entries = self._named(runs)
        loaded = self.loaded.get(entries)
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
        sheet = sheet_of(chosen, self._human)
        return next_answer(sheet, self.loaded.get(chosen), request.query_params.get("code"))

    def keep_label(self, body: Any) -> Any:
        """``POST /api/label``: keep a score, and give the next answer."""
        label = check_record(body, Label, "a label", strict=True)
        chosen = self._named(label.runs)
        return keep_label(sheet_of(chosen, self._human), self.loaded.get(chosen), label)

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

    def _own_name(self, loaded: Loaded, id_: str, model: str) -> str:
        """What a model is called in its own run: beside others the name of its run may stand behind it."""
        own = self.loaded.get([loaded.entries[id_]]).grid.models
        return model if model in own else model.rpartition(" (")[0]

    def _modes(self, loaded: Loaded) -> list[Note]:
        """Failure modes of all runs, with the names that their models have beside each other."""
        modes = []
        for id_, models in loaded.of_entry.items():
            names = {self._own_name(loaded, id_, model): model for model in models}
            modes += [
                replace(note, model=names[note.model])
                for note in read_notes(loaded.entries[id_])
                if note.model in names
            ]
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
        there = self.listing.find(ids)
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
        loaded = self.loaded.get(chosen)
        notes = of_items(note for entry in chosen for note in read_notes(entry))
        wanted = request.query_params.get("exclude")
        left_out = _left_out(notes) if wanted else frozenset[str]()
        return loaded, loaded.chosen(request.query_params.getlist("model"), left_out), notes

    def _comparison(self, request: Request, *, secondary: bool) -> dict[str, Any]:
        """What an address compares; the latest few are kept."""
        loaded, grid, notes = self._scores(request)
        settings = self._settings(request)
        states = tuple((entry.id, entry.changed) for entry in loaded.entries.values())
        left_out = _left_out(notes) if grid.notes.excluded else frozenset[str]()
        sheet = sheet_of(list(loaded.entries.values()), self._human)
        key = (states, grid.models, settings, left_out, secondary, state_of(sheet))
        with self._comparing:
            if key in self._compared:
                return self._compared[key]
        # Not while others wait: what two ask for at once is made twice.
        labelled, about_labels = corrected(list(loaded.entries.values()), self._reading, sheet)
        if labelled is not None:
            grid = labelled.chosen(grid.models, left_out)
        figures = compared(loaded, grid, settings, secondary=secondary) | {"labels": about_labels}
        with self._comparing:
            self._compared[key] = figures
            while len(self._compared) > _KEPT:
                self._compared.popitem(last=False)
        return figures

    def _settings(self, request: Request) -> ComparisonSettings:
        primary = request.query_params.get("primary")
        return settings_of(
            request.query_params.get("by"),
            request.query_params.get("baseline"),
            parse_primary(primary) if primary else None,
            _number(request, "sesoi"),
        )


def _check_item(loaded: Loaded, item: str) -> None:
    if item not in loaded.place_of:
        raise UsageError(f"there is no item {item!r} in these runs")


def _shown(note: Note | None) -> dict[str, str] | None:
    return None if note is None else {"label": note.label, "text": note.text}


def _left_out(notes: Mapping[str, Note]) -> frozenset[str]:
    return frozenset(item for item, note in notes.items() if note.leaves_out)


def _answers(loaded: Loaded, parts: Sequence[Mapping[str, Any]], model: str) -> list[Any]:
    """Rows about an item of those runs that have this model; names may have the run behind them."""
    rows = []
    for entry, part in zip(loaded.entries, parts, strict=True):
        if model in loaded.of_entry[entry]:
            rows += part["answers"].get(model) or part["answers"].get(model.rpartition(" (")[0], [])
    return rows


def _as_text(content: Any) -> str:
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, indent=1)


def _prompt(loaded: Loaded, parts: Sequence[Mapping[str, Any]], model: str) -> str:
    """The messages of the first call of a model about an item; empty where none is on record."""
    for entry, part in zip(loaded.entries, parts, strict=True):
        if model in loaded.of_entry[entry]:
            for call in part["calls"]:
                if call.get("messages") and call.get("model") in (model, model.rpartition(" (")[0]):
                    return "\n\n".join(
                        f"{one['role']}: {_as_text(one['content'])}" for one in call["messages"]
                    )
    return ""


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


class _Guard:
    """Lets in who has the token, speaks to us by our own name, and comes from our own page."""

    def __init__(self, app: ASGIApp, token: str, hosts: frozenset[str]) -> None:
        self._app, self._token, self._hosts = app, token, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        refusal = self._refusal(request)
        response: Response | None = None
        if refusal == _NO_TOKEN and request.url.path == "/":
            response = Response(_read("no_token.html"), 401, _HEADERS, "text/html")
        elif refusal is not None:
            response = _json({"error": refusal[1]}, status=refusal[0])
        await (response or self._app)(scope, receive, send)

    def _refusal(self, request: Request) -> tuple[int, str] | None:
        host, origin = request.headers.get("host", ""), request.headers.get("origin")
        if host not in self._hosts:
            return 403, "this server answers to its own address alone"
        if origin is not None and origin != f"http://{host}":
            return 403, "this server answers its own page alone"
        if request.url.path.startswith("/assets/"):
            return None
        given = request.headers.get("x-tellapart-token") or request.query_params.get("token", "")
        if not secrets.compare_digest(given.encode(), self._token.encode()):
            return _NO_TOKEN
        return None


def _json(value: Any, status: int = 200) -> Response:
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except ValueError:
        text = json.dumps(_finite(value), ensure_ascii=False, allow_nan=False)
    body = text.encode("utf-8", "replace")
    return Response(body, status, _HEADERS, "application/json")


async def _body(request: Request) -> Any:
    """The JSON of a request."""
    if request.headers.get("content-type") != "application/json":
        raise UsageError("expected application/json")
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MOST_BODY:
            raise UsageError(f"expected at most {_MOST_BODY:,} bytes")
    try:
        return parse_json(body, "the request")
    except JsonError as error:
        raise UsageError(f"expected a JSON object: {error}") from None


def _asset(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in _ASSETS:
        return _json({"error": "there is no such file"}, 404)
    package = "tellapart.report" if name == "screen.css" else "tellapart.view"
    return Response(_read(name, package), 200, _HEADERS, _ASSETS[name])


def _page(request: Request) -> Response:
    return Response(_read("view.html"), 200, _HEADERS, "text/html")


def _finite(value: Any) -> Any:
    """The same with None for numbers that JSON does not have."""
    if isinstance(value, dict):
        return {name: _finite(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def application(root: Path, token: str, port: int, reading: ReadingSettings = NO_SETTINGS) -> ASGIApp:
    """The server of a folder."""
    viewer = Viewer(root.resolve(), reading)

    def answering(answer: Answer) -> Callable[[Request], Awaitable[Response]]:
        async def endpoint(request: Request) -> Response:
            return await run_in_threadpool(_answered, partial(answer, request))

        return endpoint

    def keeping(keep: Callable[[Any], Any]) -> Callable[[Request], Awaitable[Response]]:
        async def endpoint(request: Request) -> Response:
            try:
                body = await _body(request)
            except UsageError as error:
                return _json({"error": str(error)}, 400)
            except ClientDisconnect:
                return _json({"error": "the request did not arrive"}, 400)
            return await run_in_threadpool(_answered, partial(keep, body))

        return endpoint

    routes = [
        Route("/", _page),
        Route("/assets/{name}", _asset),
        Route("/api/runs", answering(viewer.runs)),
        Route("/api/compare", answering(viewer.compare)),
        Route("/api/plan", answering(viewer.plan)),
        Route("/api/items", answering(viewer.items)),
        Route("/api/item", answering(viewer.item)),
        Route("/api/modes", answering(viewer.modes)),
        Route("/api/history", answering(viewer.history)),
        Route("/api/exclude", answering(viewer.exclusions)),
        Route("/api/notes", answering(viewer.notes)),
        Route("/api/notes", keeping(viewer.note), methods=["POST"]),
        Route("/api/label", answering(viewer.label)),
        Route("/api/label", keeping(viewer.keep_label), methods=["POST"]),
        Route("/api/sheet", keeping(viewer.sheet), methods=["POST"]),
    ]
    names = ("127.0.0.1", "localhost")
    hosts = frozenset({f"{name}:{port}" for name in names} | (set(names) if port == 80 else set()))
    return _Guard(Starlette(routes=routes), token, hosts)


def _answered(answer: Callable[[], Any]) -> Response:
    try:
        value = answer()
    except TellapartError as error:
        status = 404 if isinstance(error, UsageError) else 422
        return _json({"error": str(error)}, status)
    except Exception as error:  # One view that cannot be drawn ends no server.
        return _json({"error": f"this is a bug in tellapart: {type(error).__name__}: {error}"}, 500)
    if isinstance(value, Response):
        value.headers.update(_HEADERS)
        return value
    return _json(value)


def _read(name: str, package: str = "tellapart.view") -> bytes:
    return files(package).joinpath("assets", name).read_bytes()
