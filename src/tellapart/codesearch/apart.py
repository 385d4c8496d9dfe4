"""Files of an evaluation are kept apart from the repositories, where explorers would read them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tellapart.codesearch.repositories import Repositories
from tellapart.errors import UsageError


def check_apart(repositories: Repositories, places: Mapping[str, Path | None]) -> None:
    """Refuse files and directories that lie in an approved repository.

    Explorers must not see what the system under test found; and what is written into a repository makes it
    another one, so that an interrupted evaluation could not go on.

    Args:
        repositories: What explorers may read.
        places: By what each is, such as ``--out``; None for one that there is not.

    Raises:
        UsageError: One does.
    """
    for what, place in places.items():
        if place is None:
            continue
        for name in repositories.names:
            home = (repositories.root / name).resolve()
            found = place.resolve()
            if found == home or home in found.parents:
                raise UsageError(
                    f"{what} lies in the repository {name!r}, where explorers would read it",
                    where=place,
                    next_step="Keep it in a directory outside the approved repositories",
                )
