"""Altair, imported when the first chart is drawn: that takes longer than to audit most tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tellapart.errors import MissingExtra

if TYPE_CHECKING:
    import altair as alt
else:

    class _Altair:
        def __getattr__(self, name: str) -> Any:
            try:
                import altair
            except ModuleNotFoundError:
                raise MissingExtra("drawing charts", "png") from None
            return getattr(altair, name)

    alt = _Altair()

__all__ = ["alt"]
