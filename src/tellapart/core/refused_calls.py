"""What a provider turns down every time: the statuses that no other question changes, and what to do."""

from __future__ import annotations

_NO_MONEY = ("insufficient_quota", "credit balance is too low", "insufficient balance")


def refused_call(status: int | None, detail: str, key_variable: str | None) -> tuple[str, str] | None:
    """Say why a provider would turn down every further call as well.

    That is: a key that is refused (401), an account that cannot pay (402, or a quota that is used up), an
    access that is not granted (403), a model or an address that is not there (404).
    """
    detail = detail.lower()
    set_key = f"et {key_variable} to a key that" if key_variable else "ive it a key that"
    begin = "S" if key_variable else "G"
    if status == 402 or (status in (400, 403, 429) and any(words in detail for words in _NO_MONEY)):
        return "has no credit left", f"Add credit, or {begin.lower()}{set_key} has some"
    if status == 401:
        return "does not accept the key", f"{begin}{set_key} it accepts"
    if status == 403:
        return "does not allow this", f"{begin}{set_key} may use this model"
    if status == 404:
        return "does not know this model", "Check the model's name, and the base URL if you gave one"
    return None
