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


def spoken(id_, speaker, text, **more):
    return {"speaker": speaker, "dia_id": id_, "text": text, **more}


def asked(category, question, answer, *evidence):
    key = "adversarial_answer" if category == 5 else "answer"
    return {"question": question, key: answer, "evidence": list(evidence), "category": category}


def locomo(questions=None, **changes):
    """One sample of two sessions, and a question of each category."""
    sample = {
        "qa": questions
        or [
            asked(1, "What did Ada plant?", "Peas, beans", "D1:1; D2:02"),
            asked(2, "When did Ben move?", 2021, "D1:2"),
            asked(3, "Is Ben shy?", "Likely no; he sings", "D2:1"),
            asked(4, "What does Ben play?", "The oboe", "D2:1", "D"),
            asked(5, "What does Ada play?", "The oboe", "D2:1"),
        ],
        "conversation": {
            "speaker_a": "Ada",
            "speaker_b": "Ben",
            "session_1_date_time": "1:56 pm on 8 May, 2022",
            "session_1": [
                spoken("D1:1", "Ada", "I planted peas.", img_url=["x"], blip_caption="a green bed"),
                spoken("D1:2", "Ben", "I moved last year."),
            ],
            "session_2_date_time": "9:00 am on 9 June, 2022",
            "session_2": [
                spoken("D2:1", "Ben", "I play the oboe now, on stage!"),
                spoken("D2:2", "Ada", "And I planted beans."),
            ],
            "session_3_date_time": "9:00 am on 10 June, 2022",
        },
        "sample_id": "conv-1",
    }
    return sample | changes


def nolima(**changes):
    """One needle with two tests and two questions."""
    needle = {
        "id": "0401",
        "reasoning_type": "world_knowledge",
        "system_prompt": "",
        "task_template": "A text:\n\n{haystack}\n\nAnswer from it.\n\nQuestion: {question}\n\nOne name only.",
        "needle": "Indeed, {CHAR} lives next to {1}.",
        "questions": {"onehop": "Who has been to {2}?", "twohop": "Who has been to {3}?"},
        "character_set": ["Yuki", "Otto", "Mara"],
        "tests": {
            "T1": {"input_args": ["the Prado", "Madrid", "Spain"]},
            "T2": {"input_args": ["the Kiasma", "Helsinki", "Uusimaa"]},
        },
    }
    needle |= changes
    return {key: value for key, value in needle.items() if value is not None}
