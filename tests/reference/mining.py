"""Mining as the documentation words it, in plain Python: one anchor, one lineup, one number at a time."""


def content(text):
    return " ".join(text.split())


def cosine(left, right):
    """To twelve digits, so that equal ones tie."""
    scale = (dot(left, left) * dot(right, right)) ** 0.5
    return round(dot(left, right) / scale, 12) if scale else 0.0


def dot(left, right):
    return sum(float(a) * float(b) for a, b in zip(left, right, strict=True))


def euclidean(left, right):
    return -(sum((float(a) - float(b)) ** 2 for a, b in zip(left, right, strict=True)) ** 0.5)


def manhattan(left, right):
    return -sum(abs(float(a) - float(b)) for a, b in zip(left, right, strict=True))


def pool(events, vectors, anchor, within, siblings, across, similarity=cosine):
    """Pool of one anchor.

    ``events`` are dictionaries with event_id, text, sense and lemma (or None); ``vectors`` are by text, of
    the anchor and of options apart. Returns event ids and parts, in order.
    """
    queries, documents = vectors
    row = queries[anchor["text"]]
    own = [event for event in events if event["sense"] == anchor["sense"]]
    taken = {content(event["text"]) for event in own}
    near = sorted(events, key=lambda e: (-similarity(row, documents[e["text"]]), e["event_id"]))
    found = []

    def take(part, most, fits):
        count = 0
        for event in near:
            if count < most and content(event["text"]) not in taken and fits(event):
                taken.add(content(event["text"]))
                found.append((event["event_id"], part))
                count += 1
                yield event

    lemma = anchor["lemma"]
    list(take("lemma", within, lambda e: lemma is not None and e["lemma"] == lemma))
    lemmas = {event["lemma"] for event in own} - {None}
    related = {event["sense"] for event in events if event["lemma"] in lemmas} - {anchor["sense"]}
    for event in take("sibling", siblings, lambda e: e["sense"] in related):
        related.discard(event["sense"])
    list(take("across", across, lambda e: lemma is None or e["lemma"] != lemma))
    return found


def danger(vectors, anchor, positive, negatives):
    queries, documents = vectors
    row = queries[anchor]
    return max(cosine(row, documents[text]) for text in negatives) - cosine(row, documents[positive])
