import pytest
from sklearn.metrics import cohen_kappa_score

from contrastive.fakes import as_json, item_rows
from tellapart.contrastive.llm_figures import agreement_results, combined_results


def pick(model, item, option, *, source="docstring", replicate=0, **others):
    """A model that puts an option first; the target is ``t``, and None is an answer that is missing."""
    row = {"model": model, "item": item, "target": 0, "source": source, "replicate": replicate}
    row |= {"method": "llm" if model.startswith("llm") else "embedding", "order": replicate}
    row |= {"confidence_gap": None} if model.startswith("llm") else {}
    if option is None:
        return row | {"missing": "timeout"} | others
    return (
        row
        | {"rank": 1 if option == "t" else 2, "best_distractor": 23 if option == "t" else ord(option) - 97}
        | others
    )


def picks(model, options, **others):
    return [pick(model, f"item {i}", option, **others) for i, option in enumerate(options)]


def test_by_hand():
    (found,) = as_json(
        agreement_results(item_rows(*picks("llm", "ttxxyt"), *picks("bm25", ["t", "x", "x", "y", "t", None])))
    )
    assert found.pop("kappa") == pytest.approx(cohen_kappa_score([1, 1, 0, 0, 0], [1, 0, 0, 0, 1]))
    assert found == {
        "llm": "llm",
        "embedding": "bm25",
        "n": 5,
        "same_pick": 2,
        "both_right": 1,
        "only_llm": 1,
        "only_embedding": 1,
        "both_wrong": 2,
    }


def test_an_item_asked_several_times_counts_once_by_its_majority():
    asked = {
        "item 0": ["t", "t", "x"],
        "item 1": ["t", "x", "x"],
        "item 2": ["t", "x", "y"],
        "item 3": ["t", None, None],
        "item 4": ["t", "x", None],
    }
    rows = [
        pick("llm", item, o, replicate=i) for item, options in asked.items() for i, o in enumerate(options)
    ]
    (found,) = as_json(agreement_results(item_rows(*rows, *picks("bm25", "txttt"))))
    assert (found["n"], found["same_pick"]) == (5, 3)
    assert (found["both_right"], found["only_llm"], found["only_embedding"], found["both_wrong"]) == (
        2,
        0,
        2,
        1,
    )


def test_every_llm_is_held_against_every_embedder_of_the_same_source():
    rows = [
        row
        for source in ("gpt", "qwen")
        for name in ("llm b", "llm a", "lsa", "bm25")
        for row in picks(f"{name} {source}", "t" if source == "gpt" else "tx", source=source)
    ]
    found = as_json(agreement_results(item_rows(*rows)))
    assert [(one["llm"], one["embedding"], one["n"]) for one in found] == [
        (f"{llm} {source}", f"{embedder} {source}", n)
        for source, n in (("gpt", 1), ("qwen", 2))
        for llm in ("llm a", "llm b")
        for embedder in ("bm25", "lsa")
    ]


def ranked(model, ranks, **others):
    return [
        pick(model, f"item {i}", None if rank is None else "t", **others)
        | ({} if rank is None else {"rank": rank})
        for i, rank in enumerate(ranks)
    ]


def test_combined_by_hand():
    rows = [
        *ranked("bm25", [1, 2, 4, None]),
        *ranked("lsa", [1, None, 2, 1]),
        *ranked("llm", [2, 1, None, 1]),
        *ranked("llm alone", [1, 1], source="no embedder"),
    ]
    # Both kinds have a score for items 0, 1 and 3.
    embedding, llm = (1 + 1 / 2 + 1) / 3, (1 / 2 + 1 + 1) / 3
    assert as_json(combined_results(item_rows(*rows))) == {
        "docstring": {
            "embedding": pytest.approx(embedding),
            "llm": pytest.approx(llm),
            "combined": pytest.approx((embedding + llm) / 2),
            # Of .75, .75 and 1: s = .1443, t = 4.3027 with 2 degrees of freedom; cut at 1.
            "ci": pytest.approx([5 / 6 - 4.3027 * 0.1443 / 3**0.5, 1.0], abs=1e-4),
            "n": 3,
            "missing": 1,
        }
    }
