"""Issues from what functions and classes say of themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tellapart.codesearch.drafting.issue import Draft, says_enough
from tellapart.codesearch.repositories import Repositories
from tellapart.core.randomness import generator
from tellapart.extraction.skipped import Skipped
from tellapart.extraction.sources import SourceFile, Sources, find_sources
from tellapart.extraction.unit import Unit
from tellapart.extraction.units import extract_units

SHORTEST_UNIT_LINES = 3

_PARAGRAPH_END = re.compile(r"\n\s*\n|\n\s*(?::\w+|@\w+|[-*>]|>>>)")
_SENTENCE_END = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)\s+(?=\S)")
_MARKUP = re.compile(r":\w+(?::\w+)*:(?=`)|[`*]+|</?\w+[^>\n]*>")


def docstring_drafts(repositories: Repositories, seed: int) -> Iterator[Draft]:
    """Draft issues from docstrings, one a file at most, files in an order that ``seed`` decides.

    An issue is the first sentence, without markup, where that does not name its own unit. Tests and what is
    not source code are left out.
    """
    readable = set(repositories.files())
    files: dict[str, SourceFile] = {}
    for name in repositories.names:
        sources = find_sources(repositories.root / name).files
        files |= {path: file for file in sources if (path := f"{name}/{file.path}") in readable}
    for path in sorted(files, key=lambda path: float(generator(seed, path).random())):
        units = extract_units(Sources((files[path],), Skipped()), min_lines=SHORTEST_UNIT_LINES).units
        drafts = [draft for unit in units if (draft := _draft(unit, path))]
        if drafts:
            yield min(drafts, key=lambda draft: float(generator(seed, draft.origin).random()))


def first_sentence(docstring: str) -> str:
    """The first sentence on one line, without markup; empty where there is none."""
    paragraph = _PARAGRAPH_END.split(docstring.strip(), maxsplit=1)[0]
    return _SENTENCE_END.split(" ".join(_MARKUP.sub("", paragraph).split()), maxsplit=1)[0]


def names(text: str, unit: str) -> bool:
    """Say whether a text has the name of a unit in it as a word, in any case."""
    return re.search(rf"(?<!\w){re.escape(unit)}(?!\w)", text, re.IGNORECASE) is not None


def _draft(unit: Unit, path: str) -> Draft | None:
    sentence = first_sentence(unit.docstring or "")
    if not says_enough(sentence) or names(sentence, unit.name):
        return None
    repository = path.partition("/")[0]
    return Draft("docstring", f"{repository}/{unit.id}", sentence, (path,))
