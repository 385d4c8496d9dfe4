"""An offline model that explains: no language model, it says again what each proposal's own facts say."""

from __future__ import annotations

import json
import re
from typing import Any

from tellapart.llm.offline import respond

_PROPOSAL = re.compile(r"^[0-9a-f]{12} Proposal (\S+)\n((?:\|.*\n)+)", re.MULTILINE)


@respond("restates")
def restates(prompt: str) -> str:
    """Explain proposals by their statement, a file to look at and the areas that could be hurt.

    A prompt of another form has an answer that cannot be read.
    """
    restated = [
        _explanation(label, json.loads(re.sub(r"^\| ?", "", text, flags=re.MULTILINE)))
        for label, text in _PROPOSAL.findall(prompt)
    ]
    if not restated:
        return "There is nothing to explain."
    kinds = ", ".join(dict.fromkeys(one["explanation"].partition(":")[0] for one in restated))
    return json.dumps(
        {"explanations": restated, "reasoning": f"These are {len(restated)} of the kinds {kinds}."}
    )


def _explanation(label: str, proposal: dict[str, Any]) -> dict[str, str]:
    files, areas = proposal["evidence"]["files"], list(proposal["could_hurt"])
    return {
        "proposal": label,
        "explanation": f"{proposal['kind']}: {proposal['statement']}.",
        "check_first": f"Look at {files[0]}." if files else "Look at the facts.",
        "risk": f"It could hurt {', '.join(areas)}." if areas else "No area is seen that it could hurt.",
    }
