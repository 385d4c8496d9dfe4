"""Output of search programs, read against a real directory."""

import json

import pytest

from tellapart.codesearch import reading
from tellapart.codesearch.reading import read_answer
from tellapart.codesearch.repositories import Repositories

FILES = (
    "fresh/src/a.py",
    "fresh/src/b b.py",
    "fresh/app/[slug]/page.tsx",
    "fresh/README.md",
    "fresh/Makefile",
    "fresh/y.py",
    "fresh/fresh/x.py",
    "fresh/fresh/y.py",
    "fresh/.env",
    "fresh/.git/config",
    "tack/README.md",
    "tack/src/t.py",
    "zuck/z.py",
)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    place = tmp_path_factory.mktemp("answers")
    for path in FILES:
        file = place / "code" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    (place / "code" / "fresh" / "link.py").symlink_to("src/a.py")
    (place / "code" / "fresh" / "out.py").symlink_to("/etc/passwd")
    (place / "linked").symlink_to(place / "code")
    return place


@pytest.fixture(scope="module")
def read(place):
    """Files without ``fresh/``, and what was left out, of an output in which PLACE is a directory."""

    def answer(output, *names, cwd=None):
        tree = Repositories.open(place / "code", names or ("fresh",))
        return read_answer(output, tree, cwd=cwd)

    return answer


A, README, Y, BB = "fresh/src/a.py", "fresh/README.md", "fresh/y.py", "fresh/src/b b.py"
LINES = {
    "absolute": ("PLACE/code/fresh/src/a.py\nPLACE/code/fresh/README.md", [A, README]),
    "absolute, through a link to the root": ("PLACE/linked/fresh/src/a.py:3", [A]),
    "with and without the repository": ("fresh/src/a.py\n./src/a.py\n./fresh/README.md\n", [A, README]),
    "a repository with a directory of its name": ("fresh/x.py\nfresh/y.py", ["fresh/fresh/x.py", Y]),
    "lines and columns": ("src/a.py:12\nsrc/b b.py:3:7\r\nREADME.md", [A, BB, README]),
    "brackets in names": ("app/[slug]/page.tsx:12", ["fresh/app/[slug]/page.tsx"]),
    "backslashes": ("src\\a.py", [A]),
    "a range of lines": ("src/a.py:3-9\nREADME.md#L6-L8", [A, README]),
    "up and down": ("src/../README.md", [README]),
    "a list": ('["src/a.py", "README.md"]', [A, README]),
    "objects": ('[{"path": "src/a.py", "score": 1}, {"file": "README.md"}]', [A, README]),
    "JSON Lines": ('{"path": "src/a.py"}\n{"file_path": "fresh/README.md"}', [A, README]),
    "a repository apart": ('{"files_found": [{"repo": "me/fresh", "path": "src/a.py"}]}', [A]),
    "an empty list": ("[]", []),
    "an empty answer": ('{"files_found": []}', []),
}


@pytest.mark.parametrize("form", LINES)
def test_whatever_names_a_file_is_a_file(form, read, place):
    output, files = LINES[form]
    answer = read(output.replace("PLACE", str(place)))
    assert (list(answer.result.files), answer.listed.gone) == (files, [])
    assert (answer.listed.counts, answer.failure) == ({}, None)


LEFT_OUT = {
    "outside": ["/etc/passwd", "fresh/../../etc/passwd", "../x.py", "~/.ssh/id_rsa", "link.py", "out.py"],
    "directory": ["src", "fresh/app/", "fresh"],
    "secret": [".env", "fresh/.env:1", ".git/config"],
    "not approved": ["zuck/z.py", "PLACE/code/zuck/z.py"],
    "no path": ["Searching...", "done in 3.2 s", "0.87  src/a.py", "at src/a.py:12: text", "{", '{"a": 1}'],
}


@pytest.mark.parametrize("reason", LEFT_OUT)
def test_one_line_that_is_no_file_is_left_out_alone(reason, read, place):
    for line in LEFT_OUT[reason]:
        answer = read(f"{line}\nsrc/a.py".replace("PLACE", str(place)))
        assert answer.result.files == (A,), line
        assert answer.listed.counts == {reason: 1}, line
        assert bool(answer.listed.example) is (reason != "no path"), line


def test_paths_of_windows_with_blanks_and_of_a_container(read):
    windows = "src\\b b.py:3:def x(a: int)\nC:\\code\\fresh\\y.py\n"
    answer = read(f"{windows}/testbed/src/a.py:12\n/workspace/o__fresh/README.md\n/testbed/gone")
    assert answer.result.files == (BB, A, README, "fresh/gone")
    assert answer.listed.counts == {"no path": 1}


def test_of_a_flood_of_entries_the_first_are_read(read, monkeypatch):
    monkeypatch.setattr(reading, "MOST_ENTRIES", 10)
    flood = [f"gone{n}" for n in range(12)]
    answer = read(json.dumps(["src/a.py", *flood]))
    assert len(answer.result.files) == 10
    assert answer.notes == ("read the first 10 entries, and left out 3 after them",)
    further = {"terms_by_file": dict.fromkeys(flood, ["x"]), "snippets": [{"path": path} for path in flood]}
    found = read(json.dumps({"files_found": ["src/a.py"]} | further)).notes
    assert found[:2] == (
        "read the first 10 entries of 'terms_by_file', and left out 2 after them",
        "read the first 10 snippets, and left out 2 after them",
    )


def test_several_repositories_and_the_directory_in_which_the_program_ran(read, place):
    lines = "README.md\nsrc/t.py\nfresh/README.md\n../y.py"
    answer = read(lines, "fresh", "tack")
    assert answer.result.files == ("tack/src/t.py", README)
    assert answer.listed.counts == {"ambiguous": 1, "outside": 1}
    assert answer.listed.example == "README.md"
    inside = read(f"{lines}\na.py", "fresh", "tack", cwd=f"{place}/linked/fresh/src")
    assert inside.result.files == ("tack/src/t.py", README, Y, A)
    above = read("code/fresh/y.py:1\nlinked/tack/README.md\ncode/gone.py", "fresh", "tack", cwd=str(place))
    assert above.result.files == (Y, "tack/README.md")
    top = read("README.md", "fresh", "tack", cwd=f"{place}/code/tack")
    assert top.result.files == ("tack/README.md",)


@pytest.mark.parametrize(
    ("output", "detail"),
    [
        (b"", "nothing was printed"),
        (b"no results", "none of 1 lines or items names a file of the repositories: 1 no path"),
        ('["/etc/passwd", "gone.py"]', "none of 2 lines or items"),
        ('{"results": []}', "this is JSON without 'files_found': {results}; expected a list of paths or"),
        ('{"files_found": 3}', "'files_found' is 3, expected a list"),
        ("[" * 100_000 + "]" * 100_000, ""),
        ('{"files_found": ["a.py"], "files_found": []}', "the key 'files_found' occurs twice in one object"),
        (b'["a.py", {"path": "a.py", "path": "b.py"}]', "the key 'path' occurs twice in one object"),
        ('{"path": "a.py"}\n{"path": "a.py", "line": 1, "line": 2}', "the key 'line' occurs twice"),
    ],
)
def test_an_answer_without_any_file_is_no_empty_answer(output, detail, read):
    answer = read(output)
    assert answer.result is None
    assert (answer.failure.cause, answer.failure.kind) == ("parse", "output")
    assert detail in answer.failure.detail


SECRET = "QhV7/kT9.zX"


@pytest.mark.parametrize(
    "output",
    [
        f"code/fresh/.env:1:TOKEN={SECRET}",
        f".env\nTOKEN={SECRET}\n{SECRET} x",
        f"zuck/.env:TOKEN={SECRET}",
        f'{{"note": "{SECRET}"}}',
    ],
)
def test_contents_of_withheld_files_are_shown_nowhere(output, read, place):
    for text in (f"src/a.py\n{output}", output):
        answer = read(text, cwd=str(place))
        assert SECRET[:4] not in repr(answer), answer
        assert sum(answer.listed.counts.values()) >= 1 or answer.failure
