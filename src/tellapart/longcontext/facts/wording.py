"""Words that tell what in a text is a name, a number or only loud."""

from __future__ import annotations

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_LABELS = "CI OR HR RR SD SE NNT NNH SMD RCT RCTS ID QA OK USA US UK EU AI API"
_LOUD = (
    "A AN AND ANY ALL ALSO ARE AS AT BE BOTH BUT BY CAN CORRECT DATA DID DO DOES EACH EARLY EVER "
    "EXACT EXACTLY FAIL FIRST FOR FROM HAD HAS HAVE IF IN IS IT ITS LAST LATE MAY MODEL MORE MOST "
    "MUST NEVER NO NOT NOTE NOW OF ON ONE ONLY OR OTHER OUT PASS REPEAT SAME SHOULD SO STUDY THAN "
    "THAT THE THEIR THEN THESE THEY THIS THREE TO TRAP TRICK TRUE TWO UP US USE VERY WAS WERE WHAT "
    "WHEN WHICH WHO WILL WITH YES YOU SCORE REASON DETAIL KEY YEAR TOTAL AUTHOR"
)
_COMMON = (
    "a according an and answer article as at authors baseline because both but by case correct did "
    "dr for from he her his however i if in it its journal lead liver model my n no not note of on "
    "one only or our question report response she since so study table that the their then there "
    "these they this those three to trick two was we were what when which while who with without yes "
    "you"
)
_WEAK = "study studies article model journal dr the in at by for"

SMALL = tuple(_SMALL.split())
"""Numbers from 0."""
TENS = tuple(_TENS.split())
"""From 20."""
LABELS = frozenset(_LABELS.split())
"""Capitals that say what a number is, or that are too common to identify anything."""
LOUD = frozenset(_LOUD.split())
"""Words that are written in capitals for emphasis."""
COMMON = frozenset(_COMMON.split())
"""Words that begin a sentence with a capital and are no names."""
WEAK = frozenset(_WEAK.split())
"""Words that are no names though they have a capital within a sentence."""
