"""Addresses of servers as they may be written down."""

from __future__ import annotations

from urllib.parse import urlsplit


def without_password(address: str) -> str:
    """A server's address without what stands before an @, its query and its fragment."""
    parts = urlsplit(address)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()
