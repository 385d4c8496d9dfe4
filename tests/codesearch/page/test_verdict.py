"""What is said first."""

from codesearch.page.recorded_search import recorded, rescored
from tellapart.codesearch.page import load
from tellapart.codesearch.page.verdict import headline, sentences

NBSP = "\N{NO-BREAK SPACE}"


def reliable():
    """The one verdict that failed is there after all."""
    record = recorded()
    verdict = record["conversations"][3]["our_unique_judgments"][0]
    for name in ("failed_cause", "failed_kind", "failed_detail"):
        del verdict[name]
    verdict["reasoning"] = "It retries."
    return rescored(record)


def unjudged():
    record = recorded()
    for conversation in record["conversations"]:
        conversation["our_unique_judgments"] = []
    return rescored(record)


def test_reliable_figures_are_the_headline(viewed):
    view = viewed(reliable())
    assert headline(view) == f"Precision{NBSP}0.750 and recall{NBSP}0.792, over 6 conversations"
    assert sentences(view)[0].startswith("Precision 0.750")
    assert not any("as right" in line for line in sentences(view))


def test_without_a_judge_there_are_bounds_alone(viewed):
    view = viewed(unjudged())
    assert headline(view).startswith("Precision between 0.500 and 1.000 and recall between")
    assert headline(view).endswith("over 6 conversations, without a judge")
    assert sentences(view)[0].startswith("Precision without verdicts 0.500 (95 % interval ")


def test_a_loop_says_which_iteration_and_why_it_stopped(looped):
    view = load(looped)
    assert headline(view).endswith("over 6 conversations, iteration 2")
    assert "The loop stopped after iteration 2: Billing fell: roll back." in sentences(view)
