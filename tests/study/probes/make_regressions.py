#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes regressions.npz: logistic regressions as scikit-learn has them, for test-probe.c.

For each case "CASE.x" [n, D] float32, "CASE.y" [n], "CASE.folds" [n], what LogisticRegression (C=1) finds of all
rows, "CASE.w" [D] and "CASE.b" [1], and "CASE.auc" and "CASE.accuracy" [1], the means of cross_val_score() over
those folds. Run it in its folder."""

import numpy
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import PredefinedSplit, StratifiedKFold, cross_val_score


def make(rng, n, width, shift, scale=1.0, constant=None):
    """Rows whose label moves the first few numbers by @shift; @constant: the last number of all rows."""
    y = (rng.permutation(n) % 3 == 0).astype(numpy.uint8)
    x = rng.standard_normal((n, width)) @ rng.standard_normal((width, width)) * scale / numpy.sqrt(width)
    x[:, :4] += shift * y[:, None]
    if constant is not None:
        x[:, -1] = constant
    return x.astype(numpy.float32), y


def main():
    rng = numpy.random.default_rng(33)
    arrays = {}
    cases = {
        "narrow": make(rng, 120, 8, 0.5),
        "wide": make(rng, 45, 80, 1.5),
        "square": make(rng, 64, 64, 1.5, constant=1000.0),
        "large": make(rng, 48, 100, 30.0, scale=60.0),
    }
    for name, (x, y) in cases.items():
        folds = numpy.zeros(len(y), dtype=numpy.int64)
        for number, (_, test) in enumerate(StratifiedKFold(4, shuffle=True, random_state=1).split(x, y)):
            folds[test] = number
        x64 = x.astype(numpy.float64)
        model = LogisticRegression(C=1, solver="newton-cholesky", tol=1e-13, max_iter=1000).fit(x64, y)
        split = PredefinedSplit(folds)
        arrays |= {f"{name}.x": x, f"{name}.y": y, f"{name}.folds": folds, f"{name}.w": model.coef_[0],
                   f"{name}.b": model.intercept_}
        for measure, scoring in (("auc", "roc_auc"), ("accuracy", "accuracy")):
            scores = cross_val_score(model, x64, y, cv=split, scoring=scoring)
            arrays[f"{name}.{measure}"] = numpy.array([scores.mean()])
    numpy.savez_compressed("regressions.npz", **arrays)


if __name__ == "__main__":
    main()
