"""Units and currencies: how each is written, and in which unit amounts are compared."""

from __future__ import annotations

import re
from fractions import Fraction

# By the unit in which amounts are compared: what is written, and how many of that it is; ``_`` is a space.
# Months are no exact number of days, and currencies have no exact rate, so they stand by themselves.
_WRITTEN: dict[str, dict[str, str]] = {
    "s": {
        "ms msec millisecond": "1/1000",
        "s sec second": "1",
        "min minute": "60",
        "h hr hour": "3600",
        "day": "86400",
        "week wk": "604800",
        "fortnight": "1209600",
    },
    "month": {"month": "1", "year yr": "12", "decade": "120"},
    "m": {
        "mm millimetre millimeter": "1/1000",
        "cm centimetre centimeter": "1/100",
        "m metre meter": "1",
        "km kilometre kilometer": "1000",
        "inch inches": "254/10000",
        "ft foot feet": "3048/10000",
        "yard yd": "9144/10000",
        "mile mi": "1609344/1000",
    },
    "g": {
        "ng nanogram": "1/1000000000",
        "µg μg mcg microgram": "1/1000000",
        "mg milligram": "1/1000",
        "g gram": "1",
        "kg kilo kilogram": "1000",
        "t ton tonne": "1000000",
        "oz ounce": "28349523125/1000000000",
        "lb": "45359237/100000",
        "stone": "635029318/100000",
    },
    "l": {
        "ml millilitre milliliter": "1/1000",
        "cl centilitre centiliter": "1/100",
        "dl decilitre deciliter": "1/10",
        "l litre liter": "1",
    },
    "B": {
        "byte": "1",
        "kb kilobyte": "1000",
        "mb megabyte meg": "1000000",
        "gb gigabyte gig": "1000000000",
        "tb terabyte": "1000000000000",
        "kib": "1024",
        "mib": "1048576",
        "gib": "1073741824",
        "tib": "1099511627776",
    },
    "bit/s": {
        "bit/s bps": "1",
        "kbit/s kbps": "1000",
        "mbit/s mbps": "1000000",
        "gbit/s gbps": "1000000000",
    },
    "W": {"w watt": "1", "kw kilowatt": "1000", "mw megawatt": "1000000"},
    "V": {"volt": "1"},
    "cal": {"calorie": "1", "kcal kilocalorie": "1000"},
    "gallon": {"gallon gal": "1"},
    "Wh": {"wh": "1", "kwh kilowatt_hour kilowatt-hour": "1000", "mwh": "1000000"},
    "m²": {
        "m² m2 sqm sq_m square_metre square_meter": "1",
        "ha hectare": "10000",
        "acre": "40468564224/10000000",
    },
    "m/s": {
        "m/s": "1",
        "km/h kmh kph": "1000/3600",
        "mph mile_per_hour mile_an_hour": "44704/100000",
        "knot kn": "1852/3600",
    },
    "°C": {"°c degree_c degree_celsius": "1"},
    "°F": {"°f degree_f degree_fahrenheit": "1"},
    "°": {"° degree": "1"},
    "bpm": {"bpm": "1"},
    "mmHg": {"mmhg": "1"},
    "%": {"% percent per_cent pct percentage_point": "1"},
    "x": {"x × time fold": "1"},
    "$": {"$ us$ usd dollar us_dollar buck": "1"},
    "€": {"€ eur euro": "1"},
    "£": {"£ gbp pound pound_sterling quid": "1"},
    "¥": {"¥ jpy yen": "1"},
    "CHF": {"chf franc swiss_franc": "1"},
    "₹": {"₹ inr rupee": "1"},
    "zł": {"zł pln złoty zloty": "1"},
    "C$": {"c$ cad canadian_dollar": "1"},
    "A$": {"a$ aud australian_dollar": "1"},
    "kr": {"kr sek nok dkk krona krone kroner kronor": "1"},
}

MONEY = ("$", "€", "£", "¥", "CHF", "₹", "zł", "C$", "A$", "kr")
"""Currencies, as amounts are compared in them."""

TIMES = ("s", "month")
"""What durations are compared in."""

_UNITS = {
    spelling.replace("_", " "): (base, Fraction(factor))
    for base, written in _WRITTEN.items()
    for spellings, factor in written.items()
    for spelling in spellings.split()
}

BEFORE = r"(?:US\s?\$|(?-i:CA?|AU?)\$|[$€£¥₹]|(?:EUR|USD|GBP|CHF|JPY|INR|SEK|NOK|DKK|PLN|CAD|AUD)\b)"
"""A currency before its amount."""

_LONGEST_FIRST = sorted(_UNITS, key=len, reverse=True)
AFTER = "|".join(
    re.escape(spelling).replace(r"\ ", r"\s")
    + (r"s?\b" if spelling[-1].isalpha() and len(spelling) > 1 else r"(?!\w)")
    for spelling in _LONGEST_FIRST
)
"""A unit behind its amount; a regular expression that takes no notice of case."""


def unit_of(written: str) -> tuple[str, Fraction]:
    """The unit in which an amount is compared, and how many of it the written one is."""
    word = re.sub(r"\s+", " ", re.sub(r"^[\s-]+|(?<!\s)\s+$", "", written).lower())
    word = word.replace("us $", "us$").replace("ca$", "c$").replace("au$", "a$")
    if written.strip(" -") == "mW":
        # The one unit of these that only its case tells from another.
        return "W", Fraction(1, 1000)
    if word not in _UNITS and word.endswith("s"):
        word = word[:-1] if word[:-1] in _UNITS else re.sub(r"^(\w+)s\b", r"\1", word)
    if word not in _UNITS:
        word = re.sub(r"s\b", "", word)
    return _UNITS[word]
