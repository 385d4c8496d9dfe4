"""A report as one HTML file that needs no network: style, pictures, data and scripts are inside it."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from tellapart.errors import MissingExtra
from tellapart.report.document import Document
from tellapart.report.palette import css
from tellapart.report.plain_text import visible

if TYPE_CHECKING:
    from tellapart.report.charts import Chart

_IN_JSON = re.compile(r"\\\\|\\[bf]|\\u00[01][0-9a-f]|[<>&\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""Backslashes that stand for themselves, hidden characters, and what may end the element of a script."""

_GLUE = re.compile(r"(?<=\d) (?=%)|(?<=[●○]) (?=[>\d])|(?<=\S) (?=– \S)")
_RANGE = re.compile(r"\d[\d.,]{0,40}–\d[\d.,]{0,40}(?<=\d)(\N{NO-BREAK SPACE}%)?")
_NAME = re.compile(r"\b(?=[\w./…-]{3,34}(?![\w./…-]))[\w.]+(?:[-/…]+[\w.]+)+\b")
"""A name such as ``openai/gpt-4o-mini`` that a line has room for."""


def html_document(document: Document) -> str:
    """Give a report as HTML.

    Nothing in it loads anything, and its content security policy forbids that and every script but its own,
    so that text from a repository does no harm even where a mistake made markup of it. Characters that
    would hide or reorder other text are shown as escapes.
    """
    widgets = [section.widget for section in document.sections if section.widget]
    styles = [
        css(),
        *(asset("tellapart.report", name) for name in ("page.css", "screen.css")),
        *(widget.style for widget in widgets),
    ]
    scripts = [asset("tellapart.report", "page.js"), *(widget.script for widget in widgets)]
    return visible(
        rendered(
            "page.html",
            document=document,
            style=Markup("\n".join(styles)),
            scripts=[Markup(script) for script in scripts],
            policy=_policy(scripts),
        )
    )


def rendered(template: str, **values: object) -> str:
    """Fill in a template of the kit; text becomes text, not markup."""
    environment = Environment(
        loader=PackageLoader("tellapart.report", "assets"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"glued": glued, "pictures": _pictures, "embedded": embedded_json}
    return environment.get_template(template).render(values)


def asset(package: str, name: str) -> str:
    """Read a file from the folder ``assets`` of a package."""
    return (files(package) / "assets" / name).read_text(encoding="utf-8")


def embedded_json(data: object) -> Markup:
    """Give data as JSON that cannot end the script element it stands in, whatever its strings say.

    Its strings show hidden characters as `visible` does.
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Markup(_IN_JSON.sub(lambda match: _in_json(match.group()), text))


@cache
def _in_json(part: str) -> str:
    if part == r"\\":
        return part
    sign = str(json.loads(f'"{part}"'))
    shown = visible(sign)
    return f"\\u{ord(sign):04x}" if shown == sign else json.dumps(shown)[1:-1]


def glued(text: str) -> Markup:
    """Escape text, and keep ranges, short names, and figures with their signs on one line."""
    ranges = _RANGE.sub(
        r'<span class="whole">\g<0></span>', str(escape(_GLUE.sub("\N{NO-BREAK SPACE}", text)))
    )
    return Markup(_NAME.sub(r'<span class="name">\g<0></span>', ranges))


def _pictures(chart: Chart) -> Markup:
    """A chart drawn twice, of which the style shows the one that fits; without the extra, how to get it."""
    from tellapart.report.charts import NARROW, WIDE, inline_svg

    try:
        wide, narrow = inline_svg(chart, WIDE), inline_svg(chart, NARROW)
    except MissingExtra as error:
        return Markup('<p class="note">{}</p>').format(f"No picture: {error}")
    return Markup(f'<div class="wide">{wide}</div><div class="narrow">{narrow}</div>')


def _policy(scripts: Sequence[str]) -> str:
    digests = [b64encode(sha256(script.encode()).digest()).decode() for script in scripts]
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    return (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src {allowed}; "
        "base-uri 'none'; form-action 'none'"
    )
