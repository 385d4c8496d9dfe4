"""Facts of everyday texts, each against what a reader would say; dates also against another parser."""

from datetime import date, timedelta

import pytest
from dateutil import parser

from tellapart.longcontext.values import agreement, facts_of, states, values_in


def one(text):
    (fact,) = facts_of(text)
    return fact


@pytest.mark.parametrize(
    ("wanted", "told", "other"),
    [
        # days
        ("June 12", "On the 12th of June", "July 12"),
        ("12 June 2026", "2026-06-12", "12 June 2025"),
        ("Thursday, 3 March", "Thu, March 3rd", "Friday, 3 March"),
        ("3 March 2027", "the third of March", "3 April 2027"),
        ("30 April", "the last day of April", "29 April"),
        ("March 2026", "03/2026", "March 2025"),
        # times
        ("14:30", "half past two", "14:40"),
        ("14:30", "2.30 pm", "2:30 am"),
        ("quarter to nine in the evening", "20:45", "8:45 am"),
        ("noon", "12:00", "midnight"),
        # amounts
        ("1.5 million dollars", "$1.5M", "1.5 billion dollars"),
        ("EUR 249.90", "249,90 €", "249.90 dollars"),
        ("£12k", "12,000 pounds", "£12"),
        ("one and a half million euros", "€1,500,000", "€1,050,000"),
        ("seventy-four pounds fifty", "£74.50", "£75.50"),
        # durations
        ("90 minutes", "an hour and a half", "half an hour"),
        ("1 hour 30 minutes", "1.5 h", "1 hour 20 minutes"),
        ("45 minutes", "three quarters of an hour", "45 hours"),
        ("7 days", "for a week", "7 weeks"),
        # measures
        ("2.5 km", "2,500 m", "2.5 miles"),
        ("0.75 tonnes", "750 kg", "7.5 kg"),
        ("twenty-three", "23", "32"),
        # identifiers
        ("A-4417", "order A4417", "A-4471"),
        ("INV/2026/0093", "inv 2026 0093", "INV/2026/0039"),
        ("KES-2187", "ticket 2187", "KES-2178"),
        ("+49 40 3317 6642", "040 / 33 17 66 42", "+49 40 3317 6624"),
        # versions, paths
        ("version 3.10", "v3.10", "version 3.1"),
        ("2.4.0", "v2.4.0", "2.4.1"),
        ("/etc/acme/app.yaml", "the file /etc/acme/app.yaml", "/etc/acme/app.yml"),
        ("ada@example.org", "ADA@example.org", "ada@example.com"),
    ],
)
def test_a_fact_is_told_in_another_form_and_not_by_its_neighbour(wanted, told, other):
    fact = one(wanted)
    assert states(f"It was {told}.", fact)
    assert states(wanted, fact)
    assert not states(f"It was {other}.", fact)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Room 12 on 12 June", [("number", "12"), ("date", "12 June")]),
        ("the 12th floor", []),
        ("12–14 June", [("date", "12"), ("date", "14 June")]),
        ("rose by 23.7% in 2023", [("number", "23.7%"), ("number", "2023")]),
        ("31 February", [("date", "31 February")]),
        ("correct-horse-9 and covid", [("token", "correct-horse-9")]),
        ("</think> 4.12.1", [("token", "4.12.1")]),
        ("a 12-week course", [("number", "12-week")]),
    ],
)
def test_what_is_read_in_a_text(text, values):
    assert [(value.kind, value.text) for value in values_in(text)] == values


@pytest.mark.parametrize(
    ("text", "sign"),
    [("-5 °C", "-"), ("r = -.41", "-"), ("$-300", "-"), ("-$300", "-"), ("minus five", "-"),
     ("5 degrees below freezing", "-"),
     ("+3", "+"), ("2-5 days", ""), ("- 5 days", ""), ("PDQ, 5", "")],
)  # fmt: skip
def test_signs(text, sign):
    assert [value.amount.sign for value in values_in(text) if value.kind == "number"][-1] == sign


@pytest.mark.parametrize(
    ("one", "other"),
    [("5 MW", "5 mW"), ("5 MB", "5 Mb"), ("500 Mbps", "500 MBps"), ("5 GB", "5 GiB"), ("5 °C", "5 °F")],
)
def test_the_case_of_a_unit_counts(one, other):
    (first,), (second,) = values_in(one), values_in(other)
    assert agreement(first, second) == agreement(second, first) == "other"


FORMS = ("%Y-%m-%d", "%d %B %Y", "%B %d, %Y", "%A, %d %B %Y", "%d %b %Y", "%b %d %Y", "%d.%m.%Y")


@pytest.mark.parametrize("form", FORMS)
def test_dates_are_those_of_another_parser(form):
    for number in range(0, 40_000, 397):
        day = date(1950, 1, 1) + timedelta(days=number)
        written = day.strftime(form)
        assert parser.parse(written, dayfirst="." in form).date() == day
        assert states(written, one(day.isoformat()))
        assert not states(written, one((day + timedelta(days=1)).isoformat()))
