"""Summaries of units: what a model is given when it has to find the code."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from tellapart.embed.identifiers import split_identifiers
from tellapart.errors import InputError, UsageError, near_match
from tellapart.extraction.unit import Unit
from tellapart.files import check_record, read_json_objects
from tellapart.llm.models import is_replay

SHORTEST = 20
"""Characters that a summary needs; a shorter one says too little to be a question."""

# Where prose ends: fields of Sphinx, tags of Javadoc and Doxygen, headings of Google and NumPy, a doctest.
_PARAMETER_LIST = re.compile(
    r"^[^\S\n]*(?::(?![\w:]+:`)\w+|[@\\]\w+|(?:args|arguments|parameters|params|returns?|raises|yields|examples?|notes?)\s*:?\s*$|-{3,}|>>>)",
    re.IGNORECASE | re.MULTILINE,
)
# Of {@link Target label} the label stays; of other inline tags all that the tag holds.
_INLINE_TAG = re.compile(r"\{@(?:link(?:plain)?\s+[^\s}]+\s+(?=[^\s}])|\w+\s+)([^}]{0,2000})\}")
# Tags that begin a paragraph or a list, and so end the first paragraph.
_PARAGRAPH_TAG = re.compile(r"<(?:p|ul|ol|pre)\b[^>\n]{0,1000}>", re.IGNORECASE)
_MARKUP = re.compile(r"</?[A-Za-z][^>\n]{0,1000}>")
_PARAGRAPH_END = re.compile(r"\n\s*\n")


@dataclass(frozen=True, slots=True)
class Summary:
    """One text about one unit; ``source`` names who wrote it: ``docstring``, or a model."""

    unit: str
    source: str
    text: str


class _Row(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    unit: str
    model: str
    summary: str


def docstring_summary(unit: Unit) -> str | None:
    """First paragraph of the docstring, as one line, without parameter lists and markup.

    The unit's own name at the very beginning ("Name returns …", as Go has it) is left out as well.
    """
    if not unit.docstring:
        return None
    plain = _PARAGRAPH_TAG.sub("\n\n", _INLINE_TAG.sub(r"\1", unit.docstring))
    text = _MARKUP.sub(" ", plain).strip()
    paragraph = _PARAGRAPH_END.split(text, maxsplit=1)[0]
    parameter_list = _PARAMETER_LIST.search(paragraph)
    words = (paragraph[: parameter_list.start()] if parameter_list else paragraph).split()
    if len(words) > 1 and words[0].strip("`*:,()") == unit.name:
        words = words[1:]
    summary = " ".join(words)
    return summary if len(summary) >= SHORTEST else None


def docstring_summaries(units: Sequence[Unit]) -> list[Summary]:
    """One summary for every unit that has a docstring to take it from."""
    texts = ((unit.id, docstring_summary(unit)) for unit in units)
    return [Summary(unit, "docstring", text) for unit, text in texts if text is not None]


def identifier_summary(unit: Unit) -> str:
    """The words of the unit's name: the poorest summary that is still about the right unit."""
    return " ".join(split_identifiers(unit.name)) or unit.name


def neutral_text(unit: Unit) -> str:
    """What nobody compared wrote of a unit: the docstring's summary, or words of its name and parameters."""
    return docstring_summary(unit) or " ".join(
        split_identifiers(
            " ".join([qualified_name(unit), *(parameter.name for parameter in unit.parameters)])
        )
    )


def qualified_name(unit: Unit) -> str:
    """The unit's name with those of what it is inside, as its id has it."""
    return unit.id.rpartition("#")[0].rpartition("::")[2]


def leaks_name(unit: Unit, text: str) -> bool:
    """Whether a text contains the unit's name as a whole word, spelled as in the code."""
    return re.search(rf"(?<!\w){re.escape(unit.name)}(?!\w)", text) is not None


def names_leaked(units: Mapping[str, Unit], summaries: Sequence[Summary]) -> int:
    """Count the summaries that contain the name of the unit they are about; see ``leaks_name``."""
    return sum(leaks_name(units[summary.unit], summary.text) for summary in summaries)


def named_models(source: str) -> list[str]:
    """Names of the language models in ``llm:PROVIDER/MODEL[,PROVIDER/MODEL…]``, in that order."""
    kind, _, listed = source.partition(":")
    if kind != "llm":
        if source == "docstring" or (kind == "jsonl" and listed):
            return []
        raise unknown_source(source)
    model_names = [name.strip() for name in listed.split(",")]
    for name in model_names:
        provider, _, model = name.partition("/")
        if not (provider and model) and not is_replay(name):
            raise UsageError(
                f"{name!r} in --summaries {source!r} is not a language model",
                next_step="Expected PROVIDER/MODEL, such as anthropic/claude-sonnet-5-5; several with commas",
            )
        if model_names.count(name) > 1:
            raise UsageError(f"the language model {name!r} is named twice in --summaries {source!r}")
    return model_names


def unknown_source(source: str) -> UsageError:
    """What to say about a source of summaries that there is not."""
    return UsageError(
        f"unknown source of summaries {source!r}",
        next_step="Expected 'docstring', 'jsonl:FILE' or 'llm:PROVIDER/MODEL'",
    )


def read_summaries(path: Path, units: Mapping[str, Unit]) -> list[Summary]:
    """Read summaries that models wrote."""
    summaries: dict[tuple[str, str], Summary] = {}
    for number, row in read_json_objects(path):
        summary = _checked(row, f"{path}:{number}", units)
        if summary is None:
            continue
        if (summary.unit, summary.source) in summaries:
            raise InputError(
                f"model {summary.source!r} summarises unit {summary.unit!r} a second time",
                where=f"{path}:{number}",
            )
        summaries[summary.unit, summary.source] = summary
    if not summaries:
        raise InputError("there is no summary in the file", where=path)
    return list(summaries.values())


def _checked(value: object, where: str, units: Mapping[str, Unit]) -> Summary | None:
    row = check_record(
        value, _Row, where, next_step="Each line has exactly the texts 'unit', 'model' and 'summary'"
    )
    if row.unit not in units:
        path = row.unit.partition("::")[0]
        there = [unit.id for unit in units.values() if unit.path == path] or list(units)[:5]
        raise InputError(
            f"there is no unit {row.unit!r}", where=where, next_step=near_match(row.unit, there[:20])
        )
    text = " ".join(row.summary.split())
    if not text:
        return None
    if not row.model.strip():
        raise InputError("'model' is empty, expected a name for who wrote the summary", where=where)
    if len(text) < SHORTEST:
        raise InputError(f"the summary {text!r} is shorter than {SHORTEST} characters", where=where)
    return Summary(row.unit, row.model, text)
