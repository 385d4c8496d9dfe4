"""Where Inspect's viewer shows the samples behind the items of an audit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlsplit

from tellapart.audit.options import INSPECT_VIEW
from tellapart.audit.reading import inspect_log
from tellapart.errors import UsageError
from tellapart.files import part


@dataclass(frozen=True)
class SampleLink:
    """A sample in the viewer; its address is ``log`` and ``sample`` together.

    Attributes:
        label: The model and, where there are several, the epoch.
        log: The address of the log, up to its samples.
        sample: The rest of the address.
    """

    label: str
    log: str
    sample: str


def check_viewer(viewer: str) -> None:
    """Refuse what is no address of a viewer."""
    if urlsplit(viewer).scheme not in ("http", "https"):
        raise UsageError(
            f"--inspect-view is {viewer!r}, expected an address of the web",
            next_step=f"Give the address that `inspect view` prints, such as --inspect-view {INSPECT_VIEW}",
        )


def viewer_links(
    scores: Sequence[Path], viewer: str, models: Mapping[str, Sequence[str]] | None = None
) -> dict[str, tuple[SampleLink, ...]]:
    """Give the addresses of the samples of Inspect's logs in its viewer, as it has them in 0.3.285.

    Logs of one model that the audit tells apart are labelled as the audit calls them.
    """
    check_viewer(viewer)
    links: dict[str, list[SampleLink]] = {}
    for folder, path in _logs(scores):
        header, samples = inspect_log.log_parts(path)
        spec = part(header, "eval")
        layout = inspect_log.layout_of(spec, path)
        name = quote(path.relative_to(folder).as_posix(), safe="/")
        log = f"{viewer.rstrip('/')}/#/logs/{name}/samples/sample/"
        model = layout.model(str(spec.get("model")))
        named = (models or {}).get(str(path), ())
        model = named[0] if len(named) == 1 else model
        for sample in samples:
            epoch = sample.get("epoch", 1)
            label = f"{model}, epoch {epoch}" if layout.epochs > 1 else model
            address = f"{quote(str(sample.get('id')), safe='')}/{epoch}"
            links.setdefault(layout.item(sample), []).append(SampleLink(label, log, address))
    return {item: tuple(of_item) for item, of_item in links.items()}


def _logs(scores: Sequence[Path]) -> Iterator[tuple[Path, Path]]:
    """Each log with the folder that it is named within."""
    for given in scores:
        if given.is_dir():
            logs = sorted(path for path in given.rglob("*") if path.suffix in (".eval", ".json"))
            yield from ((given, path) for path in logs if inspect_log.recognises(path))
        elif given.is_file() and inspect_log.recognises(given):
            yield given.parent, given
