"""Which explorers search as the system does, by names and by what they find."""

import random

from codesearch.explored_cases import case
from tellapart.codesearch.evaluation import Evaluation
from tellapart.codesearch.metrics.independence import circular, method_of, warnings_of, withheld_because


def evaluation(cases, names=("ax", "bx"), **facts):
    return Evaluation(
        1, None, tuple(case(n, *letters, names=names) for n, letters in enumerate(cases)), facts=facts
    )


def test_names_that_search_the_same_way():
    for words in ("lexical", "ripgrep:", "rg", "grep"):
        assert method_of(words) == "words", words
    same = ("agent:anthropic/claude-haiku-4-5", "claude-code:claude-haiku-4-5")
    assert len({method_of(name) for name in same}) == 1
    others = (
        "names",
        "embeddings:minilm",
        "embeddings:other",
        "my-search -- {issue}",
        "mcp:grep-server",
        "http:http://localhost/grep",
        same[0],
    )
    assert len({method_of(name) for name in (*others, "lexical")}) == len(others) + 1


def test_an_explorer_of_the_systems_method_is_found_whatever_it_finds():
    found = circular(
        evaluation([("ab", "cd", "ef")], ("names", "lexical"), system="mine", searched_by="ripgrep:")
    )
    assert [(one.role, one.explorer) for one in found] == [("run_b", "lexical")]
    assert "f1_run_a rests on run A alone" in withheld_because(found, "mine", ("run_a", "run_b"))
    assert withheld_because(found, "mine", ("run_a",)) == ""
    assert withheld_because(found, "mine", ()) == ""
    both = circular(evaluation([("ab", "cd", "ef")], ("lexical", "lexical"), system="rg"))
    assert withheld_because(both, "mine", ("run_a",)).endswith("compare by gold files")


def test_what_they_find_tells_where_no_name_does():
    same = [("abc", "cab"[n:], "cab"[n:]) for n in range(3)]
    (found,) = circular(evaluation(same))
    assert (found.role, found.how) == ("run_b", "both found the same files in all 3 conversations")
    assert warnings_of(evaluation(same))[0].startswith(
        "The system and run B (bx) are of one kind: both found the"
    )
    assert not circular(evaluation([*same, ("abc", "b", "bc")]))
    assert not circular(evaluation([("a", "", "")]))
    assert not circular(evaluation([("a", None, "")]))


def test_sharing_far_more_with_one_explorer_than_the_explorers_share():
    rng = random.Random(3)

    def drawn(letters, chance):
        return "".join(letter for letter in letters if rng.random() < chance)

    truth = "abcdefghijklmnop"
    # The second explorer and the system draw on one source, of which the first knows nothing.
    twins = [(drawn(truth, 0.3), s := drawn(truth, 0.5), drawn(s, 0.8) + "y") for _ in range(12)]
    (found,) = circular(evaluation(twins))
    assert found.role == "run_b"
    assert found.how == "they share 62 % of what they find, and run A shares 27 % with it"
    # A search that finds nearly everything shares much with both, however little they share.
    assert not circular(
        evaluation([(drawn(truth, 0.6), drawn(truth, 0.6), drawn(truth, 0.95)) for _ in range(12)])
    )
    assert not circular(evaluation(twins[:4]))
