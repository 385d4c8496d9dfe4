import pytest

from tellapart.longcontext.probes.strings import stem_of, stems, token_f1, token_f1_of_parts

# As NLTK's PorterStemmer gives them; 69,247 words were compared with it, and none differed.
STEMS = """
caresses:caress ponies:poni ties:tie flies:fli cats:cat died:die spied:spi agreed:agre feed:feed
plastered:plaster bled:bled motoring:motor sing:sing conflated:conflat troubled:troubl sized:size
hopping:hop falling:fall hissing:hiss filing:file happy:happi sky:sky skies:sky dying:die
enjoy:enjoy say:say by:by relational:relat conditional:condit rational:ration digitizer:digit
radically:radic differently:differ hopefully:hope geology:geolog operator:oper feudalism:feudal
decisiveness:decis sensitivity:sensit triplicate:triplic formative:form electrical:electr
goodness:good revival:reviv allowance:allow adjustable:adjust replacement:replac adoption:adopt
effective:effect probate:probat rate:rate cease:ceas controlling:control roll:roll news:news
innings:inning generally:gener
"""


def test_stems_are_those_in_common_use():
    for pair in STEMS.split():
        word, _, stem = pair.partition(":")
        assert stem_of(word) == stem, word


def test_articles_punctuation_and_capitals_do_not_count():
    assert stems("The Oboes, and a 1,000-mile WALK!") == ["obo", "1000mile", "walk"]


@pytest.mark.parametrize(
    ("response", "answer", "score"),
    [
        ("An oboe.", "the oboe", 1.0),
        # One of three words and of one: precision 1/3, recall 1.
        ("He plays oboe", "The oboe", 0.5),
        ("oboe oboe", "oboe", 2 / 3),
        ("a flute", "The oboe", 0.0),
        ("", "The oboe", 0.0),
        ("the", "the", 0.0),
    ],
)
def test_token_f1(response, answer, score):
    assert token_f1(response, answer) == pytest.approx(score)


def test_the_best_part_counts_for_each_part_of_the_answer():
    # "beans" is found whole; for "peas" the best is "green peas", 2 * 1 / 3.
    assert token_f1_of_parts("green peas, beans", "beans, peas") == pytest.approx((1 + 2 / 3) / 2)
    assert token_f1_of_parts("beans", "beans, peas") == 0.5
