"""Tiny files in the forms of published data sets; the content is made up."""

import json


def written(path, content):
    path.write_text(json.dumps(content))
    return path


def turns(*texts, evidence=()):
    """Turns that alternate, the user first; those at the places ``evidence`` are marked."""
    return [
        {
            "role": ("user", "assistant")[at % 2],
            "content": text,
            **({"has_answer": True} if at in evidence else {}),
        }
        for at, text in enumerate(texts)
    ]


def longmemeval(**changes):
    """One record, with other values where ``changes`` has them; None takes a key away."""
    record = {
        "question_id": "q-1",
        "question_type": "single-session-user",
        "question": "What is the name of my boat?",
        "answer": "Ondine",
        "question_date": "2023/06/01 (Thu) 10:00",
        "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/22 (Mon) 09:10"],
        "haystack_session_ids": ["s_a", "answer_b"],
        "haystack_sessions": [
            turns("How long do eggs boil?", "Seven minutes."),
            turns("I named my boat Ondine.", "Lovely.", "Any paint tips?", "Use two coats.", evidence=[0]),
        ],
        "answer_session_ids": ["answer_b"],
    }
    record |= changes
    return {key: value for key, value in record.items() if value is not None}
