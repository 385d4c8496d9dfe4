"""Regular expressions of keys, matched in a time that grows with the response and not faster.

The engine is that of polars (Rust's ``regex``): ``(a+)+$`` takes no more time than ``a+$``. It has neither
lookaround nor backreferences, which is what allows the bound.
"""

from __future__ import annotations


def matches(pattern: str, text: str) -> bool:
    """Whether a pattern is found somewhere in a text, without the blanks around it."""
    import polars as pl

    # What is no text, such as half of a pair of surrogates, matches as a question mark.
    plain = text.strip().encode("utf-8", "replace").decode("utf-8")
    try:
        return bool(pl.Series([plain], dtype=pl.String).str.contains(pattern)[0])
    except pl.exceptions.ComputeError as error:
        why = [line.removeprefix("error: ") for line in str(error).splitlines() if line.startswith("error: ")]
        raise ValueError(
            "is no regular expression that can be matched in bounded time: "
            f"{why[0] if why else str(error).splitlines()[-1]}"
        ) from None
