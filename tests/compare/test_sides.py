"""Who is held against whom."""

import pytest

from tellapart.compare.run import choose_models
from tellapart.errors import UsageError

TWO_RUNS = {"main": ("gpt (main)", "llama (main)"), "pr": ("gpt (pr)", "llama (pr)")}


@pytest.mark.parametrize(
    ("sources", "options", "expected"),
    [
        ({"main.csv": ["old"], "pr.csv": ["new"]}, {}, ("old", ("new",))),
        ({"main.csv": ["old"], "a.csv": ["z"], "b.csv": ["y", "x"]}, {}, ("old", ("x", "y", "z"))),
        ({"all.csv": ["a", "b", "c"]}, {"baseline": "b"}, ("b", ("a", "c"))),
        ({"all.csv": ["a", "b", "c"]}, {"baseline": "b", "candidates": ["c"]}, ("b", ("c",))),
        # A name may lack the source that was added to tell two runs of one model apart.
        (TWO_RUNS, {"baseline": "gpt", "candidates": ["gpt"]}, ("gpt (main)", ("gpt (pr)",))),
        (TWO_RUNS, {"baseline": "gpt"}, ("gpt (main)", ("gpt (pr)", "llama (pr)"))),
    ],
)
def test_the_first_source_holds_the_baseline(sources, options, expected):
    baseline, *candidates = choose_models(sources, **options)
    assert (baseline, tuple(candidates)) == expected


@pytest.mark.parametrize(
    ("sources", "options", "message"),
    [
        (TWO_RUNS, {}, r"main holds 2 models: gpt \(main\) and llama \(main\)\. Say which is the baseline"),
        ({"a b.csv": ["x y", "z"]}, {}, "such as --baseline 'x y'"),
        ({"main.csv": ["old"]}, {"baseline": "old", "candidates": ["new"]}, "main.csv holds 'old' alone"),
        ({"main.csv": ["old"]}, {}, "there is no candidate: main.csv holds 'old' alone"),
        (TWO_RUNS, {"baseline": "gptt"}, r"baseline is 'gptt', and there is no such model\. There are: gpt"),
        (TWO_RUNS, {"baseline": "gpt", "candidates": ["zebra"]}, "the candidate is 'zebra'"),
    ],
)
def test_what_leaves_a_choice_is_refused_with_a_next_step(sources, options, message):
    with pytest.raises(UsageError, match=message):
        choose_models(sources, **options)
