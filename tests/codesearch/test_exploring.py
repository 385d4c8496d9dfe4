import asyncio

import pytest

from support.recorded import entries_of
from tellapart.codesearch.explorers.explorer import Explorer, Issue
from tellapart.codesearch.explorers.journal import Explorations, Job, explore_all
from tellapart.codesearch.model import Explored, Failed
from tellapart.codesearch.repositories import Repositories
from tellapart.errors import ProviderError
from tellapart.store.database import RunDatabase

ISSUES = [Issue(f"c{i}", f"issue {i}") for i in range(3)]
HUNG = Failed("timeout", "timeout", "no end in 600 s")
UNREADABLE = Failed("parse", "not_json", "there is no JSON object in it")


def explored(*files, failure=None, usage=None, name="scripted"):
    return Explored(name, files, failure, usage or {})


class Scripted(Explorer):
    """Explores by a table, and remembers what it was asked, and how much at the same time."""

    reads = False

    def __init__(self, name="scripted", **results):
        self.name = name
        self.results = results
        self.asked = []
        self.prepared = 0
        self.at_once = self.most_at_once = 0

    def prepare(self):
        self.prepared += 1

    async def explore(self, issue, repositories):
        self.asked.append(issue)
        self.at_once += 1
        self.most_at_once = max(self.at_once, self.most_at_once)
        await asyncio.sleep(0.01)
        self.at_once -= 1
        result = self.results.get(issue.conversation_id, explored(f"repo/{issue.conversation_id}.py"))
        if isinstance(result, Exception):
            raise result
        return result


def jobs(*roles):
    return [Job(role, issue) for issue in ISSUES for role in roles]


def explore(tmp_path, todo, explorers, **options):
    tmp_path.mkdir(exist_ok=True)
    with RunDatabase(tmp_path / "run.db") as database:
        kept = Explorations(database)
        return explore_all(
            todo, explorers, kept, Repositories.none(), **{"concurrency": 2, "logs": tmp_path} | options
        )


def test_every_job_has_its_exploration_whoever_is_faster(tmp_path):
    slow, fast = Scripted("slow"), Scripted("fast", c1=explored("repo/other.py"))
    found = explore(tmp_path, jobs("run_a", "run_b"), {"run_a": slow, "run_b": fast}, concurrency=4)
    assert found["run_a", "c1"].files == ("repo/c1.py",)
    assert found["run_b", "c1"].files == ("repo/other.py",)
    assert len(found) == 6


def test_what_is_finished_is_not_explored_again(tmp_path):
    used = {"input_tokens": 30, "output_tokens": 2}
    explorer = Scripted(c0=explored(usage=used), c1=explored(failure=UNREADABLE, usage=used))
    first = explore(tmp_path, jobs("run_a"), {"run_a": explorer})
    again = Scripted()
    assert explore(tmp_path, jobs("run_a"), {"run_a": again}) == first
    assert (again.asked, again.prepared) == ([], 0)


def test_what_may_pass_is_tried_again_by_a_resumed_run_and_the_last_result_counts(tmp_path):
    explore(tmp_path, jobs("run_a"), {"run_a": Scripted(c1=explored(failure=HUNG))})
    again = Scripted()
    found = explore(tmp_path, jobs("run_a"), {"run_a": again})
    assert [issue.conversation_id for issue in again.asked] == ["c1"]
    assert found["run_a", "c1"] == explored("repo/c1.py")
    third = Scripted()
    assert explore(tmp_path, jobs("run_a"), {"run_a": third}) == found
    assert third.asked == []


def test_an_explorer_that_cannot_go_on_stops_all_and_loses_nothing(tmp_path):
    with pytest.raises(ProviderError, match="the key"):
        explore(tmp_path, jobs("run_a"), {"run_a": Scripted(c2=ProviderError("the key"))}, concurrency=1)
    assert [entry["conversation"] for entry in entries_of(tmp_path, "explorations")] == ["c0", "c1"]


def test_what_ended_well_in_an_earlier_run_is_taken_over(tmp_path):
    earlier = {
        "c1": explored(failure=HUNG),
        "c2": explored("repo/x.py", usage={"input_tokens": 9}),
    }
    explore(tmp_path / "first", jobs("run_a"), {"run_a": Scripted(**earlier)})
    again, kept = Scripted(), Explorations(RunDatabase(tmp_path / "second" / "run.db"))
    changed = [Job("run_a", Issue("c0", "other words")), *jobs("run_a")[1:]]
    kept.take_over([tmp_path / "first"], changed, {"run_a": again})
    found = explore_all(changed, {"run_a": again}, kept, Repositories.none(), concurrency=1, logs=tmp_path)
    assert [issue.conversation_id for issue in again.asked] == ["c0", "c1"]
    assert found["run_a", "c2"] == explored("repo/x.py")
    assert [entry["usage"] for entry in entries_of(tmp_path / "second", "explorations")][0] == {}
