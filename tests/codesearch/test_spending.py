from tellapart.codesearch.explorers.journal import KeptPurse
from tellapart.store.database import RunDatabase


def test_a_purse_remembers_what_was_spent_on_what_came_to_no_end(tmp_path):
    database = RunDatabase(tmp_path / "run.db")
    purse = KeptPurse(database)
    use = {"served": "a-1", "usage": {"input_tokens": 100, "output_tokens": 10}, "sent": {"seed": [1]}}
    purse.take("anthropic/a", use, 0.25)
    purse.take("anthropic/a", {"failure": {"cause": "timeout"}, "attempts": 3})
    purse.take("anthropic/b", {"served": ["b-1", "b-2"], "calls": 4, "attempts": 4}, 0.5)
    assert purse.dollars == KeptPurse(database).dollars == 0.75
    again = KeptPurse(database)
    assert (again.uses, again.paid) == (purse.uses, purse.paid)
    first, second = again.uses.values()
    assert (first.calls, first.failed, first.attempts, first.input_tokens) == (1, 1, 4, 100)
    assert first.effective() == {"seed": 1}
    assert (second.calls, second.attempts, second.served) == (4, 4, {"b-1", "b-2"})
    again.take("anthropic/a", use, 1.0)
    assert KeptPurse(database).dollars == 1.75
