"""Text that says nothing: sentences by a small grammar of words that no fact uses, no names, no numbers.

``twice`` and ``midnight`` are the only words that rules read as facts; no task asks for either. They stay, as
other words would make other conversations of the same seed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

_NOUN_LIST = """
meadow river kettle window garden blanket cellar ribbon candle orchard staircase lantern harbour basket
curtain mirror carpet cupboard hillside pebble thicket cushion teapot doorway chimney fountain hedge ladder
bucket pillow drawer saddle wagon barn stable pasture creek valley bridge lane market bakery tavern chapel
courtyard terrace balcony attic hallway parlour kitchen pantry oven stove saucepan platter napkin apron
mitten scarf bonnet jacket pocket button needle thread loom spindle wheel anvil hammer chisel plank beam
rafter shingle gutter puddle marsh reed willow birch maple elm bramble nettle clover thistle fern moss
lichen sparrow heron badger otter hedgehog squirrel beetle moth cricket goose rooster lamb pony donkey
kitten hound shepherd
"""
NOUNS = _NOUN_LIST.split()
"""Everyday things."""
_PEOPLE = """
tailor baker miller cobbler weaver potter gardener fiddler dancer painter carpenter joiner glazier thatcher
brewer cook farmer fisher ferryman neighbour cousin uncle aunt grandmother stranger traveller pedlar poet
singer juggler teacher pupil sailor rower piper drummer
"""
_VERBS = """
carried mended painted borrowed folded washed polished followed noticed admired remembered described forgot
lifted dragged covered emptied filled opened closed repaired moved watched praised mocked ignored wanted
bought traded sketched measured swept dusted trimmed gathered scattered warmed cooled sheltered decorated
wrapped unwrapped balanced
"""
_ADJECTIVES = """
quiet narrow wooden crooked faded gentle dusty bright heavy hollow woollen copper pale sturdy slender muddy
mossy rusty tidy cheerful weary patient clumsy curious drowsy brittle smooth rough damp chilly mellow golden
silver crimson violet speckled striped ragged humble hasty lazy lively modest nimble solemn tender
"""
_ADVERBS = """
slowly gladly quietly often seldom carefully carelessly again twice eagerly calmly loudly softly together
alone upstairs downstairs outdoors nearby patiently awkwardly gracefully reluctantly promptly
"""
_TIMES = """
before dawn
after supper
in the rain
during the thaw
at dusk
on market day
through the fog
by lamplight
all winter
towards evening
between showers
past midnight
under the stars
in early spring
late in autumn
over breakfast
"""
_LINKS = ("while", "because", "although", "until", "and then", "just as", "whenever", "so")

_FORMS = (
    "the {a} {p} {v} the {b} {n}",
    "{t}, the {p} {d} {v} a {a} {n}",
    "the {n} beside the {m} was {a} and {b}",
    "nobody {v} the {n} {t}, {l} the {p} {w} it {d}",
    "the {p} {v} the {n} {l} the {q} {w} the {b} {m}",
    "a {a} {n} lay near the {b} {m} {t}",
    "{d} and {e}, the {q} {v} every {n} in the {a} {m}",
    "there was talk of a {a} {n}, {l} the {p} {w} the {m}",
    "the {n} smelled of {m} and {o} {t}",
    "{t} the {p} and the {q} {v} what the {a} {n} had hidden",
    "the {p} said that the {n} was too {a} for the {m}",
    "with a {a} {n} in hand, the {p} {v} the {m} {d}",
    "the {b} {m} looked {a} {t}, {l} the {q} {w} it",
    "some {v} the {n}, some {w} the {m}, and the {p} did neither",
)  # fmt: skip

_LISTS: dict[str, Sequence[str]] = {
    **dict.fromkeys("nmo", NOUNS),
    **dict.fromkeys("pq", _PEOPLE.split()),
    **dict.fromkeys("vw", _VERBS.split()),
    **dict.fromkeys("ab", _ADJECTIVES.split()),
    **dict.fromkeys("de", _ADVERBS.split()),
    "t": _TIMES.strip().splitlines(),
    "l": _LINKS,
}


def sentences(rng: np.random.Generator) -> Iterator[str]:
    """Make up sentences, without end; the same generator gives the same ones."""
    while True:
        forms = rng.integers(0, len(_FORMS), 256)
        picks = rng.random((256, len(_LISTS)))
        for form, row in zip(forms, picks, strict=True):
            chosen = {
                key: words[int(share * len(words))]
                for (key, words), share in zip(_LISTS.items(), row, strict=True)
            }
            text = _FORMS[form].format(**chosen)
            yield f"{text[0].upper()}{text[1:]}."
