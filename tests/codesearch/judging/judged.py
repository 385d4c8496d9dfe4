"""Repositories, conversations and replies for tests of the judge."""

import json
import re

from tellapart.codesearch.model import Case, Explored
from tellapart.codesearch.repositories import Repositories
from tellapart.llm.quoting import material_of

ISSUE = "Coupons are ignored at checkout"

_FILE = re.compile(
    r"^\w{12} File (\S+), its path\n((?:\|.*\n)+)\n\w{12} File \1, .*\n((?:\|.*\n)*)", re.MULTILINE
)


def make_repositories(root, files):
    """Write files by ``repo/path`` and open their repositories."""
    for path, content in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode())
    return Repositories.open(root, sorted({path.partition("/")[0] for path in files}))


def make_case(ours, *, truth=(), id="c1", issue=ISSUE, area="billing", verdicts=None, snippets=(), terms=()):
    """A conversation for which the first exploration found ``truth`` and the second one nothing."""
    return Case(
        id=id,
        issue_summary=issue,
        product_area=area,
        files=tuple(ours),
        terms=tuple(terms),
        snippets=tuple(snippets),
        run_a=Explored("a", tuple(truth)),
        run_b=Explored("b", ()),
        verdicts=verdicts or {},
    )


def verdicts_in(judged, id="c1"):
    """Of one conversation, the verdicts by file."""
    return {case.id: case.every_verdict for case in judged}[id]


def files_in(prompt):
    """Label, path and text of the files in a prompt."""
    return [(label, material_of(path), material_of(text)) for label, path, text in _FILE.findall(prompt)]


def judgement(label, relevant, actionable=None, reasoning="It was looked at."):
    actionable = actionable or ("yes" if relevant else "no")
    return {"file": label, "relevant": relevant, "actionable": actionable, "reasoning": reasoning}


def reply(prompt, relevant=lambda path: "good" in path):
    """A whole reply: files are relevant by their paths."""
    return json.dumps(
        {"judgements": [judgement(label, relevant(path)) for label, path, _ in files_in(prompt)]}
    )


def assessed(score=3, area=1, *, without=(), **scores):
    """A whole reply about a search."""
    names = ("file_relevance", "snippet_quality", "service_accuracy", "noise", "coverage", "gestalt")
    said = {name: scores.get(name, score) for name in names if name not in without}
    return json.dumps({**said, "product_area": area, "reasoning": "Half of it helps."})
