from tellapart.llm.journal import CallJournal


def key(number):
    return f"{number:064x}"


def call(reply="yes", **more):
    return {"model": "m", "question": "q", "reply": reply, **more}


def test_a_call_is_found_again_by_its_key_in_this_process_and_in_the_next(tmp_path):
    path = tmp_path / "run.db"
    with CallJournal(path) as journal:
        journal.append(key(1), call("one\nline é"))
        journal.append(key(2), call("first"))
        journal.append(key(2), call("second"))
        assert journal.get(key(1))["reply"] == "one\nline é"
        assert journal.get(key(3)) is None
    with CallJournal(path) as journal:
        assert [journal.get(key(i))["reply"] for i in (1, 2)] == ["one\nline é", "second"]
        assert len(journal) == 2


def test_what_is_known_of_a_model_comes_from_the_file(tmp_path):
    path = tmp_path / "run.db"
    with CallJournal(path) as journal:
        journal.note_requested("m", {"temperature": 0})
        journal.note_sent("m", {"temperature": {"0"}})
        journal.append(key(1), call(usage={"input_tokens": 10, "output_tokens": 2}, attempts=3, served="m-1"))
    with CallJournal(path) as journal:
        journal.note_requested("m", {"temperature": 0})
        journal.note_sent("m", {"temperature": {"0", "1"}, "top_p": {"0.5"}})
        use = journal.models["m"]
        assert use.requested == [{"temperature": 0}]
        assert use.effective() == {"temperature": [0, 1], "top_p": 0.5}
        assert (use.calls, use.attempts, use.input_tokens, use.output_tokens) == (1, 3, 10, 2)
