"""A SWE-bench file over a repository: trees at base commits, gold from patches, and nothing left behind."""

import json
import shutil
import tempfile

import pytest

from codesearch.drafting.test_commits import commit, git
from codesearch.pipeline_files import evaluate_results
from tellapart.codesearch.git import BaseTrees
from tellapart.codesearch.gold.forms import read_gold
from tellapart.codesearch.gold.placing import place_gold, read_issues
from tellapart.codesearch.model import Base
from tellapart.codesearch.repositories import Repositories
from tellapart.codesearch.request import FIX_IS_THERE, Workspace
from tellapart.codesearch.searching import AtBase, search
from tellapart.codesearch.settings import EvaluationSettings
from tellapart.codesearch.systems.system import SystemRequest
from tellapart.errors import InputError

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not on PATH")


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A repository ``r`` of three commits, and a file of two issues that the last two solve."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "none"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    root = tmp_path / "code" / "r"
    root.mkdir(parents=True)
    git(root, "init", "-q")
    pins, feed = "def show_pins():\n    pass\n", "def feed():\n    pass\n"
    changes = [
        {"lib__pins.py": pins, "lib__feed.py": feed},
        {"lib__pins.py": pins.replace("()", "(a)"), "tests__test_pins.py": "1\n"},
        {"lib__feed.py": feed.replace("()", "(zebra)"), "lib__new.py": "zebra = 1\n"},
    ]
    commits = [commit(root, f"commit {number}", **files) for number, files in enumerate(changes)]
    issues = [
        {
            "instance_id": f"o__r-{number}",
            "repo": "o/r",
            "base_commit": before,
            "problem_statement": words,
            "patch": git(root, "diff", before, after),
        }
        for number, (before, after, words) in enumerate(
            [(*commits[:2], "show pins twice"), (*commits[1:], "the feed has no zebra")], 1
        )
    ]
    (tmp_path / "issues.jsonl").write_text("".join(json.dumps(issue) + "\n" for issue in issues))
    return tmp_path


def repositories(place):
    return Repositories.open(place / "code", ("r",))


def searched(place, system="lexical"):
    code = repositories(place)
    issues = read_issues((place / "issues.jsonl").read_bytes(), code, where="issues.jsonl")

    with BaseTrees(code) as trees:
        system = AtBase(SystemRequest(system, code, place / "index"), trees)
        return search(issues, system, code, iteration=1)


def around(place):
    return Workspace(repositories(place), place / "index")


def evaluated(place, out, record, **settings):
    path, given = place / "issues.jsonl", EvaluationSettings(**settings)
    gold = place_gold(read_gold(path.read_bytes(), str(path)), repositories(place))
    return evaluate_results(json.dumps(record).encode(), given, around(place), gold=gold, out=place / out)


def test_issues_are_searched_explored_and_scored_at_their_base_commits(place):
    found = searched(place).record
    assert found["at_base"] is True
    one, two = found["conversations"]
    # The word of the second issue came with its fix, in a file that was not there before.
    assert "zebra" not in two["search_results"]["search_terms_used"]
    assert two["search_results"]["files_found"] == ["r/lib/feed.py"]
    assert one["touched_files"] == ["r/lib/pins.py"]
    assert two["touched_files_left_out"] == {"added": 1}
    done = evaluated(place, "run", found)
    gold = done.evaluation.gold
    assert gold.form == "SWE-bench" and gold.left_out == {"added": 2}
    assert (gold.acc_at["1"].value, gold.acc_at["1"].n) == (1, 2)
    assert gold.explorers_against_gold.run_a.recall.value == 1
    first = done.evaluation.cases[0]
    assert first.gold.files == ("r/lib/pins.py",)
    explored = {file for one in done.evaluation.cases for file in one.ground_truth}
    assert explored == {"r/lib/pins.py", "r/lib/feed.py"}
    assert FIX_IS_THERE not in done.evaluation.warnings
    assert not list((place / "tmp").iterdir())
    assert git(place / "code" / "r", "status", "--porcelain") == ""


def test_a_commit_that_is_not_there_fails_its_issue_alone_and_all_of_them_the_command(place):
    code = repositories(place)
    head = git(place / "code" / "r", "rev-parse", "HEAD").strip()
    with BaseTrees(code) as trees:
        assert trees.check(Base("r", head)) is None
        assert "nothing is fetched" in trees.check(Base("r", "d" * 40))
        assert "expected the digits" in trees.check(Base("r", "--output=x"))
        assert "not approved" in trees.check(Base("other", head))
        trees.check_any({"1": Base("r", head), "2": None})
        with pytest.raises(InputError, match="no issue can be searched at its base commit; '2'"):
            trees.check_any({"2": None})
        with trees.at(Base("r", head)) as tree:
            assert not (tree.root / "r" / ".git").exists()
            assert tree.read_bytes("r/lib/new.py") == b"zebra = 1\n"
    assert not list((place / "tmp").iterdir())


def test_gold_of_other_issues_and_trees_of_now_are_warned_of(place):
    found = json.dumps({**searched(place).record, "at_base": False}).encode()

    def evaluated(content, out):
        gold = place_gold(read_gold(content, "it"), repositories(place))
        return evaluate_results(found, EvaluationSettings(), around(place), gold=gold, out=place / out)

    done = evaluated(b'{"x": ["r/lib/pins.py"]}', "run")
    again = evaluated(b'{"x": ["r/lib/pins.py"], "o__r-1": ["doc-7"]}', "again")
    said = " ".join(again.evaluation.warnings)
    assert "1 of 2 gold entries are of no conversation here" in said
    assert "none of the 1 gold files is in the repositories" in said and "the first is 'r/doc-7'" in said
    warnings = done.evaluation.warnings
    assert any("no conversation has gold: the gold file has 'x'" in text for text in warnings)
    assert warnings.count(FIX_IS_THERE) == 1


def test_paths_of_a_benchmark_are_cut_to_a_directory_that_is_part_of_its_repository(place):
    part = Repositories.open(place / "code" / "r", ("lib",))
    row = {"instance_id": "1", "repo": "o/r", "edit_functions": ["lib/pins.py:show_pins", "setup.py:main"]}
    gold = place_gold(read_gold(json.dumps(row).encode(), "it"), part).gold["1"]
    assert (gold.files, gold.left_out) == (("lib/pins.py",), {"outside": 1})
