"""Tasks of MTEB over texts of this file: one of each kind that is read."""

from datasets import Dataset, DatasetDict
from mteb import TaskMetadata
from mteb.abstasks import AbsTaskClassification, AbsTaskPairClassification, AbsTaskSTS
from mteb.abstasks.retrieval import AbsTaskRetrieval

VERBS = ["read", "sort", "write", "count", "merge", "split", "close", "parse"]
NOUNS = ["file", "list", "names", "words", "table", "graph"]
TEXTS = [f"{verb} the {noun}" for verb in VERBS for noun in NOUNS]


def described(name, kind, main_score, *, languages=("eng-Latn",), splits=("test",)):
    several = isinstance(languages, dict)
    return TaskMetadata(
        name=name,
        description="local",
        dataset={"path": "local/local", "revision": "1"},
        type=kind,
        category="t2t" if kind in ("Retrieval", "Reranking", "STS", "PairClassification") else "t2c",
        eval_splits=list(splits),
        eval_langs=languages if several else list(languages),
        main_score=main_score,
    )


def ranked(verbs, *, candidates=None):
    """Queries that name a verb, documents of that verb relevant, those of one noun more so."""
    queries = {f"q-{verb}": f"{verb} it" for verb in verbs}
    documents = {f"d{i}": text for i, text in enumerate(TEXTS)}
    relevant = {
        query: {d: 1 + ("file" in text) for d, text in documents.items() if text.startswith(query[2:])}
        for query in queries
    }
    return {
        "queries": Dataset.from_dict({"id": list(queries), "text": list(queries.values())}),
        "corpus": Dataset.from_dict({"id": list(documents), "text": list(documents.values())}),
        "relevant_docs": relevant,
        "top_ranked": candidates and {query: list(documents)[:candidates] for query in queries},
    }


class LocalRetrieval(AbsTaskRetrieval):
    metadata = described(
        "LocalRetrieval", "Retrieval", "ndcg_at_10", languages={"one": ["eng-Latn"], "two": ["deu-Latn"]}
    )

    def load_data(self, *args, **kwargs):
        if not self.data_loaded:
            self.dataset = {"one": {"test": ranked(VERBS[:5])}, "two": {"test": ranked(VERBS[4:])}}
            self.data_loaded = True


class LocalReranking(AbsTaskRetrieval):
    metadata = described("LocalReranking", "Reranking", "map_at_1000")

    def load_data(self, *args, **kwargs):
        if not self.data_loaded:
            self.dataset = {"default": {"test": ranked(VERBS[:4], candidates=24)}}
            self.data_loaded = True


class LocalClassification(AbsTaskClassification):
    metadata = described("LocalClassification", "Classification", "accuracy", splits=("validation", "test"))
    samples_per_label = 4
    n_experiments = 3

    def load_data(self, *args, **kwargs):
        if not self.data_loaded:
            rows = [{"text": text, "label": VERBS.index(text.split()[0]) % 3} for text in TEXTS]
            parts = {"train": rows[::2], "validation": rows[1::4], "test": rows[3::4]}
            self.dataset = DatasetDict({split: Dataset.from_list(part) for split, part in parts.items()})
            self.data_loaded = True


def pairs():
    return [(a, b) for i, a in enumerate(TEXTS[::3]) for b in TEXTS[i % 5 :: 11]]


def likeness(a, b):
    return len(set(a.split()) & set(b.split())) - 1


class LocalSTS(AbsTaskSTS):
    metadata = described("LocalSTS", "STS", "cosine_spearman")

    def load_data(self, *args, **kwargs):
        if not self.data_loaded:
            rows = [{"sentence1": a, "sentence2": b, "score": float(likeness(a, b))} for a, b in pairs()]
            self.dataset = {"default": {"test": Dataset.from_list(rows)}}
            self.data_loaded = True


class LocalPairs(AbsTaskPairClassification):
    metadata = described("LocalPairs", "PairClassification", "max_ap")

    def load_data(self, *args, **kwargs):
        if not self.data_loaded:
            rows = [{"sentence1": a, "sentence2": b, "labels": int(likeness(a, b) > 0)} for a, b in pairs()]
            self.dataset = {"default": {"test": Dataset.from_list(rows)}}
            self.data_loaded = True


ALL = (LocalRetrieval, LocalReranking, LocalClassification, LocalSTS, LocalPairs)
