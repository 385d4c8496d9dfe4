"""Facts whose questions share no word with them: who lives opposite a landmark is asked for by its city.

Source: Modarressi et al. 2025, "NoLiMa: Long-Context Evaluation Beyond Literal Matching", section 3.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tellapart.core.randomness import generator
from tellapart.errors import UsageError
from tellapart.longcontext.generating.needles import NEVER, Needle, Unused

_LANDMARKS = """
the Eiffel Tower|Paris
the Semperoper|Dresden
the Colosseum|Rome
the Brandenburg Gate|Berlin
the Sagrada Familia|Barcelona
the Prado|Madrid
the Rijksmuseum|Amsterdam
the Atomium|Brussels
the Little Mermaid statue|Copenhagen
the Vasa Museum|Stockholm
the Charles Bridge|Prague
the Fisherman's Bastion|Budapest
the Prater|Vienna
the Parthenon|Athens
the Hagia Sophia|Istanbul
the Kremlin|Moscow
the Hermitage|Saint Petersburg
the Wawel Castle|Krakow
the Belem Tower|Lisbon
the Alhambra|Granada
the Uffizi|Florence
the Rialto Bridge|Venice
the Golden Gate Bridge|San Francisco
the Space Needle|Seattle
the Liberty Bell|Philadelphia
the Empire State Building|New York
the Hollywood Bowl|Los Angeles
the Gateway Arch|Saint Louis
the Opera House at Bennelong Point|Sydney
the Christ the Redeemer statue|Rio de Janeiro
the Casa Rosada|Buenos Aires
the Table Mountain cableway|Cape Town
the Burj Khalifa|Dubai
the Petronas Towers|Kuala Lumpur
the Marina Bay Sands|Singapore
the Forbidden City|Beijing
the Senso-ji temple|Tokyo
the Gateway of India|Mumbai
the Red Fort|Delhi
the Big Ben clock tower|London
the Guinness Storehouse|Dublin
the Royal Mile|Edinburgh
"""
_PAIRS = tuple(
    (landmark, city)
    for landmark, _, city in (line.partition("|") for line in _LANDMARKS.strip().splitlines())
)
_RELATIONS = (
    ("{v} rents a flat opposite {x}.", "Whose home is in {c}?"),
    ("{v} sells postcards outside {x}.", "Who earns a living in {c}?"),
)

MOST = len(_PAIRS) * len(_RELATIONS)
"""Questions that there are."""


def latent_facts(
    seed: int,
    length: int,
    number: int,
    counts: tuple[int, int, int],
    unused: Unused,
    rng: np.random.Generator,
) -> tuple[list[Needle], list[Needle]]:
    """Make up the facts and the traps of one conversation; no question is twice among those of a length."""
    facts, traps, distractors = counts
    need, first = facts + traps, number * (facts + traps)
    if first + need > MOST or need + facts * distractors > len(_PAIRS):
        raise UsageError(
            f"--latent has {MOST} questions for a length and {len(_PAIRS)} cities for a conversation, and "
            "more are asked for",
            next_step="Ask for fewer --conversations, --depths, --facts, --traps or --distractors",
        )
    orders = [
        generator(seed, "longcontext", "latent", str(length), str(i)).permutation(len(_PAIRS)).tolist()
        for i in range(len(_RELATIONS))
    ]
    drawn = [
        (orders[i // len(_PAIRS)][i % len(_PAIRS)], i // len(_PAIRS)) for i in range(first, first + need)
    ]
    taken = {pair for pair, _ in drawn}
    others = rng.permutation([i for i in range(len(_PAIRS)) if i not in taken]).tolist()
    needles = [
        _fact(pair, relation, [others.pop() for _ in range(distractors)], unused)
        for pair, relation in drawn[:facts]
    ]
    return needles, [_trap(pair, relation) for pair, relation in drawn[facts:]]


def _fact(pair: int, relation: int, others: Sequence[int], unused: Unused) -> Needle:
    landmark, city = _PAIRS[pair]
    sentence, question = _RELATIONS[relation]
    person = unused.person()
    return Needle(
        "association",
        sentence.format(v=person, x=landmark),
        question.format(c=city),
        person,
        tuple(sentence.format(v=unused.person(), x=_PAIRS[other][0]) for other in others),
    )


def _trap(pair: int, relation: int) -> Needle:
    return Needle("association", None, _RELATIONS[relation][1].format(c=_PAIRS[pair][1]), NEVER, ())
