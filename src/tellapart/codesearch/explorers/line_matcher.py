"""A program of its own that matches lines, since only a process can be stopped in the middle of a match.

It imports nothing of tellapart, so that it is there at once. Each line of its input is JSON, and each is
answered by one: first the regular expression, by what is wrong with it or null; then lists of files, each a
list of lines, by the positions of those that match in each file.
"""

import json
import re
import sys


def main() -> None:
    """Answer until the input ends."""
    try:
        search = re.compile(json.loads(sys.stdin.readline())).search
    except (re.error, RecursionError, OverflowError) as error:
        _answer(str(error) or "it is too deep")
        return
    _answer(None)
    for line in sys.stdin:
        _answer([[i for i, text in enumerate(lines) if search(text)] for lines in json.loads(line)])


def _answer(answer: object) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
