"""How a model that is naive enough reads what stands in a prompt."""

import json
import re


def objects_in(text):
    """JSON objects in a text, the inner ones of what is no JSON included."""
    decoder, at = json.JSONDecoder(), text.find("{")
    while at >= 0:
        try:
            found, end = decoder.raw_decode(text, at)
            yield found
        except json.JSONDecodeError:
            end = at + 1
        at = text.find("{", end)


def cleaned(text):
    """How a model reads what it copies: escapes, comment signs, joined strings and hidden characters away."""
    text = re.sub(r"<U\+[0-9A-F]+[^>]*>|[\u200b\u202c\u202e]", "", text)
    text = re.sub(r"^[ \t]*(?:\| ?)?[ \t]*(?:#|\*(?!/)|--|//)?[ \t]*", "", text, flags=re.MULTILINE)
    text = re.sub(r'^"((?:[^"\\\n]|\\.)*)"$', r"\1", text, flags=re.MULTILINE)
    return text.replace("\\n", "\n").replace('\\"', '"')
