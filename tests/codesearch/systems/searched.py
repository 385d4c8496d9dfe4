"""A system of any kind, on a small repository, for one issue."""

import asyncio
from pathlib import Path

from tellapart.codesearch.kinds import load
from tellapart.codesearch.model import Conversation
from tellapart.codesearch.repositories import Repositories
from tellapart.codesearch.systems.system import SystemRequest

FILES = {
    "a/pins.py": "show pins in community\n",
    "a/feed.py": "show feed: timeoutSeconds, a timeout, TIMEOUT\n",
    "b/board.py": "show board of pins\n",
    "b/credentials.json": "pins community feed",
    "b/feed.md": "show nothing\n",
}


def repositories(tmp_path, files=None):
    for path, content in (FILES if files is None else files).items():
        place = tmp_path / "code" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content)
    return Repositories.open(tmp_path / "code", ["a", "b"])


def request(tmp_path, spec, *, files=None, **options):
    return SystemRequest(spec, repositories(tmp_path, files), Path(tmp_path / "index"), **options)


def searched(tmp_path, spec, *issues, files=None, **options):
    """What a system returns for each issue, all at the same time."""
    system = load("systems", request(tmp_path, spec, files=files, **options))
    system.check()
    system.prepare()

    async def search():
        try:
            return await asyncio.gather(
                *(system.search(Conversation(f"c{at}", issue)) for at, issue in enumerate(issues))
            )
        finally:
            await system.close()

    return asyncio.run(search())
