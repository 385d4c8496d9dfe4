"""The health of a bank of bundles as a report."""

from __future__ import annotations

from tellapart import __version__
from tellapart.bundles.bank import BankRecord, Status, VersionLink
from tellapart.report import numbers as show
from tellapart.report.comparison import words
from tellapart.report.document import Document, Section
from tellapart.report.figures import FIGURES, cell, interval_cell
from tellapart.report.tables import Cell, Table, table

_STATUSES: tuple[Status, ...] = ("separates", "passed by all", "failed by all", "looks wrong")

_LISTED = 20
"""Bundles in the table of those to retire; the JSON has all."""


def document(bank: BankRecord, command: str) -> Document:
    """Show how many bundles still separate models, which to retire, and the linked scores."""
    return Document(
        "bundles: health of a bank",
        headline(bank),
        tuple(verdict(bank)),
        {
            "Versions": show.listed([f"{name} ({show.count(n)})" for name, n in bank.versions.items()]),
            "Models": show.listed(list(dict.fromkeys(m for models in bank.models.values() for m in models))),
        },
        (Section("bank", "Health of the bundles", tables=tuple(tables(bank)), in_terminal=True),),
        {"tellapart": __version__},
        (command,),
    )


def headline(bank: BankRecord) -> str:
    """Say how many bundles separate models, and how many to retire."""
    total = sum(n for of_tier in bank.tiers.values() for n in of_tier.values())
    live = sum(of_tier.get("separates", 0) for of_tier in bank.tiers.values())
    return (
        f"{show.count(live)} of {show.plural(total, 'bundle')} separate models; retire {len(bank.retire):,}"
    )


def verdict(bank: BankRecord) -> list[str]:
    """Say what cannot be told, where to mine, and which versions are linked."""
    kept = sum(of_tier.get("passed by all", 0) for of_tier in bank.tiers.values())
    kept -= sum(bundle.status == "passed by all" for bundle in bank.retire)
    lines = []
    if kept:
        live = bank.live_passed
        share = "" if live is None else f": about {show.percent(live)} of live ones are"
        lines.append(
            f"Cannot tell whether {show.plural(kept, 'bundle')} that all models pass are dead{share}."
        )
    if bank.mine:
        lines.append(f"Mine new bundles for {show.listed([words(tier) for tier in bank.mine])}.")
    if bank.changed:
        lines.append(f"{show.plural(bank.changed, 'id')} left out: other bundles in another version.")
    lines += [
        f"{link.version} is not linked to {link.reference}: {link.reason}."
        for link in bank.links
        if link.reason
    ]
    return lines


def tables(bank: BankRecord) -> list[Table]:
    """Bundles by tier and status, those to retire, and the models of later versions on the first's scale."""
    counts: list[list[Cell | str]] = [
        [words(tier), *(show.count(of_tier.get(status, 0)) for status in _STATUSES)]
        for tier, of_tier in bank.tiers.items()
    ]
    shown = [
        table(
            "health", "Bundles by what models make of them", ["Tier", *map(show.capital, _STATUSES)], counts
        )
    ]
    if bank.retire:
        rows: list[list[Cell | str]] = [
            [bundle.item, bundle.status, f"{bundle.passed} of {bundle.models}", bundle.reason]
            for bundle in bank.retire[:_LISTED]
        ]
        rest = f"The first {_LISTED} of {len(bank.retire):,}; --json gives all."
        note = rest if len(bank.retire) > _LISTED else ""
        headings = ["Bundle", "Status", "Passed by", "Reason"]
        shown.append(table("retire", "Retire", headings, rows, words=4, note=note))
    return [*shown, *(_linked(link, number) for number, link in enumerate(bank.links) if link.models)]


def _linked(link: VersionLink, number: int) -> Table:
    rows: list[list[Cell | str]] = [
        [
            model.model,
            cell("pass_rate", model.rate),
            interval_cell("pass_rate", model.linked, model.interval),
            cell("pass_rate", model.scored, reason=f"not scored on {link.reference}"),
        ]
        for model in link.models
    ]
    return table(
        f"linked-{number}",
        f"{FIGURES['pass_rate'].heading} of {link.version} on the scale of {link.reference}",
        ["Model", f"On {link.version}", "Linked", f"Scored on {link.reference}"],
        rows,
        note=f"By {show.plural(link.common, 'common bundle')}. The interval covers the choice of bundles.",
    )
