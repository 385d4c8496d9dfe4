"""Addresses of servers as they may be written down."""

from __future__ import annotations

from contextlib import suppress
from ipaddress import ip_address
from urllib.parse import urlsplit

_PORTS = {"http": 80, "https": 443}


def without_password(address: str) -> str:
    """A server's address without what stands before an @, its query and its fragment."""
    parts = urlsplit(address)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


def same_server(address: str, other: str) -> bool:
    """Whether two addresses are of one server: host, port and scheme, but for HTTP that becomes HTTPS."""
    first, second = urlsplit(address), urlsplit(other)
    with suppress(ValueError):
        ports = [parts.port or _PORTS.get(parts.scheme) for parts in (first, second)]
        schemes = (first.scheme, second.scheme)
        upgraded = schemes == ("http", "https") and ports == [80, 443]
        same = schemes[0] == schemes[1] and ports[0] == ports[1]
        return (first.hostname or "") == (second.hostname or "") != "" and (same or upgraded)
    return False


def on_this_machine(address: str) -> bool:
    """Whether a server's address is of this machine, where no proxy reaches it: ``localhost``, a loopback."""
    host = urlsplit(address).hostname or ""
    with suppress(ValueError):
        return ip_address(host).is_loopback
    return host == "localhost" or host.endswith(".localhost")
