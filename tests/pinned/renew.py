"""Write the pinned outputs anew: ``python tests/pinned/renew.py``.

The files beside this one are what an earlier version printed, wrote and stored. They are there so that the
inside of the house can be rebuilt and nobody outside notices. Renewing them is legitimate in one case: an
output was meant to change, the changelog says so, and every line of the difference is that change. It is
never the way to make a failing test pass after a change that should have changed nothing.

What lies in ``stored`` is not renewed by that: runs, journals and scoreboards stay what the version that
wrote them wrote. ``python tests/pinned/renew.py --stored NAME`` makes those of ``made/NAME.txt`` anew, for
a format that is to be left behind; then nobody's old runs can be read any more, and the
changelog has to say so.
"""

import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from pinned.scenarios import MAKINGS, SCENARIOS, outcome, store  # noqa: E402
from pinned.terminal import groups, help_text  # noqa: E402


def write(folder, texts):
    """Make the files of a folder these, and say which were others."""
    folder.mkdir(parents=True, exist_ok=True)
    for place in set(folder.iterdir()) - {folder / name for name in texts}:
        place.unlink()
    for name, text in texts.items():
        place = folder / name
        if not place.exists() or place.read_text(encoding="utf-8") != text:
            place.write_text(text, encoding="utf-8")
            sys.stdout.write(f"{place.relative_to(HERE)}\n")


def main():
    """Renew what is pinned, or make anew what is stored."""
    if sys.argv[1:2] == ["--stored"]:
        for name in sys.argv[2:] or MAKINGS:
            with tempfile.TemporaryDirectory() as directory:
                store(name, Path(directory))
        return
    with tempfile.TemporaryDirectory() as directory:
        texts = {f"{name}.txt": help_text(Path(directory), words) for name, words in groups().items()}
        write(HERE / "help", texts)
    for name in SCENARIOS:
        with tempfile.TemporaryDirectory() as directory:
            write(HERE / "outputs" / name, outcome(name, Path(directory)))


if __name__ == "__main__":
    main()
