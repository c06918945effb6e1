"""R12: the Pareto front, and the recommended setting with those no worse but cheaper."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from ragchunk_core import intervals
from ragchunk_core.sweep_choice import pareto_front, recommend
from ragchunk_core.sweep_grid import Setting
from ragchunk_core.sweep_work import Result


def random_table(rng, rows):
    return pd.DataFrame(
        {
            "recall": rng.integers(0, 6, rows) / 5,
            "characters": rng.integers(0, 6, rows).astype(float),
            "index_bytes": rng.integers(0, 6, rows),
        }
    )


def test_r12_the_pareto_front_is_what_a_brute_force_finds():
    """R12: a row is on it when no other row is at least as good everywhere and better somewhere; ties stay."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        table = random_table(rng, int(rng.integers(1, 30)))
        rows = [(-r["recall"], r["characters"], r["index_bytes"]) for r in table.to_dict("records")]
        for columns in ((0, 1, 2), (0, 1)):
            seen = [tuple(row[column] for column in columns) for row in rows]
            expected = {
                place
                for place, one in enumerate(seen)
                if not any(other != one and all(a <= b for a, b in zip(other, one, strict=True)) for other in seen)
            }
            front = pareto_front(table, ("characters", "index_bytes")[: len(columns) - 1])
            assert set(front.index) == expected
            assert front["recall"].is_monotonic_decreasing
    with pytest.raises(ValueError, match="The costs name 'price'"):
        pareto_front(table, ["price"])


def result(name, recall, characters):
    recall = np.array(recall, dtype=float)
    means = {"recall": float(recall.mean()), "characters": characters}
    return Result(Setting(name, 400, 0, "chars", "{}", "bm25"), means, recall, 10, 0, 1000)


def test_r12_the_recommendation_is_the_best_and_those_no_worse_but_cheaper():
    """R12: by SciPy's own permutation test on the differences, and the textbook's Holm."""
    rng = np.random.default_rng(3)
    best = rng.choice([0.0, 0.5, 1.0], p=[0.05, 0.15, 0.8], size=60)
    near, far = best.copy(), best.copy()
    near[np.flatnonzero(best > 0)[:2]] = 0
    far[np.flatnonzero(best > 0)[:25]] = 0
    beaten = far * 0.9
    results = [
        result("far", far, 100.0), result("beaten", beaten, 900.0), result("best", best, 1000.0),
        result("near", near, 400.0), result("dear", best, 2000.0),
    ]  # fmt: skip
    made = recommend(results)
    assert (made.best.setting.chunker, made.tested) == ("best", 2)
    assert [one.result.setting.chunker for one in made.alternatives] == ["near"]
    (near_one,) = made.alternatives
    assert near_one.saved == pytest.approx(0.6)
    p_values = [
        stats.permutation_test(
            (one[one != best] - best[one != best],), np.sum, permutation_type="samples", n_resamples=9_999,
            rng=np.random.default_rng(0),
        ).pvalue
        for one in (near, far)
    ]  # fmt: skip
    assert p_values[1] * 2 < 0.05 < p_values[0]
    assert near_one.comparison.p == pytest.approx(p_values[0], abs=0.02)
    assert near_one.comparison.difference.mean == pytest.approx((best - near).mean())
    assert near_one.comparison.difference.low <= near_one.comparison.difference.mean
    assert made.interval == intervals.bootstrap_intervals(best[np.newaxis])[0]
    assert made.sentence().startswith("best 400/0 chars, bm25 has the best recall")
    assert "near 400/0 chars, bm25 costs 60% less in characters of context" in made.sentence()


def test_r12_a_recommendation_says_when_nothing_is_cheaper():
    """R12: one setting; or cheaper ones that are all worse; equal recall goes to the cheapest."""
    one = result("one", [1, 0, 1], 10.0)
    assert recommend([one, result("two", [1, 1, 0], 20.0)]).best is one
    assert "no setting is cheaper" in recommend([one]).sentence()
    good, bad = result("good", [1.0] * 40, 20.0), result("bad", [0.0] * 40, 10.0)
    assert "all 1 cheaper settings of the Pareto front are worse" in recommend([good, bad]).sentence()
    with pytest.raises(ValueError, match="There is no result"):
        recommend([])
    with pytest.raises(ValueError, match="The cost is 'price'; allowed are characters, index_bytes, chunks"):
        recommend([one], cost="price")
