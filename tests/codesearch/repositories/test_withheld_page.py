"""Each row of the page on what is withheld is what the filter does."""

import random
import re
import string
from pathlib import Path

from tellapart.codesearch.secret_files import secret_by_content, secret_by_name

PAGE = Path(__file__).parents[3] / "docs" / "withheld.md"
SIGNS = {
    "": string.ascii_letters + string.digits,
    "b64": string.ascii_letters + string.digits + "+/",
    "hex": "0123456789abcdef",
    "base32": string.ascii_uppercase + "234567",
    "A-Z0-9": string.ascii_uppercase + string.digits,
    "digits": "123456789",
    "letters": string.ascii_letters,
}
LET_THROUGH = "let through"


def rows(heading):
    section = PAGE.read_text(encoding="utf-8").partition(f"## {heading}\n")[2].partition("\n## ")[0]
    return re.findall(r"^\| `(.+)` \| (.+) \|$", section, re.MULTILINE)


def filled(form):
    drawn = random.Random(form)
    text = re.sub(r"\{(\d+) ?([\w-]*)\}", lambda m: "".join(drawn.choices(SIGNS[m[2]], k=int(m[1]))), form)
    return text.replace("⏎", "\n")


def test_names_are_withheld_as_the_page_says():
    listed = rows("By name")
    assert {name: secret_by_name(name) or LET_THROUGH for name, _ in listed} == dict(listed)
    assert len(listed) >= 55


def test_contents_are_withheld_as_the_page_says():
    listed = rows("By content")
    verdicts = {form: secret_by_content(f"a line\n{filled(form)}\n".encode()) for form, _ in listed}
    assert {form: f"holds {what}" if what else LET_THROUGH for form, what in verdicts.items()} == dict(listed)
    assert len(listed) >= 50
