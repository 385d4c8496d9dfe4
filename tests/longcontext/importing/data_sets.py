"""Tiny files in the forms of published data sets; the content is made up."""

import json

import polars as pl


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


def mrcr(**changes):
    """One row, with other values where ``changes`` has them."""
    messages = [
        *turns("Write a poem about a tapir.", "Grey nose, soft tread."),
        *turns("Write a riddle about rain.", "I fall and never rise."),
        *turns("Write a poem about a tapir.", "By night it swims."),
        {"role": "user", "content": "Prepend kX3 to the 2nd poem about a tapir. Give nothing else."},
    ]
    row = {
        "prompt": json.dumps(messages),
        "answer": "kX3By night it swims.",
        "random_string_to_prepend": "kX3",
        "n_needles": 2,
        "desired_msg_index": 5,
        "total_messages": 7,
        "n_chars": 200,
    }
    return row | changes


def parquet(path, rows):
    pl.DataFrame(rows).write_parquet(path)
    return path
