"""What is evaluated: search results, whose iteration and gold they are, and what there is to say of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from tellapart.codesearch.evaluation import (
    AT_BASE,
    BASIS,
    GOLD_FORM,
    NOTES,
    SEARCHED_BY,
    SYSTEM,
    UNRANKED,
    WITHHELD,
)
from tellapart.codesearch.git import Trees
from tellapart.codesearch.gold.placing import PlacedGold
from tellapart.codesearch.index import Snapshot, take_snapshot
from tellapart.codesearch.looping.calibration import (
    CalibrationRule,
    explorers_for,
    input_fingerprint,
    iteration_number,
    read_state,
)
from tellapart.codesearch.model import Base, Case, Gold, SearchResults
from tellapart.codesearch.recordings import read_search_results
from tellapart.codesearch.repositories import Repositories
from tellapart.codesearch.settings import UNNAMED, EvaluationSettings
from tellapart.core.progress import SILENT, Progress

FIX_IS_THERE = (
    "the repositories already hold what solved these issues, which makes that easier to find: --at-base of "
    "search takes the commit before it instead, and evaluate then does so too"
)
"""Warning about gold of commits in a tree of now."""


@dataclass(frozen=True)
class Workspace:
    """What stays the same from one iteration to the next."""

    repositories: Repositories
    index: Path
    state: Path | None = None
    rule: CalibrationRule = CalibrationRule()


@dataclass(frozen=True)
class EvaluationRequest:
    """What is evaluated, and how."""

    results: SearchResults
    source: bytes
    settings: EvaluationSettings
    around: Workspace
    iteration: int = 1
    rule: CalibrationRule = CalibrationRule()
    gold: PlacedGold | None = None

    @property
    def repositories(self) -> Repositories:
        """What explorers may read."""
        return self.around.repositories

    @cached_property
    def snapshot(self) -> Snapshot:
        """What is in the repositories."""
        return take_snapshot(self.repositories)

    @cached_property
    def given_gold(self) -> Mapping[str, Gold]:
        """By conversation, gold as it was given, before rules and trees are looked at."""
        if self.gold is not None:
            return self.gold.gold
        return {
            search.conversation.id: search.gold for search in self.results.searched if search.gold is not None
        }

    @cached_property
    def bases(self) -> dict[str, Base | None]:
        """By conversation, its base commit; None where nobody says it."""
        named = self.gold.bases if self.gold else {}
        conversations = (search.conversation for search in self.results.searched)
        return {
            conversation.id: conversation.base or named.get(conversation.id) for conversation in conversations
        }


def request_evaluation(
    source: bytes,
    settings: EvaluationSettings,
    around: Workspace,
    *,
    where: str,
    iteration: int | None = None,
    gold: PlacedGold | None = None,
    progress: Progress = SILENT,
) -> EvaluationRequest:
    """Read search results, and find which iteration they are and who explores it."""
    results = read_search_results(source, repositories=around.repositories, where=where)
    state = read_state(around.state) if around.state else None
    number = iteration_number(
        input_fingerprint(source), stated=results.iteration, requested=iteration, state=state
    )
    if state and results.iteration is None and iteration is None and state.find(number):
        progress(
            f"the same search results as those of iteration {number}, so this is taken as that iteration"
        )
    rule = around.rule.knowing(state, number)
    explorers = explorers_for(number, settings.explorers, rule)
    if explorers != settings.explorers:
        progress(f"after calibration both runs are explored by {explorers[1]}")
    settings = replace(
        settings,
        explorers=explorers,
        system=settings.system or results.system or UNNAMED,
        # Explorers look where the system did, unless there is nothing to look at.
        at_base=results.at_base and bool(around.repositories.names),
    )
    return EvaluationRequest(results, source, settings, around, number, rule, gold)


def facts_of(request: EvaluationRequest, trees: Trees, cases: Sequence[Case]) -> dict[str, Any]:
    """Facts about the system under test and about what it returned; see ``scoring``."""
    settings, results = request.settings, request.results
    facts: dict[str, Any] = {
        SYSTEM: settings.system,
        WITHHELD: request.snapshot.withheld,
        SEARCHED_BY: None if results.system == settings.system else results.system,
        UNRANKED: settings.unranked,
        AT_BASE: settings.at_base,
        GOLD_FORM: request.gold.form if request.gold else results.gold_form,
        BASIS: request.rule.to_json(),
        NOTES: [
            *results.notes,
            *_missing_files(request, trees),
            *_gold_notes(request),
            *_absent_gold(cases),
        ],
    }
    return {name: fact for name, fact in facts.items() if fact}


def _missing_files(request: EvaluationRequest, trees: Trees) -> Iterator[str]:
    """Say how many of the system's files are not in the repositories."""
    bases = request.bases
    files = [(each.conversation.id, file) for each in request.results.searched for file in each.result.files]
    if gone := [file for id_, file in files if not trees.held_at(bases[id_], file)]:
        yield (
            f"{len(gone)} of the {len(files)} files that the system returned are not in the repositories, "
            f"such as {gone[0]!r}: a judge is not asked about them, they are not relevant"
        )


def _gold_notes(request: EvaluationRequest) -> Iterator[str]:
    """What to beware of in figures against gold."""
    gold = request.given_gold
    yield from request.gold.notes if request.gold else ()
    ids = {search.conversation.id for search in request.results.searched}
    ids |= {left.conversation for left in request.results.unusable}
    strange = gold.keys() - ids
    if gold and strange == gold.keys():
        yield (
            f"no conversation has gold: the gold file has {min(gold)!r}, the search results have {min(ids)!r}"
        )
    elif strange:
        yield f"{len(strange)} of {len(gold)} gold entries are of no conversation here"
    if gold and any(request.bases.values()) and not request.settings.at_base:
        yield FIX_IS_THERE


def _absent_gold(cases: Sequence[Case]) -> Iterator[str]:
    """Gold of which no tree holds a single file, such as ids of documents that are no paths."""
    golds = [case.gold for case in cases if case.gold is not None]
    absent = sorted(file for gold in golds for file in gold.absent)
    if absent and not any(gold.files for gold in golds):
        yield (
            f"none of the {len(absent)} gold files is in the repositories, so nothing is held against them: "
            f"the first is {absent[0]!r}, expected a path such as 'repo/src/a.py'"
        )
