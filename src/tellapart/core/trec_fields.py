"""Names as fields of TREC files, in which white space ends a field."""

from __future__ import annotations

import re
from urllib.parse import unquote

_UNSAFE = re.compile(r"[\s%]|^#|^q(?=(uery[-_])?id$)")
"""White space, our own sign, what begins a comment, and what begins BEIR's line of names."""


def encoded(name: str) -> str:
    """Give a name that has no space in it, with the bytes of such characters as ``%20``.

    Only what would be misread is encoded, so that paths stay readable. `decoded` takes it back.
    """
    return _UNSAFE.sub(lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), name)


def decoded(field: str) -> str:
    """Give the name that `encoded` made a field of."""
    return unquote(field)
