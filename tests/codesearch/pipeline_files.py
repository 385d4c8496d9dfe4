"""A small code base, issues about it, and the files of a pipeline that searched it."""

import json

from tellapart.codesearch.request import request_evaluation
from tellapart.codesearch.run import evaluate
from tellapart.core.progress import SILENT

CODE = {
    "aero/lib/pins.py": 'def show_pins(community):\n    """Show the pins of a community feed."""\n',
    "aero/lib/feed.py": "from lib.pins import show_pins\n\ndef feed(c):\n    return show_pins(c)\n",
    "aero/lib/schedule.py": 'def schedule_post(post, time):\n    """Schedule a post for publishing."""\n',
    "tack/billing.py": 'def invoice(customer):\n    """Send a customer the invoice."""\n',
}
ISSUES = {
    "c1": ("User reports pins not showing in community feed", "communities"),
    "c2": ("post scheduled at the wrong time", "scheduling"),
    "c3": ("customer got the invoice twice", "billing"),
}
FOUND = {
    "c1": ["aero/lib/pins.py", "tack/billing.py"],
    "c2": ["aero/lib/schedule.py", "aero/lib/feed.py"],
    "c3": ["tack/billing.py"],
}


def make_code(root, files=CODE):
    """Write the code base below ``root``."""
    for path, text in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return root


def conversation(name, **fields):
    """An issue, as ``search`` reads it."""
    summary, area = ISSUES[name]
    return {"conversation_id": name, "issue_summary": summary, "product_area": area} | fields


def searched(name, files=None, **fields):
    """An issue with what was found."""
    found = {"files_found": FOUND[name] if files is None else files, "search_terms_used": ["pins", "invoice"]}
    return conversation(name, search_results=found) | fields


def pipeline(*conversations, **fields):
    """A file of the pipeline as text."""
    return json.dumps(
        {"iteration_number": 1, "timestamp": "2026-01-15T15:30:00Z", "conversations": list(conversations)}
        | fields
    )


def search_results(**fields):
    """The search results of all issues."""
    return pipeline(*(searched(name) for name in ISSUES), **fields)


def evaluate_results(source, settings, around, *, out, gold=None, progress=SILENT):
    """Evaluate search results as a command does."""
    request = request_evaluation(source, settings, around, where="it", gold=gold, progress=progress)
    return evaluate(request, out=out, progress=progress)
