"""Six tasks of MTEB over Python's standard library: its functions, what they say, and where they lie."""

from __future__ import annotations

import ast
import random
import sysconfig
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from datasets import Dataset, DatasetDict
from mteb import TaskMetadata
from mteb.abstasks import AbsTaskClassification, AbsTaskPairClassification, AbsTaskSTS
from mteb.abstasks.retrieval import AbsTaskRetrieval

MODULES = ("argparse", "datetime", "email", "http", "logging", "statistics", "tarfile", "threading")
SEED = 11
FUNCTIONS = 240


@dataclass(frozen=True)
class Function:
    """A documented function.

    Attributes:
        module: One of ``MODULES``.
        place: Its file and class.
        summary: The first paragraph of its docstring.
        more: The second one; empty where there is none.
        code: It without its docstring.
    """

    module: str
    place: str
    summary: str
    more: str
    code: str


@cache
def functions() -> list[Function]:
    """Up to ``FUNCTIONS`` of them, in an order of their own."""
    root = Path(sysconfig.get_path("stdlib"))
    found = {}
    for module in MODULES:
        files = sorted((root / module).glob("*.py")) if (root / module).is_dir() else [root / f"{module}.py"]
        for file in files:
            for function in functions_of(file, module):
                found.setdefault(function.summary, function)
    chosen = sorted(found.values(), key=lambda one: (one.module, one.place, one.summary))
    random.Random(SEED).shuffle(chosen)
    return chosen[:FUNCTIONS]


def functions_of(file: Path, module: str) -> list[Function]:
    """The documented functions of a file, at any depth."""
    kept = []

    def visit(node: Any, place: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef):
                visit(child, f"{place}.{child.name}")
            elif isinstance(child, ast.FunctionDef) and (said := ast.get_docstring(child)):
                paragraphs = [" ".join(part.split()) for part in said.split("\n\n")]
                child.body = child.body[1:]
                if len(paragraphs[0].split()) > 3 and child.body:
                    more = paragraphs[1] if len(paragraphs) > 1 else ""
                    code = ast.unparse(child)[:1000]
                    kept.append(Function(module, place, paragraphs[0], more, code))

    visit(ast.parse(file.read_text(encoding="utf-8")), f"{module}/{file.stem}")
    return kept


def described(name: str, kind: str, main_score: str) -> TaskMetadata:
    return TaskMetadata(
        name=name,
        description="Python's standard library",
        dataset={"path": "local/local", "revision": "1"},
        type=kind,
        category="t2c" if kind == "Classification" else "t2t",
        eval_splits=["test"],
        eval_langs=["eng-Latn"],
        main_score=main_score,
    )


class _Rankings(AbsTaskRetrieval):
    metadata: Any = None
    most_queries = 160
    candidates = 0

    def texts(self) -> list[tuple[str, str]]:
        """Queries and their documents."""
        raise NotImplementedError

    def load_data(self, *args: Any, **kwargs: Any) -> None:
        """Lay out the items; nothing is downloaded."""
        if self.data_loaded:
            return
        pairs = self.texts()
        asked = range(min(self.most_queries, len(pairs)))
        rng = random.Random(SEED)
        top = None
        if self.candidates:
            top = {
                f"q{i}": rng.sample(
                    [
                        f"d{i}",
                        *(
                            f"d{j}"
                            for j in rng.sample([j for j in range(len(pairs)) if j != i], self.candidates)
                        ),
                    ],
                    self.candidates + 1,
                )
                for i in asked
            }
        test = {
            "queries": Dataset.from_dict(
                {"id": [f"q{i}" for i in asked], "text": [pairs[i][0] for i in asked]}
            ),
            "corpus": Dataset.from_dict(
                {"id": [f"d{i}" for i in range(len(pairs))], "text": [document for _, document in pairs]}
            ),
            "relevant_docs": {f"q{i}": {f"d{i}": 1} for i in asked},
            "top_ranked": top,
        }
        self.dataset = {"default": {"test": test}}
        self.data_loaded = True


class StdlibCode(_Rankings):
    """Find a function's code by its summary."""

    metadata = described("StdlibCode", "Retrieval", "ndcg_at_10")

    def texts(self) -> list[tuple[str, str]]:
        """See the class."""
        return [(one.summary, one.code) for one in functions()]


class StdlibParagraphs(_Rankings):
    """Find the summary by the next paragraph of the same docstring."""

    metadata = described("StdlibParagraphs", "Retrieval", "ndcg_at_10")

    def texts(self) -> list[tuple[str, str]]:
        """See the class."""
        return [(one.more, one.summary) for one in functions() if len(one.more.split()) > 3]


class StdlibRerank(_Rankings):
    """Of a function's summary and 15 others, put its own first, by its code."""

    metadata = described("StdlibRerank", "Reranking", "map_at_1000")
    most_queries = 120
    candidates = 15

    def texts(self) -> list[tuple[str, str]]:
        """See the class."""
        return [(one.code, one.summary) for one in functions()]


class StdlibModule(AbsTaskClassification):
    """Tell the module of a function by its summary."""

    metadata = described("StdlibModule", "Classification", "accuracy")
    samples_per_label = 8
    n_experiments = 5

    def load_data(self, *args: Any, **kwargs: Any) -> None:
        """Lay out the items; nothing is downloaded."""
        if not self.data_loaded:
            rows = [{"text": one.summary, "label": MODULES.index(one.module)} for one in functions()]
            parts = {"train": rows[: len(rows) // 2], "test": rows[len(rows) // 2 :]}
            self.dataset = DatasetDict({split: Dataset.from_list(part) for split, part in parts.items()})
            self.data_loaded = True


class StdlibPlaces(AbsTaskSTS):
    """How near to each other two functions lie: 2 in one class, 1 in one module, else 0."""

    metadata = described("StdlibPlaces", "STS", "cosine_spearman")

    def load_data(self, *args: Any, **kwargs: Any) -> None:
        """Lay out the items; nothing is downloaded."""
        if not self.data_loaded:
            rng, every = random.Random(SEED), functions()
            pairs = [tuple(rng.sample(every, 2)) for _ in range(6000)]
            rows: list[dict[str, Any]] = []
            for near in range(3):
                of_kind = [pair for pair in pairs if nearness(*pair) == near][:150]
                rows += [
                    {"sentence1": a.summary, "sentence2": b.summary, "score": float(near)} for a, b in of_kind
                ]
            self.dataset = {"default": {"test": Dataset.from_list(rows)}}
            self.data_loaded = True


class StdlibMatch(AbsTaskPairClassification):
    """Whether a summary and a piece of code are of one function; the others are of one module."""

    metadata = described("StdlibMatch", "PairClassification", "cosine_ap")

    def load_data(self, *args: Any, **kwargs: Any) -> None:
        """Lay out the items; nothing is downloaded."""
        if not self.data_loaded:
            rng, every = random.Random(SEED), functions()
            rows = []
            for one in every[:120]:
                others = [other for other in every if other.module == one.module and other is not one]
                pair = [(one, 1), *((other, 0) for other in rng.sample(others, min(1, len(others))))]
                rows += [
                    {"sentence1": one.summary, "sentence2": of.code, "labels": label} for of, label in pair
                ]
            self.dataset = {"default": {"test": Dataset.from_list(rows)}}
            self.data_loaded = True


def nearness(one: Function, other: Function) -> int:
    return 2 if one.place == other.place else int(one.module == other.module)


ALL = (StdlibCode, StdlibParagraphs, StdlibRerank, StdlibModule, StdlibPlaces, StdlibMatch)
