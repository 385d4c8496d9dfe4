import numpy as np

from tellapart.core.estimate import Estimate, EstimateWithError, Interval
from tellapart.core.record import Record


class Shares(Record):
    interval: tuple[float, float] | None
    share: Estimate


def test_json_is_a_pair_and_an_object_of_five_fields_and_is_read_again():
    share = EstimateWithError(0.5, 0.2, 0.8, 9, standard_error=0.1)
    record = Shares(interval=share.interval, share=share)
    five = {"value": 0.5, "low": 0.2, "high": 0.8, "n": 9, "reason": None}
    assert record.to_json() == {"interval": [0.2, 0.8], "share": five}
    assert Shares.model_validate(record.to_json()).share == Estimate(0.5, 0.2, 0.8, 9)


def test_an_end_that_is_missing_leaves_no_interval():
    assert Estimate(0.5, None, None, 1, "fewer than two values").interval is None
    assert Estimate(0.5, 0.2, float("inf"), 2).interval == Interval(0.2, float("inf"))


def test_a_number_between_the_ends_is_in_an_interval_which_is_cut_to_where_the_value_can_lie():
    assert all(number in Interval(0.2, 1) for number in (0.2, np.float32(0.5), np.int64(1)))
    assert 0.1 not in Interval(0.2, 1)
    cut = Interval(-0.1, 1.2).within(0, 1)
    assert (cut, [type(end) for end in cut]) == (Interval(0.0, 1.0), [float, float])
