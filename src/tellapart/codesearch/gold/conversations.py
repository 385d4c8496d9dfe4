"""Issues to search for, from files of ours and from those of benchmarks."""

from __future__ import annotations

from tellapart.codesearch.gold.forms import is_benchmark, read_gold
from tellapart.codesearch.gold.placing import place_gold
from tellapart.codesearch.model import UNCERTAIN, Conversation, Conversations, Unusable
from tellapart.codesearch.recordings import read_conversations
from tellapart.codesearch.repositories import Repositories
from tellapart.errors import InputError


def read_issues(content: bytes, repositories: Repositories, *, where: str) -> Conversations:
    """Read issues: ``conversations.json``, or a benchmark of the forms that ``gold.forms`` reads.

    Those of a benchmark have its gold and its base commits. One without words, or about a repository that is
    not approved, is left out.
    """
    if not is_benchmark(content, where):
        return read_conversations(content, where=where)
    form = read_gold(content, where)
    placed = place_gold(form, repositories)
    issues, unusable = [], [Unusable(*left) for left in form.unusable]
    for row in form.rows:
        if row.id not in placed.gold:
            unusable.append(Unusable(row.id, f"its repository {row.repository!r} is not approved"))
        elif not row.summary.strip():
            unusable.append(Unusable(row.id, "it has no words to search for"))
        else:
            issues.append(
                Conversation(row.id, row.summary, row.area or UNCERTAIN, base=placed.bases.get(row.id))
            )
    if not issues:
        raise InputError(
            f"no issue of this {form.name} file can be used; {unusable[0].conversation!r}: {unusable[0].why}",
            where=where,
        )
    gold = {issue.id: placed.gold[issue.id] for issue in issues}
    return Conversations(None, None, tuple(issues), tuple(unusable), (), gold, form.name)
