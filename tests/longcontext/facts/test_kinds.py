"""A kind of fact that says no more than how it is recognised."""

import re
from time import process_time

import pytest

from tellapart.longcontext.facts import (
    Fact,
    FactKind,
    Mention,
    Sighting,
    all_kinds,
    kinds,
    located,
    same,
    states,
)


class Email(FactKind):
    name = "email"
    precedence = 5

    def sightings(self, text, taken):
        for match in re.finditer(r"[\w.]+@[\w.]+\w", text):
            yield Sighting(*match.span(), Fact(self, match[0], match[0].casefold()))


EMAIL = Email()


def test_kinds_are_found_in_the_order_in_which_they_read():
    assert [kind.name for kind in all_kinds()] == [
        *("path", "date", "clock time", "telephone number", "version", "identifier", "number", "name")
    ]


@pytest.fixture
def emails(monkeypatch):
    own = tuple(kind for kind in all_kinds() if kind.name != "path")
    monkeypatch.setattr(kinds, "all_kinds", lambda: (EMAIL, *own))
    yield
    for cached in (kinds.located, kinds.facts_of, kinds._by_kind):
        cached.cache_clear()


def test_facts_are_equal_where_their_normal_forms_are(emails):
    fact = Fact(EMAIL, "Ada@x.org", "ada@x.org")
    assert [states(text, fact) for text in ("Write to ADA@X.ORG.", "ada@x.com", "")] == [True, False, False]
    assert same(fact, Fact(EMAIL, "ADA@x.org", "ada@x.org"))
    mention = Mention(fact=fact, start=3, label="", before="to")
    assert (mention.value, mention.unit, mention.end, mention.is_year) == ("ada@x.org", "", 12, False)
    assert (
        EMAIL.replaces(mention, mention)
        and EMAIL.can_spoil(mention)
        and EMAIL.matched(mention, [mention], "Ada@X.org")
    )
    assert EMAIL.near(mention, [mention], "ada@x.org") is None


def test_what_an_earlier_kind_takes_no_later_one_reads(monkeypatch):
    text = "It is at a1.ab3@x.org or in room 12."
    own = tuple(kind for kind in all_kinds() if kind.name != "path")
    monkeypatch.setattr(kinds, "all_kinds", lambda: own)
    assert [fact.text for _, fact in located.__wrapped__(text)] == ["a1", "12"]
    monkeypatch.setattr(kinds, "all_kinds", lambda: (EMAIL, *own))
    assert [fact.text for _, fact in located.__wrapped__(text)] == ["a1.ab3@x.org", "12"]


@pytest.mark.parametrize("sign", ["x", "-", "a.", "/"])
def test_a_run_of_one_sign_is_read_once(sign):
    # From each of its signs to its end, it would take minutes.
    begun = process_time()
    assert all(fact.kind.name != "path" for _, fact in located.__wrapped__(sign * 100_000 + " end"))
    assert process_time() - begun < 5
