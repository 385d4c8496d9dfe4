"""Paths, file names and addresses on a network."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tellapart.longcontext.facts.kind import Fact, FactKind, Mention, Sighting, Wanted, is_inside

_ENDINGS = (
    "cfg conf config css csv doc docx env gz go html ini ipynb java jpeg jpg js json jsonl lock "
    "log md mp3 mp4 "
    "pdf php png ppt pptx py rb rs rst service sh sql sqlite svg tar tf toml ts tsv txt xls xlsx "
    "xml yaml yml zip"
).replace(" ", "|")
# None begins within a run of its first signs, which would be tried from each of them to its end. Where
# one may, behind a hyphen, names are as long as systems allow.
_PATH = re.compile(
    rf"""https?://[^\s<>"')\]]+
    |\bwww\.[^\s<>"')\]]+
    |(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+
    |(?<![\w/.])[A-Za-z]:\\[\w.\\ -]*\w
    |(?<![\w/.])(?:~|\.{{1,2}})?(?:/[\w.@+-]*\w)+/?
    |(?<![\w/.])(?<!--)[\w.-]{{1,255}}(?:/[\w.-]{{1,255}}){{0,16}}\.(?:{_ENDINGS})\b(?![\w/])
    |(?<![\w.,])\d{{1,3}}(?:\.\d{{1,3}}){{3}}(?::\d{{1,5}}|/\d{{1,2}})?(?![\w.]\d)
    |(?<![\w/.@])(?<!--)[a-z0-9-]{{1,63}}(?:\.[a-z0-9-]{{1,63}}){{0,16}}\.(?:com|org|net|io|dev|app|eu|internal|local|example)\b(?::\d{{1,5}})?""",
    re.X,
)


class _Path(FactKind):
    name = "path"
    precedence = 0
    wanted = (
        Wanted(
            r"\bpaths?\b|\bfiles?\b|\bfolders?\b|\bdirector(?:y|ies)\b|\burls?\b|\blinks?\b|\bwebsite\b|\be-?mails?\b|"
            r"\baddress(?:es)?\b|\bhost(?:name)?s?\b|\bdomain\b|\bwhere\b",
            lambda mention: True,
            every=True,
        ),
    )

    def sightings(self, text: str, taken: Sequence[tuple[int, int]]) -> Iterable[Sighting]:
        for match in _PATH.finditer(text):
            written = match[0].rstrip(".,;:!?")
            if not is_inside(match.start(), taken) and re.search(r"[A-Za-z0-9]", written):
                fact = Fact(self, written, _normal(written))
                yield Sighting(match.start(), match.start() + len(written), fact)

    def stated_in(self, text: str, fact: Fact) -> bool:
        """Whether all its parts are named, each for itself: the file app.yaml in /etc/acme."""
        parts = [part for part in fact.normal.split("/") if part]
        return len(parts) > 1 and all(_has(text, part) for part in parts)

    def near(self, detail: Mention, claims: Sequence[Mention], text: str) -> Mention | None:
        """Its last part alone."""
        last = detail.fact.normal.rpartition("/")[2]
        alike = (claim for claim in claims if claim.fact.kind is self)
        return next((claim for claim in alike if claim.fact.normal == last), None)


KIND: FactKind = _Path()


def _normal(path: str) -> str:
    return re.sub(r"^(?:https?://)?(?:www\.)?", "", path).rstrip("/").casefold()


def _has(text: str, path: str) -> bool:
    return re.search(rf"(?<![\w.-]){re.escape(path)}(?![\w-])", text.casefold()) is not None
