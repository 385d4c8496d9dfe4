"""A real repository, a system that greps it for each of its terms, and real evaluations of that."""

import json

from tellapart.codesearch.case import Conversation, Conversations
from tellapart.codesearch.iteration import Workspace, evaluate_results
from tellapart.codesearch.reading import read_evaluation
from tellapart.codesearch.repositories import Repositories
from tellapart.codesearch.searching import search
from tellapart.codesearch.settings import EvaluationSettings
from tellapart.codesearch.systems.system import SystemAnswer
from tellapart.llm.models import LanguageModel

CATALOG = ("apricot", "walnut", "pepper", "saffron", "ginger", "fennel")
"""Each names an issue and its two files, both of which the system searches for."""

BILLING = ("ledger", "refund", "invoice")
"""Likewise, but the second file has not the system's word, only ``todo``."""


class Grep:
    """Files in which a term stands, with the terms that led to each."""

    name = "grep"

    def __init__(self, repositories, terms_of):
        self.repositories = repositories
        self.terms_of = terms_of

    def check(self):
        """Nothing."""

    def prepare(self):
        """Nothing."""

    async def close(self):
        """Nothing."""

    async def search(self, conversation):
        terms = self.terms_of(conversation)
        texts = {path: self.repositories.locate(path).read_text() for path in self.repositories.files()}
        led = {path: [term for term in terms if term in text] for path, text in texts.items()}
        found = [{"path": path, "terms": named} for path, named in led.items() if named]
        return SystemAnswer({"files_found": found, "search_terms_used": terms})


class World:
    """The repository ``shop`` under a directory, and its issues."""

    def __init__(self, root, *, billing=False):
        self.root = root
        files = {f"note_{n}": "todo = 1\n" + ("draft = 1\n" if n == 0 else "") for n in range(3)}
        for word in CATALOG:
            files |= {f"{word}_{part}": f"{word} = 1\n" for part in ("model", "view")}
        for word in BILLING if billing else ():
            files |= {f"{word}_model": f"{word} = {word}model = 1\n", f"{word}_view": f"{word} = todo = 1\n"}
        folder = root / "repos" / "shop"
        folder.mkdir(parents=True)
        for name, text in files.items():
            (folder / f"{name}.py").write_text(text)
        self.repositories = Repositories.open(root / "repos", ["shop"])
        areas = {"catalog": CATALOG, **({"billing": BILLING} if billing else {})}
        self.issues = tuple(
            Conversation(f"{word}-1", f"The {word} looks odd", area)
            for area, words in areas.items()
            for word in words
        )

    def terms(self, conversation):
        word = conversation.id.partition("-")[0]
        return [word if word in CATALOG else f"{word}model", "todo", "draft"]

    def iterate(self, number, without=()):
        """Search and evaluate once; the evaluation read back, and its record."""
        system = Grep(
            self.repositories, lambda one: [term for term in self.terms(one) if term not in without]
        )
        conversations = Conversations(number, None, self.issues)
        searched = search(conversations, system, self.repositories)
        settings = EvaluationSettings(judge=LanguageModel("offline/uncommon-words"), assess=False)
        done = evaluate_results(
            json.dumps(searched.record).encode(),
            settings,
            Workspace(self.repositories, self.root / "index"),
            where="planted",
            out=self.root / f"run-{number}",
        )
        return read_evaluation(done.text, where="planted"), done.record.to_json()
