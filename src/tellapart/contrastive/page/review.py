"""Suspects of label noise in a terminal, and as a page on which they are marked."""

from __future__ import annotations

from markupsafe import Markup
from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from tellapart.contrastive.marks import MarkKind
from tellapart.contrastive.review.results import ChangedVerdict, Review, Suspect, SuspectEffect
from tellapart.core.comparison import Verdict
from tellapart.report import numbers as show
from tellapart.report.comparison import VERDICTS
from tellapart.report.document import Document, Section, Widget
from tellapart.report.page import asset
from tellapart.report.plain_text import plain

MOST_CHANGES = 3
"""Verdicts that change which are put into words; the others are in the JSON."""


def review_listing(review: Review) -> list[RenderableType]:
    """List suspects with both texts, after a line on how much of the benchmark they are in."""
    return [Text(headline(review), style="bold"), *(part for one in review.suspects for part in _entry(one))]


def headline(review: Review) -> str:
    """Say how many items have a suspect."""
    if not review.suspected_items:
        return f"No suspects among {show.count(review.pairs)} pairs of a target and a distractor."
    share = show.percent(review.suspected_items / review.items)
    return (
        f"{show.count(review.suspected_items)} of {show.count(review.items)} items ({share}) have a "
        "distractor that may be a second right answer."
    )


def suspect_lines(effect: SuspectEffect | None) -> list[str]:
    """Say how many items of a run have a suspect, and which verdicts change without these items."""
    if effect is None:
        return []
    if not effect.items:
        return ["No item has a distractor that looks like a second right answer."]
    have = "has" if effect.items == 1 else "have"
    noise = (
        f"{show.count(effect.items)} of {show.count(effect.of)} items ({show.percent(effect.share)}) {have} "
        "a distractor that may be a second right answer: 'contrastive review' lists them."
    )
    if effect.changed is None:
        return [noise]
    if not effect.changed:
        return [f"{noise} Without these items no verdict changes."]
    shown = [
        f"on {one.a} and {one.b} from '{_verdict(one, one.verdict)}' to '{_verdict(one, one.without)}'"
        for one in effect.changed[:MOST_CHANGES]
    ]
    left = len(effect.changed) - len(shown)
    rest = f", and {show.plural(left, 'more verdict')}" if left > 0 else ""
    return [f"{noise} Without these items the verdict changes {show.listed(shown)}{rest}."]


def _verdict(pair: ChangedVerdict, verdict: Verdict) -> str:
    ahead = {Verdict.A_BETTER: pair.a, Verdict.B_BETTER: pair.b}.get(verdict)
    return f"{ahead} is better" if ahead else VERDICTS[verdict]


def _entry(suspect: Suspect) -> list[RenderableType]:
    other = suspect.distractor_summary or "(no summary)"
    lines = [
        f"target      {plain(suspect.target)}",
        f"            {plain(suspect.summary)}",
        f"distractor  {plain(suspect.distractor)}",
        f"            {plain(other)}",
        f"because     {'; '.join(suspect.reasons)}; in {show.plural(len(suspect.items), 'item')}",
    ]
    return [Text(f"\n{suspect.score:.2f}"), *(Padding(Text(line), (0, 0, 0, 2)) for line in lines)]


def review_document(review: Review) -> Document:
    """Arrange the suspects as a page on which they are read and marked; without a script it is a list."""
    text = (
        "Read both sides. Mark a distractor that the summary describes as well as a second right answer, a "
        "pair that is clearly apart as sound, and a target that nobody could find as a broken item."
    )
    return Document(
        "contrastive: distractors that may be second right answers",
        headline(review).removesuffix("."),
        ("A mark is kept in this browser until it is saved; 'build --revise' takes the file.",),
        {
            "Benchmark": review.benchmark,
            "Suspects": show.count(len(review.suspects)),
            "Pairs compared": show.count(review.pairs),
        },
        (Section("suspects", "Suspects", text, widget=_widget(review)),),
        {"Benchmark": review.benchmark},
        (
            "tellapart contrastive review BENCH --html review.html",
            "tellapart contrastive build REPO --out REVISED --revise marks.json",
        ),
    )


def _widget(review: Review) -> Widget:
    bar = Markup('<div class="marking" role="toolbar" aria-label="Marks"></div>')
    package = "tellapart.contrastive.page"
    return Widget(
        "suspects",
        bar + Markup("").join(_article(number, one) for number, one in enumerate(review.suspects, 1)),
        asset(package, "review.css"),
        asset(package, "review.js"),
        {
            "benchmark": review.benchmark,
            "pairs": [[one.target, one.distractor] for one in review.suspects],
            "kinds": [kind.value for kind in MarkKind],
        },
    )


def _article(number: int, suspect: Suspect) -> Markup:
    other = suspect.distractor_summary or "(no summary)"
    sides = (
        ("Target", suspect.target, suspect.summary, suspect.code),
        ("Distractor", suspect.distractor, other, suspect.distractor_code),
    )
    return Markup(
        '<article class="suspect" tabindex="-1"><h3>{}. score {}</h3><p class="note">{}; in {}</p>'
        '<div class="pair">{}</div></article>\n'
    ).format(
        number,
        f"{suspect.score:.2f}",
        show.capital("; ".join(suspect.reasons)),
        show.plural(len(suspect.items), "item"),
        Markup("").join(
            Markup(
                '<div><strong>{}</strong><p class="unit">{}</p><p class="summary">{}</p>'
                '<pre tabindex="0"><code>{}</code></pre></div>'
            ).format(*side)
            for side in sides
        ),
    )
