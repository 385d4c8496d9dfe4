"""An assistant with a memory: ``--command 'python examples/memory_assistant.py'``.

It keeps every paragraph that it is told, and shows its model only those that fit the question best (BM25),
not the whole conversation. The model is an offline rule that answers from what it is shown; put yours in its
place.
"""

import json
import sys
from typing import Any

import bm25s

from tellapart.offline.longcontext import latest, reply

SHOWN = 8


class Memory:
    """One conversation."""

    def __init__(self) -> None:
        """Remember nothing yet."""
        self.paragraphs: list[str] = []

    def reply(self, message: str, type: str) -> dict[str, Any]:
        """Answer a probe from what fits it, and keep anything else."""
        if type != "probe":
            self.paragraphs += [text for text in message.split("\n\n") if text.strip()]
            return {"content": "Noted."}
        shown = self.recall(message)
        turns = [("user", "\n\n".join(shown)), ("assistant", "Read."), ("user", message)]
        step = {"name": "recall", "arguments": {"query": message}, "result": shown}
        return {"content": reply(turns, latest), "steps": [step]}

    def recall(self, question: str) -> list[str]:
        """The paragraphs that fit a question best, the best last, where the model looks first."""
        if not self.paragraphs:
            return []
        index = bm25s.BM25()
        index.index(bm25s.tokenize(self.paragraphs, show_progress=False), show_progress=False)
        query = bm25s.tokenize(question, show_progress=False)
        found, _ = index.retrieve(query, k=min(SHOWN, len(self.paragraphs)), show_progress=False)
        return [self.paragraphs[place] for place in reversed(found[0])]


def main() -> None:
    """Read a turn from stdin, and write the answer to it, a line of JSON each."""
    memory = Memory()
    for line in sys.stdin:
        turn = json.loads(line)
        answer = memory.reply(turn["content"], turn["type"])
        sys.stdout.write(json.dumps({"id": turn["id"], **answer}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
