import pytest

from tellapart.bundles.exposure import Exposure
from tellapart.bundles.page import exposure as pages

FIELDS = {
    "plan": {
        "steps": 10_000,
        "batch_size": 32,
        "tier3_probability": 0.1,
        "legacy_ratio": 0.75,
        "pool_size": 454,
    },
    "exposure": 52.863436123348,
    "status": "healthy",
    "action": "No action needed",
    "to_restore": {"legacy_ratio": 0.70931, "steps": 9459, "pool_size": 480},
    "why_not": {},
    "seen_fewer": {"50": 0.328356869713, "30": 0.000247199201, "10": 0.0},
}
SEVERE_FIELDS = FIELDS | {
    "plan": FIELDS["plan"] | {"steps": 1000},
    "exposure": 5.286343612335,
    "status": "severe",
    "action": "Regression highly likely",
    "to_restore": {"legacy_ratio": None, "steps": 9459, "pool_size": 48},
    "why_not": {"legacy_ratio": "it would have to be 7.094, above 1"},
    "seen_fewer": {"50": 1.0, "30": 0.9999, "10": 0.9565},
}
NOTHING_FIELDS = SEVERE_FIELDS | {
    "exposure": 0.0,
    "to_restore": dict.fromkeys(SEVERE_FIELDS["to_restore"]),
    "why_not": dict.fromkeys(SEVERE_FIELDS["to_restore"], "nothing is drawn"),
}
FIGURES, SEVERE, NOTHING = map(Exposure.model_validate, (FIELDS, SEVERE_FIELDS, NOTHING_FIELDS))


@pytest.mark.parametrize(
    ("value", "text"),
    [(49.96, "49.96"), (49.9999, "49.9999"), (50.0, "50.0"), (0.05286, "0.0529"), (0.0, "0.0")],
)
def test_a_threshold_that_is_not_reached_is_not_shown_as_reached(value, text):
    assert pages.headline(FIGURES.model_copy(update={"exposure": value})).split()[6] == text
