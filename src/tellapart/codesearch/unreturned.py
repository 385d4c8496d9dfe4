"""A random sample of the files that nobody returned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from tellapart.codesearch.git import Trees
from tellapart.codesearch.index import open_terms, take_snapshot
from tellapart.codesearch.model import Case, Rest
from tellapart.core.randomness import generator
from tellapart.embed.identifiers import split_identifiers
from tellapart.errors import InputError

NEAR = 50
"""Files of an issue, of those that nobody returned, that match its words best: a stratum of their own."""

NEAR_SHARE = 1 / 3  # Of the sample, drawn from these; without a relevant file the bound rests on the others


def with_sample(cases: Sequence[Case], trees: Trees, size: int, *, seed: int) -> tuple[Case, ...]:
    """Draw text files that nobody returned, each with the same chance in its stratum."""
    strata = dict(_strata(cases, trees))
    sizes = {name: sum(len(of[name]) for of in strata.values()) for name in ("near", "far")}
    near = min(sizes["near"], max(round(size * NEAR_SHARE), size - sizes["far"]))
    drawn = {
        name: _drawn(name, {id_: of[name] for id_, of in strata.items()}, count, seed)
        for name, count in (("near", near), ("far", min(sizes["far"], size - near)))
    }
    return tuple(
        replace(
            case,
            rest=Rest(
                {name: len(files) for name, files in strata[case.id].items()},
                {name: drawn[name].get(case.id, ()) for name in drawn},
            ),
        )
        if case.id in strata
        else case
        for case in cases
    )


def _strata(cases: Sequence[Case], trees: Trees) -> Iterator[tuple[str, dict[str, list[str]]]]:
    """By conversation, the files that nobody returned: near the issue by BM25, and far from it."""

    def base_of(case: Case) -> str:
        return repr(case.base)

    for _, of_base in groupby(sorted(cases, key=base_of), key=base_of):
        alike = list(of_base)
        try:
            with trees.at(alike[0].base) as repositories:
                index = open_terms(take_snapshot(repositories))
        except InputError:
            continue  # Without its tree an issue is not explored either.
        for case in alike:
            returned = case.ours | case.ground_truth
            ranked = index.ranked(list(dict.fromkeys(split_identifiers(case.issue_summary))))
            near = [path for path, _ in ranked if path not in returned][:NEAR]
            far = sorted({*index.paths}.difference(returned, near))
            yield case.id, {"near": sorted(near), "far": far}


def _drawn(
    name: str, files: Mapping[str, Sequence[str]], count: int, seed: int
) -> dict[str, tuple[str, ...]]:
    """Draw from the files of all conversations together, without replacement."""
    pairs = [(id_, file) for id_ in sorted(files) for file in files[id_]]
    places = generator(seed, "unreturned", name).choice(len(pairs), size=count, replace=False)
    drawn: dict[str, list[str]] = {}
    for place in sorted(places.tolist()):
        id_, file = pairs[place]
        drawn.setdefault(id_, []).append(file)
    return {id_: tuple(of_case) for id_, of_case in drawn.items()}
