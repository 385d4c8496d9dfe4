from dataclasses import replace

import pytest

from contrastive.fakes import as_json, item_rows, make_benchmark, make_units
from tellapart.contrastive.llm_figures import combined_results, summary_results


@pytest.fixture
def benchmark():
    return make_benchmark(make_units(*"abcd"), [("a", "docstring", "about a")], [("easy", "a", ["b"])])


def test_summaries_by_hand():
    units = make_units(*"abcd")
    texts = [("a", "gpt", "four"), ("b", "gpt", "sixsix"), ("c", "gpt", "no target")]
    plain = make_benchmark(units, texts, [("easy", "a", ["c"]), ("easy", "b", ["c"]), ("hard", "d", ["c"])])
    assert summary_results(plain) == {}
    a, b, _, d = (unit.id for unit in units)
    causes = {"gpt": {d: "refusal"}, "llama": {a: "provider", b: "provider"}}
    header = plain.header.model_copy(update={"counts": {"summaries_missing": causes}})
    assert as_json(summary_results(replace(plain, header=header))) == {
        "gpt": {"n": 2, "missing": {"refusal": 1}, "mean_characters": 5.0},
        "llama": {"n": 0, "missing": {"infeasible": 1, "provider": 2}, "mean_characters": None},
    }


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
