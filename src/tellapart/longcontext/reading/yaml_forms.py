"""What a case in YAML may say."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from tellapart.longcontext.case import Rule
from tellapart.longcontext.reading.entries import entry_of

_ID = {"message": r"M\d+", "checkpoint": r"C[\w.-]+", "verification": r"V[\w.-]+"}


def _stripped(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _entry(value: Any) -> Any:
    found = entry_of(value) if isinstance(value, str) else None
    return vars(found) if found else value


Text = Annotated[str, BeforeValidator(_stripped), Field(min_length=1)]
Tokens = Annotated[int, Field(gt=0)]


class Form(BaseModel):
    """No unknown keys, and no text that is taken for a number."""

    model_config = ConfigDict(extra="forbid", strict=True)


class EntryForm(Form):
    """One line of an enumeration."""

    label: Text
    author: Text
    year: int | None = None
    size: int | None = None
    note: str = ""


class StepForm(Form):
    """One user turn; exactly one of the first three says what it is and how it is called."""

    message: Annotated[str, Field(pattern=rf"^{_ID['message']}$")] | None = None
    checkpoint: Annotated[str, Field(pattern=rf"^{_ID['checkpoint']}$")] | None = None
    verification: Annotated[str, Field(pattern=rf"^{_ID['verification']}$")] | None = None
    text: Text
    failure_mode: Text | None = None
    expected: Text | None = None
    evidence: Annotated[list[Text], BeforeValidator(_listed)] = []
    rule: Rule | None = None
    banned: Text | None = None
    early: Text | None = None
    late: Text | None = None
    entries: list[Annotated[EntryForm, BeforeValidator(_entry)]] = []
    intended_tokens: Tokens | None = None
    question: Text | None = None
    test: Text | None = None
    scoring: Text | None = None
    expected_failure: Text | None = None


class CaseForm(Form):
    """A case; ``continues`` names a file beside this one."""

    name: Text | None = None
    system: Text | None = None
    note: str = ""
    intended_tokens: Tokens | None = None
    continues: Text | None = None
    steps: Annotated[list[StepForm], Field(min_length=1)]


PROBES_ALONE = tuple(
    name for name in StepForm.model_fields if name not in ("message", "checkpoint", "verification", "text")
)
"""Keys that say something of a probe."""
