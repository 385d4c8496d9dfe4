"""Addresses of servers as they may be written down."""

from __future__ import annotations

from contextlib import suppress
from ipaddress import ip_address
from urllib.parse import urlsplit


def without_password(address: str) -> str:
    """A server's address without what stands before an @, its query and its fragment."""
    parts = urlsplit(address)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


def on_this_machine(address: str) -> bool:
    """Whether a server's address is of this machine, where no proxy reaches it: ``localhost``, a loopback."""
    host = urlsplit(address).hostname or ""
    with suppress(ValueError):
        return ip_address(host).is_loopback
    return host == "localhost" or host.endswith(".localhost")
