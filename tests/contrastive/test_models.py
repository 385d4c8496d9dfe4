import pytest

from tellapart.contrastive.assembly import summaries_by_position
from tellapart.contrastive.models import Models
from tellapart.embed.models.bm25 import Bm25
from tellapart.embed.models.lsa import Lsa


@pytest.fixture
def fits(monkeypatch):
    """Which models are fitted, in order."""
    names = []
    for model in (Bm25, Lsa):
        fit = model.__init__
        monkeypatch.setattr(
            model,
            "__init__",
            lambda self, *args, fit=fit, **kwargs: (names.append(self.name), fit(self, *args, **kwargs))[1],
        )
    return names


def test_a_model_is_fitted_once_on_the_same_code_as_matcher_and_as_part_of_selectors(material, fits):
    texts = summaries_by_position(material.units, material.summaries)
    with Models() as models:
        fusion = models.selector("fusion", material.units, texts)
        # As after a benchmark was written and read: equal units, other objects.
        assert models.selector("fusion", tuple(material.units), dict(texts)) is fusion
        models.matcher("bm25", material.units)
        models.matcher("lsa", material.units)
        models.selector("lsa", material.units, texts)
        assert fits == ["bm25", "lsa"]
        models.matcher("bm25", material.units[1:])
        assert fits == ["bm25", "lsa", "bm25"]
