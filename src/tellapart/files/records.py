"""Records that people and their programs wrote: what is wrong with their fields, in one wording."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from functools import cache
from typing import Any, NamedTuple, TypeVar, get_args, get_type_hints

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from tellapart.errors import InputError, near_match, quoted

R = TypeVar("R")
Location = tuple[str | int, ...]


class Words(NamedTuple):
    """What was expected, and what to do."""

    expected: str
    next_step: str = ""


_NO_WORDS: Mapping[str, Words] = {}
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


def first_fault(error: ValidationError, form: type) -> str:
    """Say what is wrong with the first field, and how many others are wrong; for the middle of a sentence."""
    first, *others = error.errors(include_url=False)
    return _sentence(first, form, _NO_WORDS)[0] + (f" (and {len(others)} more)" if others else "")


def check_record(
    value: object,
    form: type[R],
    where: object,
    what: str | None = None,
    *,
    next_step: str | None = None,
    locate: Callable[[Location], object] | None = None,
    words: Mapping[str, Words] = _NO_WORDS,
    strict: bool = False,
) -> R:
    """Hold a value against a form; ``locate`` gives the place of a field, ``words`` those of its own."""
    typed: Any = form
    reader = _reader(typed)
    try:
        # As JSON, in which a list is a tuple, where types must be just those of the form.
        record: R = (
            reader.validate_json(json.dumps(value), strict=True) if strict else reader.validate_python(value)
        )
        return record
    except ValidationError as error:
        details = error.errors(include_url=False)
    sentences = [_sentence(detail, form, words) for detail in details]
    places = [locate(detail["loc"]) if locate else None for detail in details]
    prefix = f"not a valid {what}: " if what else ""
    if len(details) == 1:
        ((sentence, hint),) = sentences
        steps = " ".join(filter(None, [hint, next_step]))
        raise InputError(prefix + sentence, where=places[0] or where, next_step=steps)
    lines = [
        " ".join(filter(None, [f"{place}:" if place else "", f"{sentence}.", hint]))
        for place, (sentence, hint) in list(zip(places, sentences, strict=True))[:_MOST_FAULTS]
    ]
    more = [f"and {len(details) - _MOST_FAULTS:,} more"] if len(details) > _MOST_FAULTS else []
    head = f"{prefix}{len(details):,} fields are wrong"
    raise InputError("\n".join([head, *lines, *more]), where=where, next_step=next_step)


@cache
def _reader(form: Any) -> TypeAdapter[Any]:
    return TypeAdapter(form)


def field_name(location: Location) -> str:
    """Name a field by the keys and positions on the way to it: ``steps[2].text``."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    return "".join(parts).removeprefix(".")


def _sentence(detail: ErrorDetails, form: type, words: Mapping[str, Words]) -> tuple[str, str]:
    """What is wrong with a field, without its full stop, and what to do, which may be nothing."""
    location, kind, value = detail["loc"], detail["type"], detail["input"]
    name = field_name(location)
    if kind == "missing":
        return f"{name!r} is missing", ""
    if kind in ("extra_forbidden", "unexpected_keyword_argument"):
        return f"the key {name!r} is not known", near_match(str(location[-1]), _known(form, location))
    if kind == "value_error":
        why = str(detail["ctx"]["error"])
        return f"{name!r} is {quoted(value)}, which {why}" if name else why, ""
    expected, hint = words.get(kind) or Words(expected_of(detail))
    return f"{f'{name!r} is' if name else 'found'} {quoted(value)}, expected {expected}", hint


def _known(form: type, location: Location) -> set[str]:
    """The keys that may stand beside the last one of a location."""
    forms = [form]
    for key in location[:-1]:
        kinds = [fields[str(key)] for fields in map(_fields, forms) if key in fields]
        forms = [inner for kind in kinds for inner in _forms_in(kind)] or forms
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
