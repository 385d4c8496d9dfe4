"""Variance components by dense projections: every quadratic form and its expectation, written out."""

import numpy as np


def projection(design):
    return design @ np.linalg.pinv(design)


def crossed_components(scores, noise):
    """Components of model, item and interaction from cell means (models, items); NaN is missing.

    Three sums of squares y'Qy (items given models, models given items, what is left) are set equal to their
    expectations sum_c sigma_c^2 tr(Q Z_c Z_c') + tr(Q diag(noise)).
    """
    models, items = np.nonzero(~np.isnan(scores))
    y, v = scores[models, items], np.diag(noise[models, items])
    of_model = (models[:, None] == np.unique(models)).astype(float)
    of_item = (items[:, None] == np.unique(items)).astype(float)
    everything = projection(np.hstack([of_model, of_item]))
    forms = [
        everything - projection(of_item),
        everything - projection(of_model),
        np.eye(len(y)) - everything,
    ]
    parts = [of_model @ of_model.T, of_item @ of_item.T, np.eye(len(y))]
    expected = np.array([[np.trace(form @ part) for part in parts] for form in forms])
    found = np.array([y @ form @ y - np.trace(form @ v) for form in forms])
    return np.linalg.solve(expected, found)
