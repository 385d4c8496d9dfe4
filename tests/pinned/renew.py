"""Write the pinned outputs anew: ``python tests/pinned/renew.py [NAME ...]``.

Renewing them is legitimate in one case: an output was meant to change, and every line of the difference is
that change.
"""

import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from pinned.scenarios import SCENARIOS, outcome  # noqa: E402


def write(folder, texts):
    """Make the files of a folder these, and name those that changed."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in set(folder.iterdir()) - {folder / name for name in texts}:
        path.unlink()
    for name, text in texts.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            sys.stdout.write(f"{path.relative_to(HERE)}\n")


def main():
    """Renew what is pinned of the named scenarios, or of all."""
    for name in sys.argv[1:] or SCENARIOS:
        with tempfile.TemporaryDirectory() as directory:
            write(HERE / "outputs" / name, outcome(name, Path(directory)))


if __name__ == "__main__":
    main()
