"""Versions of software: 2.4.1, v3, version 3.10, which is not 3.1."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tellapart.longcontext.facts.kind import Fact, FactKind, Mention, Sighting, Wanted, is_inside
from tellapart.longcontext.facts.units import AFTER

_TAIL = r"(?:[-.]?(?:rc|alpha|beta|post|dev)[-.]?\d*)?"
_VERSION = re.compile(
    rf"(?<![\w.,])v?(?P<three>\d{{1,5}}(?:\.\d{{1,5}}){{2,3}}{_TAIL})(?![\w]|\.\d)|"
    rf"\b(?i:v|ver\.?\s?|versions?\s|release\s|rev\.?\s)(?P<named>\d{{1,5}}(?:\.\d{{1,5}}){{0,3}}{_TAIL})(?![\w%]|[.,]\d)|"
    r"\b[A-Za-z]{2,10}(?P<glued>\d{1,2}\.\d{1,3})(?![\w%]|[.,]\d)|"
    rf"\b(?!About|Around|Roughly|Only|Nearly|Over|Under|Total|Mean|At|By|From|To|Of)[A-Z][A-Za-z+]*[a-z+](?:\s|-)"
    rf"(?P<product>\d{{1,3}}\.\d{{1,3}})(?![\w%]|[.,]\d|[-\s]?(?:{AFTER})|\s?(?:million|billion|thousand))",
)


class _Version(FactKind):
    name = "version"
    precedence = 6
    is_value = True
    told_by = ("number",)
    wanted = (Wanted(r"\bversions?\b|\brelease\s(?:number|of)\b", lambda mention: True, every=True),)

    def sightings(self, text: str, taken: Sequence[tuple[int, int]]) -> Iterable[Sighting]:
        for match in _VERSION.finditer(text):
            group = next(name for name, value in match.groupdict().items() if value)
            start, end = match.span(group if group in ("product", "glued") else 0)
            if not is_inside(start, taken):
                yield Sighting(start, end, Fact(self, match.string[start:end], _normal(match[group])))

    def agrees(self, wanted: Fact, given: Fact) -> bool:
        """Whether it has the same digits in the same places; zeros at the end may be left out."""
        if given.kind is self:
            return given.normal == wanted.normal
        return re.fullmatch(r"\d[\d.]*", given.text) is not None and _normal(given.text) == wanted.normal

    def near(self, detail: Mention, claims: Sequence[Mention], text: str) -> Mention | None:
        """A version that says less: 5.2 of 5.2.1."""
        for claim in claims:
            given = _normal(claim.fact.text) if re.fullmatch(r"v?\d[\d.]*", claim.fact.text) else ""
            if given and detail.fact.normal.startswith(f"{given}."):
                return claim
        return None


KIND: FactKind = _Version()


def as_version(mention: Mention) -> Mention:
    """A number as the version that a question asks for."""
    fact = Fact(KIND, mention.fact.text, _normal(mention.fact.text))
    return Mention(
        fact=fact,
        start=mention.start,
        label=mention.label,
        before=mention.before,
        bracketed=mention.bracketed,
    )


def _normal(text: str) -> str:
    plain = text.lower().lstrip("v")
    return re.sub(r"(?<!\.0)(?:\.0)+$", "", plain) if plain.count(".") > 1 else plain
