"""Which of several metrics of a log is read."""

from __future__ import annotations

from collections.abc import Sequence

from tellapart.errors import InputError, near_match


def choose_metric(
    names: Sequence[str], asked: str | None, where: object, *, default: str | None = None
) -> tuple[str, tuple[str, ...]]:
    """Choose a metric.

    Args:
        names: Those of the log, at least one, in its order.
        asked: What the user asked for: a name, or the end of one after a dot or the beginning of one before a
            comma, such as ``exact`` for ``detail.exact`` and ``acc`` for ``acc,none``. Of several that fit
            the first is taken.
        where: The file, for the message.
        default: What the log itself puts first; the first of the names where None.

    Returns:
        The name, and a note if the log left a choice that the user did not make.

    Raises:
        InputError: There is no metric of that name.
    """
    if asked is not None:
        fits = [name for name in names if name == asked] or [
            name for name in names if asked in (name.rpartition(".")[2], name.partition(",")[0])
        ]
        if not fits:
            raise InputError(f"there is no metric {asked!r}", where=where, next_step=near_match(asked, names))
        return fits[0], told(fits[0], fits[1:])
    chosen = names[0] if default is None else default
    return chosen, told(chosen, [name for name in names if name != chosen])


def told(chosen: str, others: Sequence[str]) -> tuple[str, ...]:
    """Say what was read and what else there is; nothing where there is nothing else."""
    if not others:
        return ()
    also = ", ".join(map(repr, others))
    return (
        f"Read the metric {chosen!r}; there {'is' if len(others) == 1 else 'are'} also {also} (--metric).",
    )
