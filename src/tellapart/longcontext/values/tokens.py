"""Verbatim tokens: identifiers, versions, paths, addresses and telephone numbers, all one kind."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

_ENDINGS = (
    "cfg|conf|config|css|csv|doc|docx|env|gz|go|html|ini|ipynb|java|jpeg|jpg|js|json|jsonl|lock|log|md|mp3|mp4|pdf|php|"
    "png|ppt|pptx|py|rb|rs|rst|service|sh|sql|sqlite|svg|tar|tf|toml|ts|tsv|txt|xls|xlsx|xml|yaml|yml|zip"
)
_DOMAINS = "com|org|net|io|dev|app|eu|internal|local|example"
# None begins within a run of its first signs, which would be tried from each of them to its end.
_PATH = re.compile(
    rf"""https?://[^\s<>"')\]]+
    |\bwww\.[^\s<>"')\]]+
    |(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+
    |(?<![\w/.])[A-Za-z]:\\[\w.\\ -]*\w
    |(?<![\w/.<])(?:~|\.{{1,2}})?(?:/[\w.@+-]*\w)+/?
    |(?<![\w/.])(?<!--)[\w.-]{{1,255}}(?:/[\w.-]{{1,255}}){{0,16}}\.(?:{_ENDINGS})\b(?![\w/])
    |(?<![\w.,])\d{{1,3}}(?:\.\d{{1,3}}){{3}}(?::\d{{1,5}}|/\d{{1,2}})?(?![\w.]\d)
    |(?<![\w/.@])(?<!--)[a-z0-9-]{{1,63}}(?:\.[a-z0-9-]{{1,63}}){{0,16}}\.(?:{_DOMAINS})\b(?::\d{{1,5}})?""",
    re.X,
)
_PHONE = re.compile(
    r"(?<![\w.,/-])(?:\+\s?\d|\(0|0\d)[\d\s().\-/]{5,24}\d(?!\w|[.,]\d)|"
    r"(?<![\w.,/-])(?:\(?\d{3}\)?[-.\s])?\d{3}[-.]\d{4}(?!\w|[.,-]\d)"
)
_FEWEST = 7
"""Digits of a telephone number without its country code."""
_TAIL = r"(?:[-.]?(?:rc|alpha|beta|post|dev)[-.]?\d*)?"
_VERSION = re.compile(
    rf"(?<![\w.,])v?\d{{1,5}}(?:\.\d{{1,5}}){{2,3}}{_TAIL}(?![\w]|\.\d)|"
    rf"\b(?:[vV]|(?i:ver\.?\s?|versions?\s|release\s|rev\.?\s))\d{{1,5}}(?:\.\d{{1,5}}){{0,3}}{_TAIL}(?![\w%]|[.,]\d)"
)
# #4417, A-4417 and INV/2026/031, 4471-B, 2024-0031, 0042; then rs78423156, 6q14.1; then correct-horse-9.
_IDENTIFIER = re.compile(
    r"(?<![^\W_])(?<!\d[.,])(?:\#\s?(?:[A-Za-z]{1,5}-?)?\d{2,12}(?:[-/]\w{1,12}){0,3}|"
    r"(?:(?![A-Z]+/[A-Z]+\b)[A-Z]{1,8}\d{0,6}(?:[-/_](?=[A-Z0-9]{0,12}\d|[A-Z]{1,4}\b)[A-Z0-9]{1,12}){1,4}|"
    r"\d{2,8}(?:[-/][A-Z]{1,6}\d{0,8}){1,3}|\d{2,8}(?:[-/]\d{2,8}){0,2}[-/]0\d{2,8}|(?<![.,])0\d{2,12}(?!\s?(?:h|hrs|hours)\b)|\d{1,4}[A-Za-e](?!\w))(?![\w]|[-/]\d)|"
    r"(?:[A-Za-z]{1,12}\d[A-Za-z0-9]{0,20}(?:[.\-]\d[A-Za-z0-9]{0,12})?|\d{1,6}[A-Za-z]\w{1,20}(?:\.\d{1,4})?)(?![^\W_])|"
    r"[A-Za-z]{1,24}(?:[-_][A-Za-z0-9]{1,24}){1,6}(?![^\W_]))"
)
# A number with its unit or its ending, which looks like an identifier and is none: 80mg, 4th, 1990s.
_GLUED = re.compile(
    r"\d{1,9}(?:mg|kg|g|cm|mm|km|ml|ms|s|x|k|m|h|min|mins|hrs?|bpm|[kmgt]i?b(?:ps)?|kwh|[kmg]?w|[kmg]?hz|am|pm|bn|mn|"
    r"th|st|nd|rd|h\d\d?(?:m(?:in)?)?|[A-Za-z]{3,})|(?:about|around|in|of|at|by|from|to|on|for|the|and|or|under|over|usd|eur|gbp|chf|page|pages|study|"
    r"studies|q[1-4]|h[12])\s?-?\d+s?|(?:n|r|p|d|g|or|hr|rr|ci|sd|se)\s?-?\d+",
    re.I,
)


@lru_cache(maxsize=8192)
def tokens_in(text: str) -> tuple[tuple[int, int], ...]:
    """First character and end of the tokens of a text, in order."""
    spans: list[tuple[int, int]] = []
    for start, end in _candidates(text):
        if not any(a < end and start < b for a, b in spans):
            spans.append((start, end))
    return tuple(sorted(spans))


def _candidates(text: str) -> Iterator[tuple[int, int]]:
    for match in _PATH.finditer(text):
        written = match[0].rstrip(".,;:!?")
        if re.search(r"[A-Za-z0-9]", written):
            yield match.start(), match.start() + len(written)
    for match in _PHONE.finditer(text):
        if len(re.sub(r"\(0\)|\D", "", match[0])) >= _FEWEST and not re.match(r"\d{4}-\d\d-\d\d", match[0]):
            yield match.span()
    for match in _VERSION.finditer(text):
        yield match.span()
    for match in _IDENTIFIER.finditer(text):
        if re.search(r"\d", match[0]) and not _GLUED.fullmatch(match[0]):
            yield match.span()


def normal_token(written: str) -> str:
    """What is compared: without the signs that separate its parts, but for versions and paths."""
    plain = re.sub(r"^(?:https?://)?(?:www\.)?|/$", "", written.strip().rstrip(".,;"))
    plain = re.sub(r"^(?:v|ver\.?|versions?|release|rev\.?)\s?(?=\d)", "", plain, flags=re.I)
    if _PHONE.fullmatch(plain) and len(re.sub(r"\D", "", plain)) >= _FEWEST and "." not in plain:
        return ("+" if plain.startswith("+") else "") + re.sub(r"\(0\)|\D", "", plain)
    if (
        re.fullmatch(rf"\d+(?:\.\d+)+{_TAIL}", plain)
        or _PATH.fullmatch(plain)
        or _PATH.fullmatch(written.strip())
    ):
        return plain
    return re.sub(r"[\s\-_/#().–]", "", plain)


def in_any_case(normal: str) -> bool:
    """Whether a token is an address, or a code in capitals, which is also written small; but not ``M3``."""
    return re.fullmatch(r"[^/@]+@[^/@]+", normal) is not None or len(normal) > 3 and normal == normal.upper()


def shape_of(normal: str) -> str:
    """Which tokens can stand for each other: paths, versions, digits by their number, and all others."""
    if re.search(r"[/@\\]", normal):
        return "path"
    if "." in normal:
        return "version" if normal[0].isdigit() else "path"
    digits = re.sub(r"\D", "", normal)
    if normal.lstrip("+").isdigit():
        return "phone" if len(digits) >= _FEWEST else f"digits {len(digits)}"
    return "identifier"


@lru_cache(maxsize=8192)
def _finder(normal: str) -> re.Pattern[str]:
    if re.search(r"[./@\\]", normal):
        pattern = re.escape(normal)
    else:
        pattern = r"[\s\-_#().–/]{0,3}".join(
            re.escape(part) for part in re.findall(r"[^\W\d_]+|\d|.", normal)
        )
    flags = re.I if in_any_case(normal) else re.NOFLAG
    return re.compile(rf"(?<![^\W_])(?<![^\W_][._@-])v?(?:{pattern})(?![^\W_]|[-/:@_.][^\W_])", flags)


def token_spans(text: str, normal: str) -> list[tuple[int, int]]:
    """Where a text has a token, however separated, or a telephone number without the code of its country."""
    spans = [match.span() for match in _finder(normal).finditer(text)]
    if not spans and re.fullmatch(r"\+\d{9,15}", normal):
        ways = [f"{trunk}{normal[start:]}" for start in (3, 4, 2) for trunk in ("", "0")]
        found = [match.span() for way in ways for match in _finder(way).finditer(text)]
        spans = [span for span in found if not re.search(r"\d[\s().\-/]{0,3}$", text[: span[0]])][:1]
    return spans
