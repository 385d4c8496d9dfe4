import shutil
import subprocess

import pytest

from tellapart.codesearch.drafting import Commit, commit_drafts, read_commits
from tellapart.codesearch.model import Base
from tellapart.codesearch.repositories import Repositories

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not on PATH")


@pytest.mark.parametrize(
    ("subject", "issue"),
    [
        ("Pins are shown twice in the feed", "Pins are shown twice in the feed"),
        ("fix(feed)!: pins are shown twice  (#123)", "pins are shown twice"),
        ("src/feed: pins are shown twice (ABC-12)", "pins are shown twice"),
        ("[feed] pins are shown twice", "pins are shown twice"),
        ("Emerging pins are not shown", "Emerging pins are not shown"),
        ("Pins vanish", None),
        ("word " * 61, None),
        ("Merge branch 'main' of somewhere", None),
        ("Revert what was done to pins", None),
        ("Bump pins from 1.2 to 1.3", None),
        ("v1.2.3 with all of it", None),
        ("build(deps): pins go to 2.0", None),
        ("Fix a typo in the feed", None),
    ],
)
def test_what_a_subject_gives(subject, issue):
    assert Commit("0" * 40, "Ann", subject, ("a",)).issue == issue


def git(root, *arguments):
    settings = ("-c", "user.name=Ann", "-c", "user.email=a@b.c", "-c", "init.defaultBranch=main")
    command = ["git", *settings, "-c", "commit.gpgSign=false", "-C", str(root), *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def commit(root, subject, **files):
    for path, content in files.items():
        place = root / path.replace("__", "/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content)
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", subject)
    return git(root, "rev-parse", "HEAD").strip()


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "none"))
    place = tmp_path / "code" / "r"
    place.mkdir(parents=True)
    git(place, "init", "-q")
    return place


def test_history_is_read_with_every_name_as_it_is(root):
    first = commit(root, "one\n\nbody", a="1", **{"d__é b\n.py": "1"})
    second = commit(root, "two", a="2")
    git(root, "commit", "-q", "--allow-empty", "-m", "nothing")
    assert read_commits(root) == [
        Commit(second, "Ann", "two", ("a",), first),
        Commit(first, "Ann", "one", (names := ("a", "d/é b\n.py")), None, frozenset(names)),
    ]


def test_files_that_are_gone_secret_or_too_many_give_no_issue(root):
    # The first commit of all has no tree before it, in which its issue could be searched.
    first = commit(root, "Everything is here at once", a="0", gone="0")
    kept = commit(root, "Pins are shown twice here", a="1", **{".env": "1"})
    commit(root, "Only what is gone was touched", gone="2")
    (root / "gone").unlink()
    commit(root, "Everything is moved to another place", **{f"f{n}": "1" for n in range(16)})
    small = commit(root, "Nearly everything is moved to another", **{f"f{n}": "2" for n in range(15)})
    drafts = {draft.origin: draft for draft in commit_drafts(Repositories.open(root.parent, ["r"]), 1)}
    assert drafts.keys() == {f"r/{kept}", f"r/{small}"}
    assert drafts[f"r/{kept}"].files == ("r/a",)
    assert drafts[f"r/{kept}"].base == Base("r", first)
    assert drafts[f"r/{small}"].base == Base("r", git(root, "rev-parse", f"{small}^").strip())
    assert len(drafts[f"r/{small}"].files) == 15


def test_what_a_commit_adds_is_no_gold_and_what_has_gone_since_is(root):
    commit(root, "Everything is here", a="1", gone="1")
    change = commit(root, "Pins are shown twice here", a="2", gone="2", new="1")
    commit(root, "Only new files are in this one", other="1")
    git(root, "mv", "gone", "renamed")
    git(root, "commit", "-q", "-m", "moved")
    (draft,) = commit_drafts(Repositories.open(root.parent, ["r"]), 1)
    assert (draft.origin, draft.files, draft.added) == (f"r/{change}", ("r/a", "r/gone"), 1)


def test_nothing_that_a_repository_configures_is_run(root, tmp_path):
    commit(root, "one", a="1")
    tree, rest = git(root, "cat-file", "commit", "HEAD").split("\n\n")
    signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n AAAA\n -----END PGP SIGNATURE-----"
    (tmp_path / "signed").write_text(f"{tree}\n{signature}\n\n{rest}")
    signed = git(root, "hash-object", "-t", "commit", "-w", str(tmp_path / "signed")).strip()
    git(root, "reset", "-q", signed)
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    program.chmod(0o755)
    for name in ("gpg.program", "core.fsmonitor", "core.pager", "diff.external", "core.sshCommand"):
        git(root, "config", name, str(program))
    git(root, "config", "log.showSignature", "true")
    assert len(read_commits(root)) == 1
    assert not (tmp_path / "ran").exists()
    git(root, "--no-pager", "log")
    assert (tmp_path / "ran").exists()
