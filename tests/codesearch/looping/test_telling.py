from tellapart.codesearch.looping.run import MOST_PROPOSALS, calibration_lines, learned_lines


def test_calibration_says_what_it_decided():
    evaluation = {"metrics": {"agreement": {"decision": {"text": "Both explorers stay."}}}}
    assert list(calibration_lines(evaluation)) == ["calibration: Both explorers stay."]
    assert list(calibration_lines({"metrics": {"agreement": {}}})) == []


def test_the_first_proposals_are_told_and_where_the_others_are():
    proposals = [{"statement": f"Drop {term}", "withheld": None} for term in "abcd"]
    proposals[1]["withheld"] = "files without a verdict could reverse this result"
    told = list(learned_lines({"proposals": proposals}, "loop/iteration-2/learnings.json"))
    assert len(told) == 1 + MOST_PROPOSALS
    assert told[:3] == [
        "proposed for the next iteration (4 in all, in loop/iteration-2/learnings.json):",
        "- Drop a",
        "- Drop b (undecided: files without a verdict could reverse this result)",
    ]


def test_no_proposal_no_line():
    assert list(learned_lines({"proposals": []}, "x")) == list(learned_lines({}, "x")) == []
