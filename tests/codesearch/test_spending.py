import pytest

from tellapart.codesearch.explorers.explorer import Exploration, Issue
from tellapart.codesearch.explorers.journal import Explorations, Job, KeptPurse, spent
from tellapart.codesearch.model import Failed
from tellapart.llm.budget import Limits
from tellapart.store.database import RunDatabase

PASSED = Failed("budget", "turns", "no answer in 40 turns")


EXPLORERS = ("agent:anthropic/a", "agent:anthropic/b")


@pytest.fixture
def kept(tmp_path):
    """Two explorations of run A, one that failed among them, one of run B, and one of run A's retest."""
    kept = Explorations(RunDatabase(tmp_path / "run.db"))
    for role, name, sent, back, failure in (
        ("run_a", "c1", 1000, 100, None),
        ("run_a", "c2", 3000, 300, PASSED),
        ("run_b", "c1", 500, 50, None),
        ("retest_a", "c1", 2000, 200, None),
    ):
        usage = {"input_tokens": sent, "output_tokens": back, "turns": 3}
        kept.keep(Job(role, Issue(name, "x")), Exploration((), failure, 1.0, usage))
    return kept


def test_tokens_from_and_into_caches_have_their_own_prices(tmp_path):
    kept = Explorations(RunDatabase(tmp_path / "run.db"))
    usage = {"input_tokens": 1000, "output_tokens": 0, "cached_tokens": 600, "cache_written_tokens": 300}
    for name in ("c1", "c2"):
        kept.keep(Job("run_a", Issue(name, "x")), Exploration((), None, 1.0, usage))
    # Of each, 100 tokens cost 1 dollar a million, 600 cost 0.1 and 300 cost 2.
    assert spent(kept, EXPLORERS, Limits(price=(1.0, 10.0, 0.1, 2.0))) == pytest.approx(2 * 760e-6)


def test_a_purse_remembers_what_was_spent_on_what_came_to_no_end(tmp_path):
    database = RunDatabase(tmp_path / "run.db")
    purse = KeptPurse(database)
    use = {"served": "a-1", "usage": {"input_tokens": 100, "output_tokens": 10}, "sent": {"seed": [1]}}
    purse.take("anthropic/a", use, 0.25)
    purse.take("anthropic/a", {"failure": {"cause": "timeout"}, "attempts": 3})
    purse.take("anthropic/b", {"served": ["b-1", "b-2"], "calls": 4, "attempts": 4}, 0.5)
    assert purse.dollars == KeptPurse(database).dollars == KeptPurse(database, 0.5).dollars == 0.75
    assert KeptPurse(database, 2.0).dollars == 2.0
    again = KeptPurse(database)
    assert (again.uses, again.paid) == (purse.uses, purse.paid)
    first, second = again.uses.values()
    assert (first.calls, first.failed, first.attempts, first.input_tokens) == (1, 1, 4, 100)
    assert first.effective() == {"seed": 1}
    assert (second.calls, second.attempts, second.served) == (4, 4, {"b-1", "b-2"})
    again.take("anthropic/a", use, 1.0)
    assert KeptPurse(database).dollars == 1.75
