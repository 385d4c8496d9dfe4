"""Output of search programs, in the forms that tools write, read against a real directory."""

import base64
import json

import pytest

from tellapart.codesearch.reading.answers import read_answer, says_no_match
from tellapart.codesearch.repositories import Repositories

FILES = (
    "fresh/src/a.py",
    "fresh/src/b b.py",
    "fresh/src/foo-12-bar.py",
    "fresh/src/caf\N{LATIN SMALL LETTER E WITH ACUTE}.py",
    "fresh/app/[slug]/page.tsx",
    "fresh/app/(g)/p.tsx",
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
CAFE = "fresh/src/caf\N{LATIN SMALL LETTER E WITH ACUTE}.py"
SLUG = ["fresh/app/[slug]/page.tsx", "fresh/app/(g)/p.tsx"]
MATCH = '{"type":"match","data":{"path":{"text":"src/a.py"},"lines":{"text":"x\\n"},"line_number":1}}'
SUMMARY = '{"data":{"elapsed_total":{"secs":0},"stats":{"matches":0}},"type":"summary"}'
LINES = {
    "absolute": ("PLACE/code/fresh/src/a.py\nPLACE/code/fresh/README.md", [A, README]),
    "absolute, through a link to the root": ("PLACE/linked/fresh/src/a.py:3:x", [A]),
    "with and without the repository": ("fresh/src/a.py\n./src/a.py\n./fresh/README.md\n", [A, README]),
    "a repository with a directory of its name": ("fresh/x.py\nfresh/y.py", ["fresh/fresh/x.py", Y]),
    "grep -n, --column, ranges": (
        "src/a.py:12\nsrc/b b.py:3:x = y.py\nREADME.md:1:5:x\ny.py:1-9",
        [A, BB, README, Y],
    ),
    "lines of context": (
        "src/a.py-12-see src/b b.py\n--\nsrc/foo-12-bar.py-3-text",
        [A, "fresh/src/foo-12-bar.py"],
    ),
    "git grep -p": ("src/a.py=10=def f():\nsrc/a.py:12:x", [A]),
    "grep -c": ("src/a.py:3\nREADME.md:0", [A]),
    "headings": ("src/a.py\n12:text\n13-more\n\nREADME.md\n1:x", [A, README]),
    "binary files": ("Binary file src/a.py matches\ngrep: README.md: binary file matches", [A, README]),
    "colours, CRLF": (
        "\x1b[35m\x1b[Ksrc/a.py\x1b[m\x1b[K:\x1b[32m12\x1b[m:text\r\nREADME.md:1:b\r\n",
        [A, README],
    ),
    "hyperlinks of a terminal": ("\x1b]8;;file://h/x\x1b\\src/a.py\x1b]8;;\x1b\\:1:t", [A]),
    "NUL between files": ("src/a.py\0README.md\0", [A, README]),
    "NUL after each file": ("src/a.py\x0012:hello README.md\nREADME.md\x001:x\n", [A, README]),
    "quoted": ("\"src/a.py\"\n'README.md'\n`src/b b.py`", [A, README, BB]),
    "quoted as git does": ('"src/caf\\303\\251.py"', [CAFE]),
    "letters composed otherwise": ("src/cafe\N{COMBINING ACUTE ACCENT}.py", [CAFE]),
    "brackets in names": ("app/[slug]/page.tsx:12:x\napp/(g)/p.tsx:1:y", SLUG),
    "addresses": (
        "file://PLACE/code/fresh/src/a.py#L3\nhttps://github.com/me/fresh/blob/main/README.md#L1",
        [A, README],
    ),
    "scores before and after": (
        "0.87  src/a.py\n1e-3 README.md\ny.py 0.2\n[0.1] src/b b.py",
        [A, README, Y, BB],
    ),
    "named scores and ranks": ("score=0.9 src/a.py\n#2: README.md\n(0.91) y.py:10-20 def x", [A, README, Y]),
    "lists in Markdown": ("1. `src/a.py` - the reason\n- **README.md**: more\n[y.py](y.py)", [A, README, Y]),
    "a table": ("| src/a.py | 0.9 |\n| README.md | 0.1 |", [A, README]),
    "ctags": ('f\tsrc/a.py\t/^def f/;"\tf', [A]),
    "cscope and global": ("src/a.py f 12 def f\nmain  12 README.md  int main()", [A, README]),
    "git status, diff --stat": ("M src/a.py\n?? README.md\n y.py | 3 ++-", [A, README, Y]),
    "compilers, tracebacks": ("src/a.py(12): error\nREADME.md(1,2): note", [A, README]),
    "a sentence": ("The relevant files are src/a.py and README.md.", [A, README]),
    "backslashes": ("src\\a.py", [A]),
    "up and down": ("src/../README.md", [README]),
    "a link": ("link.py", [A]),
    "a list": ('["src/a.py", "README.md"]', [A, README]),
    "pairs": ('[["src/a.py", 0.5], [0.4, "README.md"]]', [A, README]),
    "by name": ('{"src/a.py": 0.9, "README.md": 0.3}', [A, README]),
    "objects": (
        '{"results": [{"filename": "src/a.py", "score": 1}, {"metadata": {"source": "README.md"}}]}',
        [A, README],
    ),
    "JSON Lines": ('{"path": "src/a.py"}\n{"file": {"path": "fresh/README.md"}}', [A, README]),
    "rg --json": (f"{MATCH}\n{SUMMARY}", [A]),
    "a language server": ('[{"uri": "file://PLACE/code/fresh/src/a.py", "range": {}}]', [A]),
    "Elasticsearch": ('{"hits": {"hits": [{"_id": "1", "_source": {"path": "src/a.py"}}]}}', [A]),
    "GitHub": (
        '{"items": [{"name": "a.py", "path": "src/a.py", "repository": {"full_name": "me/fresh"}}]}',
        [A],
    ),
    "Chroma": ('{"ids": [["src/a.py", "README.md"]], "distances": [[0.1, 0.2]]}', [A, README]),
    "MCP": ('{"content": [{"type": "text", "text": "src/a.py:1: x\\nREADME.md:2: y"}]}', [A, README]),
    "a directory apart": ('[{"path": "src", "filename": "a.py"}]', [A]),
    "a repository apart": ('{"files_found": [{"repo": "me/fresh", "path": "src/a.py"}]}', [A]),
    "no match of rg --json": (SUMMARY, []),
    "no match of grep -c": ("README.md:0", []),
    "an empty list": ('{"results": []}', []),
}


@pytest.mark.parametrize("form", LINES)
def test_whatever_names_a_file_is_a_file(form, read, place):
    output, files = LINES[form]
    answer = read(output.replace("PLACE", str(place)))
    assert answer.result == {"files_found": files}
    assert (answer.left_out, answer.counts, answer.failure) == ((), {}, None)


LEFT_OUT = {
    "not in the tree": [
        "gone.py",
        "src/gone.py:12:x",
        "fresh/gone.py",
        "./src/gone.py",
        "./fresh/gone.py:3: x",
        '{"path": "src/gone.py"}',
        "0.9 src/gone.py",
    ],
    "outside": [
        "/etc/passwd",
        "fresh/../../etc/passwd",
        "../x.py",
        "~/.ssh/id_rsa",
        "C:\\x\\a.py",
        "out.py",
        "https://example.org/x",
        "file:///etc/passwd",
    ],
    "directory": ["src", "fresh/app/", "fresh"],
    "secret": [".env", "fresh/.env:1:KEY=abc", ".git/config"],
    "not approved": [
        "zuck/z.py",
        "PLACE/code/zuck/z.py",
        "https://github.com/me/other/blob/main/src/a.py",
        '{"repo": "zuck", "path": "z.py"}',
    ],
    "no path": [
        "Searching...",
        "done in 3.2 s",
        "Makefile rules",
        '{"level": "info", "msg": "ready"}',
        "[INFO] ready",
        "{",
        "src/a\\ b.py",
    ],
}


@pytest.mark.parametrize("reason", LEFT_OUT)
def test_one_line_that_is_no_file_is_left_out_alone(reason, read, place):
    for line in LEFT_OUT[reason]:
        answer = read(f"{line}\nsrc/a.py\n{{}}".replace("PLACE", str(place)))
        assert answer.result == {"files_found": [A]}, line
        assert [left.reason for left in answer.left_out] == [reason], line
        assert "KEY" not in answer.left_out[0].line


def test_several_repositories_and_the_directory_in_which_the_program_ran(read, place):
    lines = "README.md\nsrc/t.py\nfresh/README.md\n../y.py"
    answer = read(lines, "fresh", "tack")
    assert answer.result["files_found"] == ["tack/src/t.py", README]
    assert [(left.line, left.reason) for left in answer.left_out] == [
        ("README.md", "ambiguous"),
        ("../y.py", "outside"),
    ]
    inside = read(f"{lines}\na.py", "fresh", "tack", cwd=f"{place}/linked/fresh/src")
    assert inside.result["files_found"] == ["tack/src/t.py", README, Y, A]
    above = read("code/fresh/y.py:1:x\nlinked/tack/README.md\ncode/gone.py", "fresh", "tack", cwd=str(place))
    assert above.result["files_found"] == [Y, "tack/README.md"]
    top = read("README.md", "fresh", "tack", cwd=f"{place}/code/tack")
    assert top.result["files_found"] == ["tack/README.md"]


def test_messages_around_an_answer_are_counted_and_do_not_flood(read):
    chatter = "".join(f"Indexing src/a.py in {n} s\n" for n in range(500))
    answer = read(f'{chatter}{{"files_found": ["README.md"], "search_terms_used": ["x"]}}\ndone')
    assert answer.result == {"files_found": [README], "search_terms_used": ["x"]}
    assert answer.counts == {"no path": 501}
    assert [left.line for left in answer.left_out] == ["Indexing \N{HORIZONTAL ELLIPSIS}", "done"]


def test_further_fields_name_files_in_the_same_way(read):
    output = {
        "files_found": [
            {"path": "./src/a.py:3", "terms": ["q"], "relevance": 0.5},
            {"path": A, "terms": ["r"]},
        ],
        "functions_found": ["src/a.py:C.m"],
        "terms_by_file": {"README.md": ["t"]},
        "snippets": [{"file_path": "src/a.py", "content": "x"}],
        "more": 1,
    }
    assert read(json.dumps(output).encode()).result == {
        "files_found": [{"path": A, "terms": ["q", "r"], "relevance": 0.5}],
        "functions_found": [f"{A}:C.m"],
        "terms_by_file": {README: ["t"]},
        "snippets": [{"file_path": A, "content": "x"}],
        "more": 1,
    }


def test_a_name_in_other_octets_than_utf_8_is_read_as_ripgrep_writes_it(read):
    octets = base64.b64encode(b"src/a.py").decode()
    assert read([{"path": {"bytes": octets}}]).result == {"files_found": [A]}


@pytest.mark.parametrize(
    ("output", "detail"),
    [
        (b"", "nothing was printed"),
        (
            b"no results",
            "none of 1 lines or items names a file of the repositories: 1 no path, such as 'no re",
        ),
        ('x\n["/etc/passwd", "gone.py"]', "none of 3 lines or items"),
        ("{}", "this is JSON without 'files_found': {}"),
        ('{"files": ["src/a.py",\n "READ', "what was printed cannot be read: this is not JSON"),
    ],
)
def test_an_answer_without_any_file_is_no_empty_answer(output, detail, read):
    answer = read(output)
    assert answer.result == {}
    assert (answer.failure.cause, answer.failure.kind) == ("parse", "output")
    assert detail in answer.failure.detail


@pytest.mark.parametrize(
    ("output", "says"),
    [(b"", True), (b"a.py:0\nb.py:0\n", True), (SUMMARY.encode(), True), (b"a.py:1", False), (b"oh", False)],
)
def test_what_programs_print_where_nothing_matches(output, says):
    assert says_no_match(output) is says


def test_below_the_top_of_a_clone_only_a_linked_directory_may_be_approved(tmp_path):
    for path in ("clone/src/tell/x.py", "clone/src/tell/core/y.py", "clone/src/other/z.py"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).touch()
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "tell").symlink_to("../clone/src/tell")
    lines = "src/tell/x.py:1:x\nsrc/other/z.py:1:x\nsrc/tell/core/y.py:1:x"  # As "git grep -n x" prints.
    answer = read_answer(lines, Repositories.open(tmp_path / "code", ["tell"]), cwd=str(tmp_path / "clone"))
    assert answer.result == {"files_found": ["tell/x.py", "tell/core/y.py"]}
    assert answer.counts == {"not in the tree": 1}


def test_lines_that_name_no_file_are_looked_up_once_each(read, place, monkeypatch):
    looks = []
    find = Repositories.find
    monkeypatch.setattr(Repositories, "find", lambda tree, file: looks.append(file) or find(tree, file))
    lines = [f"src/gone.py:{number}: if a[{number}] or (b): return c=d, 'e'" for number in range(100)]
    assert read("\n".join(lines), cwd=str(place / "code")).counts == {"not in the tree": 100}
    assert len(looks) < 5


SECRET = "QhV7/kT9.zX"


@pytest.mark.parametrize(
    "output",
    [
        f"code/fresh/.env:1:TOKEN={SECRET}",
        f".env\nTOKEN={SECRET}\n{SECRET} x",
        f"## .env\n```\nTOKEN={SECRET}\n```",
        json.dumps(
            {
                "type": "match",
                "data": {
                    "path": {"text": ".env"},
                    "lines": {"text": f"TOKEN={SECRET}"},
                    "submatches": [{"match": {"text": SECRET}}],
                },
            }
        ),
        f"zuck/.env:1:TOKEN={SECRET}",
        f"zuck/.env:TOKEN={SECRET}",
        f"In the file .env: TOKEN={SECRET}",
        f'{{"note": "{SECRET}"}}',
    ],
)
def test_contents_of_withheld_files_are_shown_nowhere(output, read, place):
    for text in (f"src/a.py\n{output}", f"{output}\n\nsrc/a.py", output):
        answer = read(text, cwd=str(place))
        assert SECRET[:4] not in repr(answer), answer
        assert sum(answer.counts.values()) >= 1 or answer.failure


def test_above_the_repositories_a_withheld_file_is_known(read, place):
    answer = read("code/fresh/.env:1:TOKEN=x\nsrc/a.py", cwd=str(place))
    assert [(left.line, left.reason) for left in answer.left_out] == [("fresh/.env", "secret")]


@pytest.mark.parametrize(
    "output",
    [
        "searching\nsrc/a.py\0README.md\0y.py\0",
        "src/a.py\0README.md\0y.py\0\ndone",
        "src/a.py, README.md, y.py",
        "src/a.py README.md\ty.py",
        "['src/a.py', 'README.md', 'y.py']",
        '{"results": ["src/a.py", "README.md", "y.py"], "excluded": ["src/b b.py"], "query": "gone.py"}',
        '{"path":"src/a.py"} {"path":"README.md"} {"path":"y.py"}' + " [1]" * 30_000,
    ],
)
def test_all_files_count_and_nothing_beside_them(output, read):
    assert read(output).result["files_found"] == [A, README, Y]


def test_halves_of_surrogates_and_deep_json_lose_no_search(read):
    answer = read('["src/a.py", "x\\ud83d.py"]')
    assert answer.result == {"files_found": [A]}
    assert repr(answer).encode()
    for deep in ("[" * 980, "[" * 5000, "[" * 980 + "]" * 980):
        assert read(deep).result in ({}, {"files_found": []})
