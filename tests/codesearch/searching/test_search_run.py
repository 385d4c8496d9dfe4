import asyncio
from dataclasses import dataclass, field

import pytest

from tellapart.codesearch.model import Conversation, Failed, Searched, SearchResults, Unusable
from tellapart.codesearch.repositories import Repositories
from tellapart.codesearch.searching import search
from tellapart.codesearch.systems.system import SystemAnswer
from tellapart.errors import InputError


@dataclass
class Planned:
    """A system that returns what is planned for an issue, the later ones sooner."""

    plan: dict
    name: str = "planned"
    most: int = 0
    running: int = 0
    prepared: list = field(default_factory=list)
    closed: int = 0

    def check(self):
        """Nothing."""

    def prepare(self):
        self.prepared.append(True)

    async def close(self):
        self.closed += 1

    async def search(self, conversation):
        self.running += 1
        self.most = max(self.most, self.running)
        await asyncio.sleep(0.02 / (1 + list(self.plan).index(conversation.id)))
        self.running -= 1
        return self.plan[conversation.id]


@pytest.fixture
def repositories(tmp_path):
    for name in "ab":
        (tmp_path / "code" / name).mkdir(parents=True)
    (tmp_path / "code" / "a" / "pins.py").write_text("pins")
    (tmp_path / "code" / "a" / "x.py").touch()
    (tmp_path / "code" / "b" / "y.py").touch()
    return Repositories.open(tmp_path / "code", ["a", "b"])


def conversations(*ids, **facts):
    asked = tuple(Searched(Conversation(each, f"issue {each}", "feed", 0.5)) for each in ids)
    return SearchResults(facts.pop("iteration", 1), "2026-01-15T15:30:00Z", asked, **facts)


def test_results_are_as_documented_and_in_the_order_of_the_conversations(repositories):
    plan = {
        "1": SystemAnswer({"files_found": [{"path": "y.py", "repo": "b", "terms": ["t", "u"]}]}),
        "2": SystemAnswer({"files_found": [], "exploration_log": ["looked"]}, ("a note",)),
    }
    system = Planned(plan)
    found = search(conversations("1", "2"), system, repositories)
    first, second = found.record.pop("conversations")
    issue = {"conversation_id": "1", "issue_summary": "issue 1", "product_area": "feed"}
    results = {"files_found": ["b/y.py"], "search_terms_used": [], "exploration_log": []}
    results |= {"terms_by_file": {"b/y.py": ["t", "u"]}}
    assert first == {**issue, "classification_confidence": 0.5, "search_results": results}
    assert second["search_results"]["exploration_log"] == ["looked"]
    when = {"iteration_number": 1, "timestamp": "2026-01-15T15:30:00Z"}
    assert found.record == {**when, "system": "planned", "unusable_conversations": [], "left_out": {}}
    assert found.notes == ("conversation '2': a note",)
    assert (system.prepared, system.closed) == ([True], 1)


def test_a_search_that_fails_is_told_and_the_rest_go_on(repositories):
    plan = {
        "1": Failed("timeout", "timeout", "too slow"),
        "2": SystemAnswer({"files_found": ["a/x.py"]}),
        "3": SystemAnswer({"files_found": ["elsewhere/x.py"]}),
        "4": SystemAnswer({"files_found": ["a/../x.py"]}),
        "5": SystemAnswer({"files_found": 5}),
        "6": SystemAnswer({"files_found": [], "exploration_log": float("nan")}),
    }
    earlier = Unusable("#7", "no id")
    found = search(conversations(*plan, unusable=(earlier,)), Planned(plan), repositories)
    assert [each["conversation_id"] for each in found.record["conversations"]] == ["2", "6"]
    assert found.record["conversations"][1]["search_results"]["exploration_log"] == []
    assert found.unusable[:2] == (earlier, Unusable("1", "its search failed (timeout): too slow"))
    assert [left.conversation for left in found.unusable[2:]] == ["3", "4", "5"]
    for left, word in zip(found.unusable[2:], ("elsewhere", "..", "files_found"), strict=True):
        assert left.why.startswith("its search failed (parse): ") and word in left.why
    assert found.record["unusable_conversations"] == [
        {"conversation_id": left.conversation, "why": left.why} for left in found.unusable
    ]


def test_failures_among_answers_are_no_system_that_is_down(repositories):
    timeout, answer = Failed("timeout", "timeout", "too slow"), SystemAnswer({"files_found": ["a/x.py"]})
    plan = {str(number): (timeout, answer)[number % 2] for number in range(24)}
    found = search(conversations(*plan), Planned(plan), repositories)
    assert (found.end, len(found.record["conversations"])) == (None, 12)


def test_a_system_that_prints_nothing_for_every_issue_is_an_error(repositories):
    plan = {each: SystemAnswer({"files_found": []}, silent=True) for each in ("1", "2")}
    with pytest.raises(InputError, match="all 2 searches printed nothing"):
        search(conversations("1", "2"), Planned(plan), repositories)
    plan["2"] = SystemAnswer([])
    assert len(search(conversations("1", "2"), Planned(plan), repositories).record["conversations"]) == 2
