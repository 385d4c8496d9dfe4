"""An assistant that compacts its history: ``--command 'python examples/compacting_assistant.py 4000'``.

When the history has grown past so many tokens, its older part is summarised: of each paragraph the first
sentence stays. The model is an offline rule that answers from what it is shown; put yours, and your summary,
in its place.
"""

import json
import sys

from tellapart.offline.longcontext import latest, reply

CHARACTERS_A_TOKEN = 4


class Compacting:
    """One conversation."""

    def __init__(self, tokens: int = 4000) -> None:
        """Keep ``tokens`` at most."""
        self.most = tokens * CHARACTERS_A_TOKEN
        self.history = ""

    def reply(self, message: str, type: str) -> dict[str, str]:
        """Answer a probe from the history, and add anything else to it."""
        if type == "probe":
            turns = [("user", self.history), ("assistant", "Read."), ("user", message)]
            return {"content": reply(turns, latest)}
        self.history = self.compacted(f"{self.history}\n\n{message}")
        return {"content": "Noted."}

    def compacted(self, history: str) -> str:
        """A history that is short enough: its end as it was said, and before that what fits of a summary."""
        if len(history) <= self.most:
            return history
        half = self.most // 2
        paragraphs = [text for text in history[:-half].split("\n\n") if text.strip()]
        summary = "\n\n".join(text.split(". ")[0] + "." for text in paragraphs)
        return f"{summary[-half + 2 :]}\n\n{history[-half:]}"


def main() -> None:
    """Read a turn from stdin, and write the answer to it, a line of JSON each."""
    assistant = Compacting(*map(int, sys.argv[1:]))
    for line in sys.stdin:
        turn = json.loads(line)
        answer = assistant.reply(turn["content"], turn["type"])
        sys.stdout.write(json.dumps({"id": turn["id"], **answer}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
