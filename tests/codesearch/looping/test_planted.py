"""A planted improvement and a planted regression, with explorers that really explore."""

import asyncio
import json

import pytest

from codesearch.looping.made_iterations import evaluation_text
from tellapart.codesearch.case import Case, Conversation, Explored, SearchResult
from tellapart.codesearch.config import Config, LoopConfig
from tellapart.codesearch.evaluation import Evaluation
from tellapart.codesearch.explorers.explorer import ExplorerRequest, Issue, load_explorer
from tellapart.codesearch.looping.run import run_loop
from tellapart.codesearch.looping.steps import Steps
from tellapart.codesearch.repositories import Repositories

AREAS = {"billing": ("refund", "invoice", "receipt"), "sharing": ("invite", "member", "link")}
"""Each word names an issue and the two files that are about it; ``value`` is in every file."""


@pytest.fixture
def repositories(tmp_path):
    for area, words in AREAS.items():
        folder = tmp_path / "repos" / "shop" / area
        folder.mkdir(parents=True)
        for word in words:
            for part in ("model", "view"):
                text = f"def {word}_{part}(value):\n    return {word}(value, {word}_total)\n"
                (folder / f"{word}_{part}.py").write_text(text)
    return Repositories.open(tmp_path / "repos", ["shop"])


class Pipeline:
    """A system that returns each file with a word of the issue, but for words that ``stopped`` names."""

    def __init__(self, repositories, tmp_path):
        self.repositories = repositories
        self.stopped = tmp_path / "stopped"
        self.stopped.write_text("the a of shows wrong")
        self.issues = [
            Conversation(f"{word}-{i}", f"the {word} shows a wrong value", area)
            for area, words in AREAS.items()
            for word in words
            for i in range(2)
        ]
        self.index = tmp_path / "index"
        self.steps = Steps(self.search, self.evaluate, lambda one, _: "{}")

    def search(self, one):
        texts = {path: self.repositories.locate(path).read_text() for path in self.repositories.files()}
        found = {}
        for issue in self.issues:
            terms = [
                word for word in issue.issue_summary.split() if word not in self.stopped.read_text().split()
            ]
            found[issue.id] = [path for path, text in texts.items() if any(term in text for term in terms)]
        return json.dumps({"iteration_number": one.number, "found": found})

    def evaluate(self, one, searched):
        explorers = [
            load_explorer(ExplorerRequest(name, "", self.repositories, self.index)) for name in one.explorers
        ]
        for explorer in explorers:
            explorer.prepare()
        cases = []
        for issue in self.issues:
            runs = [
                Explored(each.name, asyncio.run(each.explore(Issue(issue.id, issue.issue_summary))).files)
                for each in explorers
            ]
            files = tuple(json.loads(searched)["found"][issue.id])
            cases.append(Case(issue, SearchResult(files), *runs))
        return evaluation_text(Evaluation(one.number, None, tuple(cases)))

    def loop(self, tmp_path, word):
        """Two iterations, between which the system stops using a word."""
        improve = f"sh -c 'echo the a of shows wrong {word} > {self.stopped}'"
        limits = LoopConfig(max_iterations=2, precision_threshold=1.0, recall_threshold=1.0, improve=improve)
        return run_loop(Config(loop=limits), self.steps, tmp_path / "loop", explorers=("lexical", "lexical"))


def test_a_term_that_only_one_area_needs_stops_the_loop(repositories, tmp_path):
    pipeline = Pipeline(repositories, tmp_path)
    pipeline.stopped.write_text("the a of shows wrong value")
    result = pipeline.loop(tmp_path, "value refund")
    # Six conversations cannot tell it from chance, but it stops the loop.
    assert (result.stop.reason, result.history.to_json()["regressions"]) == ("unclear", [])
    (fallen,) = result.history.to_json()["undecided"]
    # Two of the six conversations on billing are about refunds, and find nothing any more.
    assert (fallen["area"], fallen["measure"], fallen["against_iteration"]) == ("billing", "recall_union", 1)
    assert (fallen["before"], fallen["after"]) == (1, pytest.approx(4 / 6))
    # Two differences of one sign, the others 0: two of four flips are as far out.
    assert (fallen["n"], fallen["p"], fallen["beyond_chance"]) == (6, 0.5, False)
    assert "in 'billing' recall without verdicts against iteration 1: -0.333" in result.stop.text
    assert "6 conversations, within chance" in result.stop.text
    areas = result.history.to_json()["iterations"][1]["areas"]
    assert areas["sharing"]["recall_union"] == 1
