"""Fingerprints of cases and of what was played, which stay what they were when records gain fields."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tellapart.core.fingerprint import sha256_of_json
from tellapart.longcontext.token_ranges import TokenRange

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_LATER = frozenset(
    (
        "reply",
        "session",
        "date",
        "origin",
        "accept",
        "prefix",
        "required",
        "exact",
        "regex",
        "unit",
        "tolerance",
        "strict",
        "given",
        "own_history",
        "cache_written_tokens",
    )
)
"""Fields that came after runs were recorded; each counts only where it says something."""


def data_of(value: DataclassInstance) -> dict[str, Any]:
    """A record as it goes into a fingerprint; what came later and says nothing is left out."""
    return asdict(value, dict_factory=_telling)


def fingerprint_of(value: DataclassInstance) -> str:
    """SHA-256 of a record, 64 hexadecimal digits."""
    return sha256_of_json(data_of(value))


def _telling(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return {
        name: str(value) if isinstance(value, TokenRange) else value
        for name, value in pairs
        if value or name not in _LATER
    }
