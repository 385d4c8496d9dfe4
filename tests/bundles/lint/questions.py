"""Questions and answers of a library, written for these tests: an eval without faults, to plant some in."""

import json

PAIRS = [
    (
        "How long may I keep a book?",
        "Loans run for four weeks. You can renew twice unless someone reserved the book.",
    ),
    (
        "What does a late return cost?",
        "Each day overdue costs twenty cents, and never more than the price of the item.",
    ),
    (
        "Can children get a card of their own?",
        "From the age of six, with the signature of a parent or guardian.",
    ),
    (
        "Where do I find newspapers from the war?",
        "They are on microfilm in the basement; ask at the desk for a reader.",
    ),
    (
        "Is there a quiet room for students?",
        "The reading hall on the third floor is silent, and open until ten.",
    ),
    (
        "Do you lend musical instruments?",
        "Guitars, ukuleles and keyboards go out for eight weeks against a deposit.",
    ),
    (
        "How can I reserve a meeting room?",
        "Book online up to three months ahead; groups of residents pay nothing.",
    ),
    ("May I bring my dog inside?", "Only guide dogs are let in. There are rings for leads at the entrance."),
    ("What happens with books I lost?", "You pay the price of a new copy plus five euros for handling it."),
    (
        "Who chooses which novels are bought?",
        "A committee meets monthly; suggestions from readers are on its agenda.",
    ),
    (
        "Can I print from my telephone?",
        "Send the document by mail to the printer and release it with your card.",
    ),
    (
        "Are there courses for beginners in programming?",
        "On Tuesdays volunteers teach Python to adults, no sign-up needed.",
    ),
    (
        "When does the mobile branch stop in my village?",
        "The bus calls every other Thursday; its timetable hangs in the town hall.",
    ),
    ("How do I donate old comics?", "Bring at most one box at a time, clean and complete, to the side door."),
    (
        "Is the building accessible by wheelchair?",
        "A lift leads from the car park to all floors, and doors open by themselves.",
    ),
    (
        "Could I listen to records before borrowing them?",
        "Two turntables with headphones stand beside the jazz shelves.",
    ),
]


def clean_rows(negatives=4):
    """A bundle for each pair; its negatives are the answers to the next questions."""
    return [
        {
            "bundle_id": f"q{i}",
            "anchor": anchor,
            "positive": positive,
            "negatives": [PAIRS[(i + k) % len(PAIRS)][1] for k in range(1, negatives + 1)],
        }
        for i, (anchor, positive) in enumerate(PAIRS)
    ]


def write_rows(path, rows):
    """Write JSON Lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path
