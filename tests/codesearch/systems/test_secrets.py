"""One planted secret, withheld by name, and one, withheld by content, before every kind of system."""

import json
import random
import string

import pytest

from codesearch.systems.searched import request
from codesearch.systems.test_http import service
from tellapart.codesearch.kinds import load
from tellapart.codesearch.model import Conversation, Searched, SearchResults
from tellapart.codesearch.recordings import read_search_results
from tellapart.codesearch.searching import search
from tellapart.errors import InputError

KEY = "ghp_" + "".join(random.Random(1).choices(string.ascii_letters + string.digits, k=36))
FILES = {
    "a/x.py": "zebra = 1\n",
    "a/y.py": "horse = 1\n",
    "b/z.py": "horse = 2\n",
    "a/.env": "zebra=hush-hush\n",
    "a/notes.txt": f"zebra {KEY}\n",
}
PRINTED = "".join(f"{path}\n{text}" for path, text in FILES.items() if "zebra" in text)
ANSWER = json.dumps(
    {
        "files_found": list(FILES),
        "snippets": [{"file_path": path, "content": text} for path, text in FILES.items()],
        "search_terms_used": ["zebra", KEY],
        "exploration_log": [{"tool": "grep", "error": f"cut off at {KEY}"}],
    }
)


def check(tmp_path, spec):
    """Search, and see that neither secret is in what is written."""
    asked = request(tmp_path, spec, files=FILES)
    issues = SearchResults(1, None, (Searched(Conversation("c", "zebra zebra")),))
    done = search(issues, load("systems", asked), asked.repositories)
    files = done.record["conversations"][0]["search_results"]["files_found"]
    assert not {"a/.env", "a/notes.txt"} & set(files) and "a/x.py" in files
    written = json.dumps(done.record) + str(done.notes)
    assert KEY not in written and "hush-hush" not in written
    counted = any("withheld 1 text(s) of the log" in note for note in done.notes)
    assert counted == ("(withheld: a token of GitHub)" in written)
    return done


@pytest.mark.parametrize("spec", ["lexical", "ripgrep:", "embeddings:bm25"])
def test_our_own_systems_read_no_secret(tmp_path, spec):
    assert check(tmp_path, spec).record["left_out"] == {}


@pytest.mark.parametrize("printed", [PRINTED, ANSWER])
def test_what_other_systems_say_of_a_secret_is_written_nowhere(tmp_path, monkeypatch, printed):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text(f"def find(issue, repos_path):\n    return {printed!r}\n")
    assert check(tmp_path, "python:own.py:find").record["left_out"]["secret"] == 2


def test_a_snippet_of_a_secret_in_search_results_is_not_read(tmp_path):
    repositories = request(tmp_path, "lexical", files=FILES).repositories
    results = json.loads(ANSWER)
    results["snippets"].append({"file_path": "a/y.py", "content": f"token = '{KEY}'"})
    record = {"conversations": [{"conversation_id": "c", "issue_summary": "i", "search_results": results}]}
    for at_base in (False, True):
        text = json.dumps(record | {"at_base": at_base})
        (searched,) = read_search_results(text, repositories=repositories).searched
        assert [snippet.file for snippet in searched.result.snippets] == ["a/x.py", "a/y.py", "b/z.py"]
        assert searched.result.terms == ("zebra", "(withheld: a token of GitHub)")
        assert KEY not in str(searched) and "hush-hush" not in str(searched)


def test_keys_of_our_environment_that_a_system_repeats_are_written_nowhere(tmp_path, monkeypatch):
    token = "tok-Zq7Lw2Nf9Tb4Rk8Vd3Hm6"
    monkeypatch.setenv("TELLAPART_SEARCH_TOKEN", token)
    monkeypatch.chdir(tmp_path)
    says = json.dumps({"files_found": ["a/x.py"], "exploration_log": f"signed in with Bearer {token}"})
    (tmp_path / "own.py").write_text(f"def find(issue, repos_path):\n    return {says!r}\n")
    with service(lambda *_: (200, {}, says.encode())) as address:
        for spec in (f"{address}/", "python:own.py:find"):
            written = json.dumps(_found(tmp_path, spec))
            assert token not in written and "(secret)" in written
    refusing = service(lambda handler, _: (401, {}, handler.headers["Authorization"].encode()))
    with refusing as address, pytest.raises(InputError) as caught:
        _found(tmp_path, f"{address}/")
    assert "401: Bearer (secret)" in str(caught.value)


def _found(tmp_path, spec):
    asked = request(tmp_path, spec, files=FILES)
    issues = SearchResults(1, None, (Searched(Conversation("c", "zebra")),))
    return search(issues, load("systems", asked), asked.repositories).record
