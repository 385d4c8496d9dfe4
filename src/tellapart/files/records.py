"""Records that people and their programs wrote: what is wrong with their fields, in one wording."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, is_dataclass
from functools import cache
from math import isfinite
from typing import Any, NamedTuple, TypeVar, get_args, get_type_hints

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from tellapart.errors import InputError, close_match, near_match, quoted

R = TypeVar("R")
Location = tuple[str | int, ...]


class Words(NamedTuple):
    """What was expected, and what to do."""

    expected: str
    next_step: str = ""


_MOST_KEYS = 12
_MOST_FAULTS = 20
_EXPECTED = {
    "bool_parsing": "true or false",
    "bool_type": "true or false",
    "dataclass_type": "an object",
    "dict_type": "an object",
    "enum": "{expected}",
    "finite_number": "a number that is not infinite or NaN",
    "float_parsing": "a number",
    "float_type": "a number",
    "frozen_set_type": "a list",
    "greater_than": "a number above {gt}",
    "greater_than_equal": "a number of {ge} or more",
    "int_from_float": "a whole number",
    "int_parsing": "a whole number",
    "int_parsing_size": "a whole number of fewer digits",
    "int_type": "a whole number",
    "less_than": "a number below {lt}",
    "less_than_equal": "a number of {le} or less",
    "list_type": "a list",
    "literal_error": "{expected}",
    "model_attributes_type": "an object",
    "model_type": "an object",
    "multiple_of": "a multiple of {multiple_of}",
    "path_type": "a path",
    "set_type": "a list",
    "string_pattern_mismatch": "a text that matches {pattern}",
    "string_sub_type": "a text",
    "string_too_long": "a text of at most {max_length} characters",
    "string_too_short": "a text of at least {min_length} characters",
    "string_type": "a text",
    "too_long": "at most {max_length} entries",
    "too_short": "at least {min_length} entries",
    "tuple_type": "a list",
}
"""What was expected by pydantic's kind of fault, with the ends that pydantic gives in braces."""

_NOT_EMPTY = {"string_too_short": "a text that is not empty", "too_short": "something in it"}
"""The same where one character or one entry would do."""


@dataclass(frozen=True)
class FieldFault:
    """One field of a record that cannot be used.

    Attributes:
        location: Keys and positions on the way to it; empty for the record itself.
        name: The same as readers of JSON write it, positions from 0: ``steps[2].text``.
        what: What is wrong, a sentence without its full stop.
        hint: What to do, such as the key that was probably meant; may be empty.
        kind: As pydantic calls the fault.
    """

    location: Location
    name: str
    what: str
    hint: str
    kind: str


def field_name(location: Iterable[str | int]) -> str:
    """Name a field by the keys and positions on the way to it: ``steps[2].text``."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    return "".join(parts).removeprefix(".")


def expected_of(detail: ErrorDetails) -> str:
    """Say in our words what a value should have been; pydantic's own words where we have none."""
    kind, ends = detail["type"], detail.get("ctx", {})
    if ends.get("min_length") == 1 and kind in _NOT_EMPTY:
        return _NOT_EMPTY[kind]
    if kind not in _EXPECTED:
        return detail["msg"].removeprefix("Input should be ")
    return _EXPECTED[kind].format_map(
        {name: f"{end:g}" if isinstance(end, float) else end for name, end in ends.items()}
    )


def field_faults(
    error: ValidationError, form: type, words: Mapping[str, Words] | None = None
) -> list[FieldFault]:
    """Say what is wrong with each field, in pydantic's order."""
    details = error.errors(include_url=False)
    misspelt = {(*detail["loc"][:-1], _misspelt(detail, form)) for detail in details}
    return [_fault(detail, form, words or {}) for detail in details if detail["loc"] not in misspelt]


def first_fault(error: ValidationError, form: type) -> str:
    """Say what is wrong with the first field, and how many others are wrong; for the middle of a sentence."""
    first, *others = field_faults(error, form)
    return first.what + (f" (and {len(others)} more)" if others else "")


def check_record(
    value: object,
    form: type[R],
    where: object,
    what: str | None = None,
    *,
    next_step: str | None = None,
    locate: Callable[[Location], object] | None = None,
    words: Mapping[str, Words] | None = None,
    strict: bool = False,
) -> R:
    """Hold a value against a form."""
    typed: Any = form
    try:
        # As JSON, in which a list is a tuple, where types must be just those of the form.
        reader = _reader(typed)
        record: R = (
            reader.validate_json(json.dumps(value), strict=True) if strict else reader.validate_python(value)
        )
        return record
    except ValidationError as error:
        faults = field_faults(error, form, words)
    prefix = f"not a valid {what}: " if what else ""
    if len(faults) == 1:
        (fault,) = faults
        raise InputError(
            prefix + fault.what,
            where=locate(fault.location) if locate else where,
            next_step=" ".join(filter(None, [fault.hint, next_step])) or None,
        )
    lines = [_line(fault, locate) for fault in faults[:_MOST_FAULTS]]
    more = [f"and {len(faults) - _MOST_FAULTS:,} more"] if len(faults) > _MOST_FAULTS else []
    head = f"{prefix}{len(faults):,} fields are wrong"
    advice = dict.fromkeys(words[fault.kind].next_step for fault in faults if words and fault.kind in words)
    next_step = ". ".join(filter(None, [*advice, next_step])) or None
    raise InputError("\n".join([head, *lines, *more]), where=where, next_step=next_step)


def check_numbers(value: object, where: object, what: str) -> None:
    """Refuse JSON with a number that this program never writes: NaN, infinity, or more than 64 bits."""
    todo: list[tuple[Location, object]] = [((), value)]
    while todo:
        location, element = todo.pop()
        if isinstance(element, dict):
            todo += reversed([((*location, key), inner) for key, inner in element.items()])
        elif isinstance(element, list):
            todo += reversed([((*location, i), inner) for i, inner in enumerate(element)])
        elif isinstance(element, float) and not isfinite(element):
            raise InputError(
                f"not {what}: {field_name(location)!r} is {element}, expected a number", where=where
            )
        elif isinstance(element, int) and abs(element) >= 2**63:
            raise InputError(
                f"not {what}: {field_name(location)!r} is {quoted(element)}, expected a number of at most 64 "
                "bits",
                where=where,
            )


@cache
def _reader(form: Any) -> TypeAdapter[Any]:
    return TypeAdapter(form)


def _line(fault: FieldFault, locate: Callable[[Location], object] | None) -> str:
    """A fault on a line of its own, with the near match and without the list of all keys."""
    where = f"{locate(fault.location)}: " if locate else ""
    hint = f" {fault.hint.partition(' There are: ')[0]}" if fault.hint.startswith("Did you mean") else ""
    return f"{where}{fault.what}." + hint


def _fault(detail: ErrorDetails, form: type, words: Mapping[str, Words]) -> FieldFault:
    location, kind, value = detail["loc"], detail["type"], detail["input"]
    name = field_name(location)
    hint = ""
    if kind == "missing":
        written, others = _misspelt(detail, form), _unknown(detail, form)
        single = written or (others[0] if len(others) == 1 else None)
        there = f"is {single!r}" if single else f"are {', '.join(others[:_MOST_KEYS])}"
        what = f"{name!r} is missing" + (f"; there {there}" if others else "")
    elif kind in ("extra_forbidden", "unexpected_keyword_argument"):
        what = f"the key {name!r} is not known"
        hint = near_match(str(location[-1]), _known(form, location))
    elif kind == "value_error":
        why = str(detail["ctx"]["error"])
        what = f"{name!r} is {quoted(value)}, which {why}" if name else why
    else:
        called = f"{name!r} is" if name else "found"
        wording = words.get(kind)
        what = f"{called} {quoted(value)}, expected {wording.expected if wording else expected_of(detail)}"
        hint = wording.next_step if wording else ""
    return FieldFault(location, name, what, hint, kind)


def _misspelt(detail: ErrorDetails, form: type) -> str | None:
    """The unknown key that was probably meant for one that is missing; None where there is none."""
    if detail["type"] != "missing":
        return None
    return close_match(str(detail["loc"][-1]), _unknown(detail, form))


def _unknown(detail: ErrorDetails, form: type) -> list[str]:
    """The keys that stand beside one that is missing, and that nobody reads."""
    beside = detail["input"] if isinstance(detail["input"], Mapping) else {}
    return sorted(set(map(str, beside)) - _known(form, detail["loc"]))


def _known(form: type, location: Location) -> set[str]:
    """The keys that may stand beside the last one of a location."""
    forms = [form]
    for key in location[:-1]:
        kinds = [fields[str(key)] for fields in map(_fields, forms) if key in fields]
        if kinds:
            forms = [inner for kind in kinds for inner in _forms_in(kind)]
    return {name for inner in forms for name in _fields(inner)}


def _fields(form: type) -> dict[str, Any]:
    """By the key of each field of a form, its type."""
    if issubclass(form, BaseModel):
        return {field.alias or name: field.annotation for name, field in form.model_fields.items()}
    return get_type_hints(form)


def _forms_in(annotation: Any) -> list[type]:
    """The forms that a type is made of, such as those of the entries of a list."""
    if isinstance(annotation, type) and (issubclass(annotation, BaseModel) or is_dataclass(annotation)):
        return [annotation]
    return [form for part in get_args(annotation) for form in _forms_in(part)]
