"""What a question asks for: which facts and words of the right answer matter, and which only decorate it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from string import ascii_letters

from tellapart.longcontext.case import Expected
from tellapart.longcontext.facts import Fact, Mention, all_kinds, facts_of, located
from tellapart.longcontext.facts.clock import KIND as CLOCK
from tellapart.longcontext.facts.clock import as_clock
from tellapart.longcontext.facts.date import KIND as DATE
from tellapart.longcontext.facts.entries import references
from tellapart.longcontext.facts.name import KIND as NAME
from tellapart.longcontext.facts.name import looks_like_person, people_in
from tellapart.longcontext.facts.number import KIND as NUMBER
from tellapart.longcontext.facts.number import STATISTICS
from tellapart.longcontext.facts.text import folded, unread_in, words_of
from tellapart.longcontext.facts.version import KIND as VERSION
from tellapart.longcontext.facts.version import as_version
from tellapart.longcontext.rules.words import content_words, stem, stems_of
from tellapart.longcontext.rules.yes_no import Polarity, asks_yes_or_no, leading_polarity, without_polarity

LONGEST_TERM = 3
"""Words of a term; what takes more words can be said in others, which rules do not see."""


@dataclass(frozen=True)
class Term:
    """Words of the right answer that are asked for by themselves, such as ``the blue one``.

    Attributes:
        start: The first character in the answer.
    """

    text: str
    stems: tuple[str, ...]
    start: int


@dataclass(frozen=True)
class AnswerSpec:
    """What a response has to say.

    Attributes:
        details: The facts that matter, in the order of the answer.
        entries: The numbers of entries that are asked for; empty where no entry is.
        stated: Everything that the answer states, what matters and what decorates.
        terms: Words that matter, in the order of the answer.
        polarity: Whether yes or no is the answer; None where neither is asked for.
        coverage: Share of what is asked for that rules can see, from 0 to 1; 1 where nothing is hidden.
        hidden: What they cannot see: clauses whose meaning can be told in other words.
        unasked: Facts of the answer that nobody asks for, as written.
        aliases: Other names of what it names, by the normal form of the name.
        tolerance: How far its numbers may be off, as the key says it.
    """

    details: tuple[Mention, ...]
    entries: frozenset[int]
    stated: tuple[Fact, ...]
    terms: tuple[Term, ...] = ()
    polarity: Polarity | None = None
    coverage: float = 1.0
    hidden: tuple[str, ...] = ()
    unasked: tuple[str, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict, hash=False)
    tolerance: str | None = None

    @property
    def people(self) -> bool:
        """Whether a person is asked for."""
        return any(detail.person for detail in self.details)


_WHICH = re.compile(
    r"\b(?:which|what)\s+(?:\w+\s+){0,2}(?:stud(?:y|ies)|articles?|papers?|entr(?:y|ies)|reports?)\b", re.I
)
_WH = r"(?:what|which|when|where|who|whom|whose|why|how)\b"
_ASKS = re.compile(rf"\b{_WH}|^(?:please\s)?(?:remind|tell|give|list|name|state|show|confirm)\b", re.I)
# A question that goes on: ", and who leads it", "and from which platform", "; is breakfast included".
_NEXT = re.compile(
    rf"(?:[,;]\s(?:and\s|or\s)?|\s(?:and|or)\s|[?.]\s+(?:and\s)?)(?=(?:(?:at|on|in|from|to|by|for|with|until|of)\s)?{_WH}|"
    r"(?:is|are|was|were|do|does|did|has|have|can|will)\s\w)",
    re.I,
)
_REASON = re.compile(
    r"\bwhy\b|\bhow\scome\b|\breasons?\b|\bcaused?\b|\bwhat\s(?:happened|went\swrong)\b|\bexplain\b|\bdescribe\b|\bsummari[sz]e\b|"
    r"\bhow\s(?:do|does|did|can|could|should|would|is|are|was|were|will|has|have|had)\b(?!\s(?:\w+\s){0,3}(?:weigh|cost|pay))|"
    r"\bwhat\s(?:do|does|did|would)\s(?:[\w'’-]+\s){1,5}(?:sound|look|feel|taste|smell)\slike\b|"
    r"\bwhat\s(?:should|must|can|could)\b|\badvice\b|\badvise\b|\bwhat\s(?:does|did|do)\s(?:\w+\s){1,4}(?:say|think|mean|want|suggest|recommend)\b",
    re.I,
)
# "does not close" is no "the blue one, not the red one": what it denies is what it says.
_VERBS_TEXT = "do does did is are was were has have had can could will would should must may might"
_VERBS = _VERBS_TEXT.split()
_NO_VERB_BEFORE = "".join(rf"(?<!\b{verb}\s)" for verb in _VERBS)
# A sentence that denies and a condition can always be said in other words, however short.
_CLAUSE = re.compile(
    rf"\b(?:{'|'.join(_VERBS)})(?:\snot\b|n['’]t\b)|\b(?:cannot|can['’]t|won['’]t)\b|"
    r"^\W*(?:only\s)?(?:if|unless|(?:as|so)\slong\sas|provided|on\s(?:the\s)?condition|in\scase|whenever)\b",
    re.I,
)
# What an answer says of how it was before, or why, is not asked for where something else is.
_ASIDE = re.compile(
    r"(?:^\s*|[,;.]\s|\s[–—-]\s|\s)(?:because|since\s(?:the|it|they|he|she|we)|"
    r"(?<!long\s)(?<!soon\s)(?<!much\s)(?<!many\s)(?<!well\s)(?<!far\s)as\s(?:the|it|they|he|she|we)|so\sthat|"
    r"(?:it|which|this|that|they|he|she)\s(?:was|were|had\sbeen)\s(?:originally\s)?|originally|previously|formerly|"
    r"who\s(?:replaced|took\sover\sfrom|succeeded|followed)|replacing|no\slonger|"
    r"(?:moved|changed|postponed|brought\sforward|up|down|corrected)\sfrom|instead\sof|rather\sthan|"
    rf"{_NO_VERB_BEFORE}not|the\s(?:original|old|previous|first)\s\w+)\b.*$",
    re.I | re.S,
)
_ALIAS = re.compile(
    r",?\s\(?(?:(?:better|also|usually)\s)?(?:known\sas|called|aka|a\.k\.a\.|nicknamed|alias|or\s(?:just|simply))\s",
    re.I,
)
# Words of a time that stand beside its date: spring 2027, early June.
_TIME_WORDS_TEXT = (
    "spring summer autumn fall winter early late mid beginning start end morning afternoon "
    "evening night weekend christmas easter q1 q2 q3 q4 quarter half"
)
_TIME_WORDS = frozenset(_TIME_WORDS_TEXT.split())
_WHO = re.compile(r"\bwho(?:m|se)?\b", re.I)
_SEVERAL = re.compile(
    r"\bhow\smany\s\w+\sand\s|\b(?:what|which)\s(?:two\s|three\s|four\s)?(?!was\b|is\b|does\b|has\b)\w+[^su\W]s\b|\b(?:each|both|respectively|all)\b|['’]s\sand\s|\band\s(?:my|our|the|his|her|their|your|(?-i:[A-Z]))",
    re.I,
)
_ITEM = re.compile(
    r"[,;]\s|\s[+/]\s|\s(?:and|plus|as\swell\sas|&)\s|(?<!\b(?-i:[A-Z])[a-z])(?<!\b(?-i:[A-Z])[a-z]{2})\.\s+|\n+",
    re.I,
)
_SENTENCE = re.compile(r"[;\n]+|(?<=[a-z0-9)])(?<!\b[A-Z][a-z])(?<!\b[A-Z][a-z]{2})\.\s+")


@lru_cache(maxsize=4096)
def answer_spec(question: str, expected: Expected) -> AnswerSpec:
    """Say which facts and words of the right answer the question asks for.

    The question's words decide: ``percentage`` wants the answer's first percentage, ``odds ratios`` all that
    are labelled so, ``author`` the people in it, ``when`` its dates and times. A part of the question that
    names no kind wants what is left of the answer: its facts outside brackets, without p-values, and its
    words. A probe's own ``evidence`` narrows this down to the facts that it shares with the answer. What the
    question itself states is never wanted.
    """
    answer, aliases = _without_aliases(expected.answer or "")
    details = details_of(answer)
    given = {fact.normal for fact in facts_of(question)}
    stated = facts_of(answer)
    entries = frozenset(n for n, _ in references(answer)) - {n for n, _ in references(question)}
    entries = entries if _WHICH.search(question) is not None else frozenset()
    asks = asks_of(question)
    polarity = leading_polarity(answer) if any(map(asks_yes_or_no, asks)) else None
    plain = _main_part(answer, reason=False)
    main = [detail for detail in details if plain[detail.start : detail.start + 1].strip()]
    picked: list[Mention] = []
    open_asks, beside = [], list[Term]()
    for ask in asks:
        wanted = _by_kind(details, ask, answer, main, picked)
        if wanted is not None:
            picked += wanted
            beside += _beside_picked(question, plain, details, wanted)
            if _WHO.search(ask):
                picked += people_by_place(plain, details, picked)
        elif not (polarity is not None and asks_yes_or_no(ask)):
            open_asks.append(ask)
    terms, hidden = tuple(dict.fromkeys(beside)), tuple[str, ...]()
    if open_asks:
        reason = any(_REASON.search(ask) for ask in open_asks)
        left, body = _left(answer, details, picked, reason=reason)
        if shared := _by_evidence(left, expected.evidence):
            left = shared
        kept = [detail for detail in _by_default(left) if detail.fact.normal not in given]
        more, hidden = _terms(question, body, details, kept, reason=reason)
        terms = (*terms, *(term for term in more if term not in terms))
        picked += kept
    picked = [detail for detail in picked if detail.fact.normal not in given]
    if not picked and not terms and not hidden and polarity is None:
        picked = [detail for detail in _by_default(main or details) if detail.fact.normal not in given]
    chosen = tuple(sorted(dict.fromkeys(picked), key=lambda detail: detail.start))
    return _spec(
        chosen, details, entries, stated, terms, polarity, hidden, given, aliases, expected.tolerance
    )


def _spec(
    details: Sequence[Mention],
    every: Sequence[Mention],
    entries: frozenset[int],
    stated: tuple[Fact, ...],
    terms: tuple[Term, ...],
    polarity: Polarity | None,
    hidden: tuple[str, ...],
    given: set[str],
    aliases: Mapping[str, str],
    tolerance: str | None,
) -> AnswerSpec:
    starts, chosen = {detail.start for detail in details}, {detail.fact.normal for detail in details}
    unasked = tuple(
        detail.fact.text
        for detail in every
        if detail.start not in starts and detail.fact.normal not in chosen | given
    )
    hidden += tuple(
        detail.fact.text
        for detail in details
        if not detail.fact.kind.is_value
        and any(run not in detail.fact.normal for run in unread_in(detail.fact.text))
    )
    seen = len(details) + len(terms) + (polarity is not None) + bool(entries)
    coverage = seen / (seen + len(hidden)) if seen + len(hidden) else 0.0
    return AnswerSpec(
        tuple(details),
        entries,
        stated,
        terms,
        polarity,
        round(coverage, 4),
        hidden,
        unasked,
        aliases,
        tolerance,
    )


def asks_of(question: str) -> tuple[str, ...]:
    """The parts of a question, each of which asks for something: ``When`` and ``from which platform``."""
    lines = [line for line in question.strip().split("\n") if line.strip()]
    asked = [line for line in lines if "?" in line] or lines[-1:]
    parts = [part.strip() for line in asked for part in _NEXT.split(line)]
    parts = [piece for part in parts for piece in _halves(part)]
    parts = [part for part in parts if _ASKS.search(part) or asks_yes_or_no(part)] or parts[:1]
    return tuple(part for part in parts if part)


# What is the name and the dose of …: two things that are asked for with one question word.
_TWO = re.compile(
    rf"^(?P<front>.*?\b(?:what|which)(?:['’]s|\s(?:is|are|was|were))?)\s(?P<one>(?:(?!do\b|did\b|does\b|will\b|has\b|have\b|had\b|"
    rf"between\b|{_WH})[\w'’-]+\s){{1,4}})and\s(?P<other>(?:the\s|its\s|his\s|her\s|their\s|my\s|our\s)?[a-z].*)$",
    re.I,
)


def _halves(ask: str) -> tuple[str, ...]:
    two = _TWO.match(ask)
    return (
        (ask,) if two is None else (f"{two['front']} {two['one'].strip()}", f"{two['front']} {two['other']}")
    )


_LONGEST_LABEL = 24


@lru_cache(maxsize=4096)
def details_of(answer: str) -> tuple[Mention, ...]:
    """The facts of an answer, each once, with what stands around it."""
    people, seen, details = people_in(answer), set(), []
    at = is_open = 0
    for start, fact in located(answer):
        if (fact.kind, fact.normal) in seen:
            continue
        seen.add((fact.kind, fact.normal))
        is_open += sum(answer.count(sign, at, start) for sign in "([")
        is_open -= sum(answer.count(sign, at, start) for sign in ")]")
        at = start
        details.append(
            Mention(
                fact=fact,
                start=start,
                label=label_before(answer[max(0, start - _LONGEST_LABEL) : start]),
                bracketed=is_open > 0,
                before=_word_before(answer, start),
                person=fact.kind is NAME and looks_like_person(fact, people),
            )
        )
    return tuple(details)


def _word_before(text: str, start: int) -> str:
    """The last word before a place, in small letters, with at most blanks and brackets that open between."""
    # A regular expression would look for it from the beginning of the text.
    end = start
    while end and (text[end - 1].isspace() or text[end - 1] == "("):
        end -= 1
    begin = end
    while begin and text[begin - 1] in ascii_letters:
        begin -= 1
    return text[begin:end].lower()


def label_before(before: str) -> str:
    """What a number is said to be by what stands before it: ``r`` of ``r=``; empty where nothing is said."""
    match = re.search(r"([A-Za-z]{1,12})\s?[=<>≥≤≈]+\s?[-−–+$]?$", before[-_LONGEST_LABEL:])
    return match[1].lower() if match else ""


def _by_kind(
    details: Sequence[Mention], ask: str, answer: str, main: Sequence[Mention], taken: Sequence[Mention]
) -> list[Mention] | None:
    """What a part of a question asks for by the kind that it names; None where it names none of the answer's.

    Where it asks for one of several, the one beside which most of its own words stand, of those that no
    earlier part of the question has asked for; outside brackets before inside them.
    """
    wanted: list[Mention] = []
    several = _SEVERAL.search(ask) is not None
    asked = set(stems_of(ask))
    for kind in all_kinds():
        own = [detail for detail in details if detail.fact.kind is kind]
        numbers = [detail for detail in details if detail.fact.kind is NUMBER] if not own else []
        if kind is VERSION:
            own += [as_version(detail) for detail in numbers]
        elif kind is CLOCK:
            own += [hour for detail in numbers if (hour := as_clock(detail))]
        for words in kind.wanted:
            if not re.search(words.pattern, ask, re.I):
                continue
            picked = [detail for detail in own if words.pick(detail)]
            outside = [detail for detail in picked if not detail.bracketed] or picked
            outside = [detail for detail in picked if detail in main] or outside
            if words.every or several:
                wanted += outside
            else:
                left = [detail for detail in outside if detail not in taken] or outside
                wanted += sorted(left, key=lambda detail: -len(asked & _stems_beside(answer, detail)))[:1]
    return list(dict.fromkeys(wanted)) or None


def _beside_picked(
    question: str, main: str, details: Sequence[Mention], picked: Sequence[Mention]
) -> list[Term]:
    """Words that belong to a time that a part of a question asks for: the season, early, late."""
    asked, terms = set(stems_of(question)), []
    spans = spans_of(main, _ITEM)
    for detail in details:
        main = _blanked(main, detail.start, detail.end)
    for start, end in spans:
        facts = [detail for detail in picked if start <= detail.start < end]
        if facts and any(
            detail.fact.kind in (DATE, NUMBER) and (detail.is_year or detail.fact.kind is DATE)
            for detail in facts
        ):
            words = [word for word in content_words(main[start:end]) if word in _TIME_WORDS]
        else:
            continue
        words = [word for word in words if stem(word) not in asked]
        if words and len(words) <= LONGEST_TERM:
            terms.append(Term(" ".join(words), tuple(stem(word) for word in words), start))
    return terms


def people_by_place(main: str, details: Sequence[Mention], picked: Sequence[Mention]) -> list[Mention]:
    """People whose name only its place shows to be one, as in ``Ann this week, Robert Hall the next``."""
    people = []
    for start, end in spans_of(main, _ITEM):
        first = re.match(r"\W*([^\W\d_a-z][^\W\d_]+)\b", main[start:end])
        if (
            first
            and content_words(first[1])
            and not any(start <= detail.start < end for detail in (*details, *picked))
        ):
            fact = Fact(NAME, first[1], words_of(first[1]))
            people.append(Mention(fact=fact, start=start + first.start(1), label="", before="", person=True))
    return people


def _stems_beside(answer: str, detail: Mention) -> frozenset[str]:
    span = next((a, b) for a, b in spans_of(answer, _ITEM) if a <= detail.start < b)
    return frozenset(stems_of(answer[span[0] : span[1]]))


def _by_evidence(details: Sequence[Mention], evidence: Sequence[str]) -> list[Mention]:
    shown = {fact.normal for text in evidence for fact in facts_of(text)}
    return [detail for detail in details if detail.fact.normal in shown]


def _by_default(details: Sequence[Mention]) -> list[Mention]:
    plain = [detail for detail in details if not detail.bracketed and detail.label not in STATISTICS]
    return plain or list(details)


def _without_aliases(answer: str) -> tuple[str, dict[str, str]]:
    """The answer without other names of the same, and these by the first name: ``X, known as Y``."""
    aliases = {}
    for match in _ALIAS.finditer(answer):
        before = [fact for start, fact in located(answer) if start < match.start() and fact.kind is NAME]
        end = re.search(r"[,;.()\n]|$", answer[match.end() :]).start() + match.end()  # type: ignore[union-attr]
        if before and answer[match.end() : end].strip():
            aliases[before[-1].normal] = answer[match.end() : end].strip()
            answer = _blanked(answer, match.start(), end)
    return answer, aliases


def _blanked(text: str, start: int, end: int) -> str:
    return text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]


def _main_part(answer: str, *, reason: bool) -> str:
    """The answer without yes or no, brackets, and what it says of the time before; blanks keep all places."""
    text = without_polarity(answer)
    for match in re.finditer(r"\([^()]*\)|\[[^\[\]]*\]", text):
        text = _blanked(text, *match.span())
    if not reason:
        for at, end in spans_of(text, _SENTENCE):
            aside = _ASIDE.search(text[at:end])
            others = text[:at] + text[at : at + aside.start()] if aside else ""
            if aside and (content_words(others) or located(others)):
                text = _blanked(text, at + aside.start(), end)
    return text


def _left(
    answer: str, details: Sequence[Mention], picked: Sequence[Mention], *, reason: bool
) -> tuple[list[Mention], str]:
    """What no part of the question has asked for by its kind: details, and the text around them."""
    body = _main_part(answer, reason=reason)
    starts = {mention.start for mention in picked}
    if starts:
        for cut in (_SENTENCE, _ITEM):
            spans = spans_of(body, cut)
            free = [span for span in spans if not any(span[0] <= at < span[1] for at in starts)]
            if any(content_words(body[a:b]) or unread_in(body[a:b]) for a, b in free):
                for span in spans:
                    if span not in free:
                        body = _blanked(body, *span)
                break
        else:
            for mention in picked:
                body = _blanked(body, mention.start, mention.end)
            if not content_words(body) and not unread_in(body):
                return [], ""
    left = [
        detail
        for detail in details
        if body[detail.start : detail.start + 1].strip() and detail.start not in starts
    ]
    return left or ([] if starts or content_words(body) else list(details)), body


def spans_of(text: str, cut: re.Pattern[str]) -> list[tuple[int, int]]:
    """First character and end of the pieces between cuts, without empty ones."""
    ends = [(match.start(), match.end()) for match in cut.finditer(text)]
    begins = [0, *(end for _, end in ends)]
    return [
        (a, b)
        for a, b in zip(begins, [*(start for start, _ in ends), len(text)], strict=True)
        if text[a:b].strip()
    ]


def _terms(
    question: str, body: str, details: Sequence[Mention], kept: Sequence[Mention], *, reason: bool
) -> tuple[tuple[Term, ...], tuple[str, ...]]:
    """The words of an answer that matter, and the clauses whose meaning rules do not see."""
    in_question = set(stems_of(question))
    spans = [(detail.start, detail.end) for detail in details]
    terms, hidden = [], []
    for start, end in spans_of(body, _ITEM):
        plain = body[start:end]
        for a, b in spans:
            if start <= a < end:
                plain = _blanked(plain, a - start, min(b, end) - start)
        text = " ".join(body[start:end].split()).strip(" .,;")
        if any(run not in folded(question) for run in _unread(body, start, end, details)):
            hidden.append(text)
            continue
        words = [word for word in content_words(plain) if stem(word) not in in_question]
        facts = [detail for detail in kept if start <= detail.start < end]
        counts = any(
            detail.fact.kind is NUMBER and not detail.unit and not detail.is_year for detail in facts
        )
        if not words or (facts and not counts and not reason):
            continue
        if reason or len(words) > LONGEST_TERM or _CLAUSE.search(text):
            hidden.append(text)
        else:
            terms.append(Term(" ".join(words), tuple(stem(word) for word in words), start))
    return tuple(terms), tuple(hidden)


def _unread(body: str, start: int, end: int, details: Sequence[Mention]) -> tuple[str, ...]:
    """Letters of other scripts and pictures in a part of an answer that no fact of it has."""
    text, names = body[start:end], ""
    for detail in details:
        if start <= detail.start < end and detail.fact.kind.is_value:
            text = _blanked(text, detail.start - start, min(detail.end, end) - start)
        elif start <= detail.start < end:
            names += f" {detail.fact.normal}"
    return tuple(run for run in unread_in(text) if run not in names)
