from tellapart.llm.journal import CallJournal
from tellapart.llm.recorded_calls import RecordedCalls

KEY, FAILED, BOTH = (f"{number:064x}" for number in range(3))


def call(reply=None, **more):
    return {"model": "m", **({"reply": reply} if reply else {"failure": {}}), **more}


def journals(tmp_path):
    with CallJournal(tmp_path / "earlier.db") as earlier:
        earlier.note_sent("m", {"temperature": {"0"}})
        earlier.append(KEY, call("earlier", usage={"input_tokens": 7, "output_tokens": 2}))
        earlier.append(FAILED, call())
        earlier.append(BOTH, call("earlier"))
    own = CallJournal(tmp_path / "own.db")
    own.append(BOTH, call("own"))
    return own, CallJournal(tmp_path / "earlier.db", read_only=True)


def test_this_runs_own_calls_come_first_and_others_are_copied_when_used(tmp_path):
    own, earlier = journals(tmp_path)
    with own, earlier:
        known = RecordedCalls([own, earlier], copied_to=own)
        assert known.get(BOTH)["reply"] == "own"
        assert own.get(KEY) is None
        assert known.get(KEY)["reply"] == "earlier"
        assert own.get(KEY)["reused"]
        assert RecordedCalls([own]).get(KEY)["reply"] == "earlier"
        use = own.models["m"]
        assert (use.calls, use.reused, use.input_tokens, use.paid) == (2, 1, 7, (0, 0, 0, 0))
        assert use.effective() == {"temperature": 0}
        assert len(own) == 2


def test_a_failure_is_known_only_where_nothing_will_be_asked(tmp_path):
    own, earlier = journals(tmp_path)
    with own, earlier:
        assert RecordedCalls([own, earlier], copied_to=own).get(FAILED) is None
        assert "failure" in RecordedCalls([own, earlier], final=True, copied_to=own).get(FAILED)
        # Copied by now, and still asked again by whoever can ask.
        assert RecordedCalls([own]).get(FAILED) is None
