"""Which explorers search as the system does, by names and by what they find."""

from codesearch.explored_cases import case
from tellapart.codesearch.evaluation import Evaluation
from tellapart.codesearch.metrics.explorations import circular, method_of, warnings_of, withheld_because


def evaluation(cases, names=("ax", "bx"), **facts):
    return Evaluation(
        1, None, tuple(case(n, *letters, names=names) for n, letters in enumerate(cases)), facts=facts
    )


def test_names_that_search_the_same_way():
    for words in ("lexical", "ripgrep:", "rg", "grep"):
        assert method_of(words) == "words", words
    same = ("agent:anthropic/claude-haiku-4-5", "claude-code:claude-haiku-4-5")
    assert len({method_of(name) for name in same}) == 1
    others = ("names", "embeddings:minilm", "embeddings:other", "my-search -- {issue}", "mcp:grep-server")
    others += ("http:http://localhost/grep", same[0])
    assert len({method_of(name) for name in (*others, "lexical")}) == len(others) + 1


def test_an_explorer_of_the_systems_method_is_found_whatever_it_finds():
    mine = evaluation([("ab", "cd", "ef")], ("names", "lexical"), system="mine", searched_by="ripgrep:")
    assert circular(mine) == {
        "run B (lexical)": "both match the words of the issue, so they agree by construction"
    }
    assert withheld_because(mine, "mine").startswith(
        "mine is judged by its own kind, run B (lexical): both match"
    )
    assert warnings_of(mine)[0].startswith("The system and run B (lexical) are of one kind: both match")
    assert withheld_because(evaluation([("ab", "cd", "ef")]), "mine") == ""


def test_what_they_find_tells_where_no_name_does():
    same = [("abc", "cab"[n:], "cab"[n:]) for n in range(3)]
    assert circular(evaluation(same)) == {"run B (bx)": "both found the same files in all 3 conversations"}
    assert not circular(evaluation([*same, ("abc", "b", "bc")]))
    assert not circular(evaluation(same[1:2]))
    assert not circular(evaluation([("a", "", "")]))
    assert not circular(evaluation([("a", None, "")]))
