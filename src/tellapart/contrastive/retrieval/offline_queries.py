"""Queries without a language model: from names, signatures and docstrings.

Each is a line of plain words, as people type them into a search box, and nothing is put between them that is
not in the material.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import PurePosixPath

from tellapart.contrastive.benchmark import Benchmark
from tellapart.contrastive.retrieval.queries import KINDS, Queries, Query, asked_units, usable
from tellapart.contrastive.summaries import docstring_summary, qualified_name
from tellapart.embed.identifiers import split_identifiers
from tellapart.extraction.unit import Unit

MOST_WORDS = 20
"""Words of a query; of longer material the first ones are taken."""

_OPERATOR = re.compile(r"__\w+__|constructor")
_PARTS_OF_CREATION = {"init", "new", "constructor"}


def offline_queries(benchmark: Benchmark) -> Queries:
    """Make queries about the targets of a benchmark from what is in the code itself.

    ``vague``: the word of the unit's name that most names of the benchmark share, and the file's name.
    ``doc_conceptual``: the first paragraph of the docstring, unless docstrings are among the summaries.
    ``doc_api_lookup``: the words of the name, the parameters and the return type. The other kinds cannot be
    made from code.
    """
    words_of = [set(split_identifiers(unit.name)) for unit in benchmark.units]
    shared = Counter(word for words in words_of for word in words)
    queries, missing = [], {}
    for unit_id in asked_units(benchmark):
        unit = benchmark.units[benchmark.position[unit_id]]
        texts = {
            "vague": _vague(unit, shared),
            "doc_conceptual": "" if "docstring" in benchmark.sources else docstring_summary(unit) or "",
            "doc_api_lookup": _interface(unit),
        }
        for kind in KINDS:
            words = texts.get(kind, "").split()
            if words:
                queries.append(Query(unit_id, kind, " ".join(words[:MOST_WORDS])))
            else:
                missing[unit_id, kind] = "infeasible"
    return usable(benchmark, queries, missing)


def _vague(unit: Unit, shared: Counter[str]) -> str:
    name = _name_words(unit)
    if not name:
        return ""
    commonest = min(name, key=lambda word: (-shared[word], word))
    return " ".join(dict.fromkeys([commonest, *split_identifiers(PurePosixPath(unit.path).stem)]))


def _interface(unit: Unit) -> str:
    parameters = [parameter.name for parameter in unit.parameters]
    interface = split_identifiers(" ".join([*parameters, unit.return_type or ""]))
    return " ".join([*_name_words(unit), *interface]) if interface else ""


def _name_words(unit: Unit) -> list[str]:
    """The words of the name; of a constructor or an operator those of what it belongs to, too."""
    if not _OPERATOR.fullmatch(unit.name):
        return split_identifiers(unit.name)
    words = split_identifiers(" ".join(qualified_name(unit).split(".")[-2:]))
    return [word for word in words if word not in _PARTS_OF_CREATION]
