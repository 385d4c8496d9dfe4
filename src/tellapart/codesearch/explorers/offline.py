"""An offline model for agents: no language model, but it uses the tools, by a fixed rule."""

from __future__ import annotations

import re
from collections import Counter

from tellapart.llm.offline import Reply, calls_tool, respond
from tellapart.llm.tools import SUBMIT

MOST_WORDS = 8
"""Words of the issue that are searched."""

MOST_FILES = 20
"""Files that are handed in."""

_ISSUE = re.compile(r"^[0-9a-f]{12} Issue\n((?:\|.*\n)*)", re.MULTILINE)
_HIT = re.compile(r"^([^\s:]+/[^:\n]+):\d+: ", re.MULTILINE)


@respond("greps")
def greps(message: str) -> Reply:
    """Search for the longest words of the issue, once, and hand in the files with most lines that match.

    Of words of one length those come first that sort first, and so do files. An issue without a word of four
    letters has no file.
    """
    issue = _ISSUE.search(message)
    words = sorted(
        set(re.findall(r"[a-z]{4,20}", issue[1].lower() if issue else "")), key=lambda w: (-len(w), w)
    )
    if words:
        return calls_tool("grep", pattern="|".join(words[:MOST_WORDS]), ignore_case=True)
    hits = Counter(_HIT.findall(message))
    files = sorted(hits, key=lambda file: (-hits[file], file))[:MOST_FILES]
    return calls_tool(SUBMIT, files=files, reasoning="They have the most lines with words of the issue.")
