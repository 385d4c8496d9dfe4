"""Gold files on the page: what we find of them, how far the explorations do, and what counts."""

import pytest

from codesearch.page.recorded_search import files, recorded, rescored
from tellapart.codesearch.page import document, tables
from tellapart.codesearch.page.verdict import headline, remarks, sentences
from tellapart.errors import InputError

NBSP = "\N{NO-BREAK SPACE}"


def with_gold(**by_conversation):
    """The recorded search with these gold files, and without a verdict."""
    record = recorded() | {"gold_form": "the files that commits touched"}
    for one in record["conversations"]:
        one["our_unique_judgments"] = []
        if one["conversation_id"] in by_conversation:
            one["gold"] = by_conversation[one["conversation_id"]]
    return rescored(record)


@pytest.fixture
def held(viewed):
    return viewed(
        with_gold(
            feed={"files": files("pins", "cache"), "left_out": {"lock": 1}},
            late={"files": files("clock")},
            twice={"files": [], "left_out": {"test": 2}},
            join={"files": [], "absent": files("gone")},
        )
    )


def table(view, key):
    (found,) = (one for one in tables.gold(view, view.evaluation.gold) if one.name == key)
    return {row[0].text: [cell.text for cell in row[1:]] for row in found.rows}


def test_without_a_judge_gold_is_the_headline(held):
    # Of feed one gold file of two is ours, of late the only one, in the second place.
    words = f"Recall@10{NBSP}0.750 and Acc@5{NBSP}0.500 against the files that commits touched"
    assert headline(held) == f"{words}, over 2 conversations"
    first, *_, last = sentences(held)
    assert first.startswith("Against gold (the files that commits touched): recall@10 0.750 (95 % interval")
    assert last == "Next: evaluate with --judge PROVIDER/MODEL, which rules on 9 files."
    assert len(sentences(held)) <= 3
    said = remarks(held)
    assert said[0] == (
        "4 of 6 conversations have no figure against gold: nobody gives gold (2), all gold files are left "
        "out as tests, new files or the like (1) and no gold file is in the searched tree (1)."
    )
    # Run A found pins and cache, and clock.
    assert said[1].startswith(
        "The two explorations together, on which recall rests, find 100 % of the gold files"
    )


def test_who_finds_gold(held):
    assert [row[0] for row in table(held, "gold-sources").values()] == ["0.750", "1.000", "0.750", "1.000"]
    assert table(held, "gold")["MRR"][0] == "0.750"
    assert "against-gold" in [section.name for section in document(held).sections]


def test_an_evaluation_without_an_explorer_against_gold_is_refused(viewed):
    record = with_gold(late={"files": files("clock")})
    del record["gold"]["explorers_against_gold"]["run_a"]
    with pytest.raises(InputError, match=r"'gold.explorers_against_gold.run_a' is missing"):
        viewed(record)


@pytest.mark.parametrize(
    ("path", "complaint"),
    [
        (("measures", "recall"), "there is no 'recall'"),
        (("areas", "code"), "there is no 'precision of code'"),
    ],
)
def test_an_evaluation_without_a_measure_is_refused(viewed, path, complaint):
    record = with_gold(late={"files": files("clock")})
    block, name = path
    if block == "areas":
        record["metrics"][block] = {"code": {}}
    else:
        del record["metrics"][block][name]
    with pytest.raises(InputError, match=complaint):
        viewed(record)
