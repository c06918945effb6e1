"""R10: intervals that hold what they promise, tests that equal SciPy and the textbooks, sentences that say so."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ragchunk_core.intervals import (
    bootstrap_intervals,
    holm,
    needed_queries,
    paired_comparisons,
    randomisation_p,
)

RECALL = ([0.0, 0.5, 1.0], [0.2, 0.1, 0.7])
DIFFERENCE = ([-1.0, -0.5, 0.0, 0.5, 1.0], [0.06, 0.06, 0.62, 0.10, 0.16])


@pytest.mark.parametrize(
    ("kind", "queries"), [(RECALL, 20), (RECALL, 50), (DIFFERENCE, 11), (DIFFERENCE, 20), (DIFFERENCE, 50)]
)
def test_r10_the_intervals_cover_the_true_mean_as_often_as_they_say(kind, queries):
    """R10: 2,000 experiments with a known true mean: 93 to 97 % of the 95 % intervals hold it."""
    values, chances = map(np.array, kind)
    experiments = np.random.default_rng(queries).choice(values, p=chances, size=(2000, queries))
    made = bootstrap_intervals(experiments, resamples=999)
    held = np.mean([one.low <= values @ chances <= one.high for one in made])
    assert 0.93 <= held <= 0.97


def test_r10_an_interval_is_close_to_the_normal_one_for_many_queries():
    """R10: by the textbook's formula for a mean; a wider confidence gives a wider interval; one seed, one result."""
    row = np.random.default_rng(1).normal(size=(1, 2000))
    half = stats.norm.ppf(0.975) * row.std(ddof=1) / np.sqrt(2000)
    (made,) = bootstrap_intervals(row)
    assert made.mean == pytest.approx(row.mean())
    assert (made.low, made.high) == pytest.approx((row.mean() - half, row.mean() + half), abs=half / 20)
    (wide,) = bootstrap_intervals(row, confidence=0.99)
    assert wide.high - wide.low > 1.2 * (made.high - made.low)
    assert bootstrap_intervals(row) == [made]
    assert bootstrap_intervals(row, seed=1) != [made]


@pytest.mark.parametrize(("rows", "queries"), [(12, 11), (3, 700)])
def test_r10_the_bounds_are_those_of_scipy(rows, queries):
    """R10: ``scipy.stats.bootstrap`` by percentiles, at Hesterberg's expanded level, with the same seed."""
    values = np.random.default_rng(rows).choice([0.0, 0.25, 1.0], size=(rows, queries))
    tail = stats.norm.cdf(np.sqrt(queries / (queries - 1)) * stats.t.ppf(0.025, queries - 1))
    bounds = stats.bootstrap(
        (values,), np.mean, axis=-1, method="percentile", confidence_level=1 - 2 * tail, rng=np.random.default_rng(7)
    ).confidence_interval
    made = bootstrap_intervals(values, seed=7)
    np.testing.assert_allclose([one.low for one in made], bounds.low, rtol=1e-12)
    np.testing.assert_allclose([one.high for one in made], bounds.high, rtol=1e-12)


def test_r10_chunkers_are_resampled_together():
    """R10: a chunker that is better by 0.1 on every query is so in every sample, and its interval is moved by 0.1."""
    row = np.random.default_rng(2).choice([0.0, 0.5, 0.8], size=30)
    first, second = bootstrap_intervals(np.stack([row, row + 0.1]))
    assert (second.low, second.high) == pytest.approx((first.low + 0.1, first.high + 0.1))


@pytest.mark.parametrize("row", [[1.0] * 11, [0.3]])
def test_r10_values_without_spread_have_no_interval(row):
    """R10: eleven of eleven found is not certainty; the bounds are no numbers rather than a false point."""
    (made,) = bootstrap_intervals(np.array([row]))
    assert made.mean == pytest.approx(row[0])
    assert np.isnan([made.low, made.high]).all()


@given(st.lists(st.integers(-4, 4).map(lambda n: n / 4), min_size=1, max_size=9))
def test_r10_the_randomisation_test_is_exact_for_few_queries(differences):
    """R10: the share of all 2ⁿ sign patterns whose sum is as far from 0."""
    row = np.array(differences)
    sums = [abs((row * signs).sum()) for signs in itertools.product([1, -1], repeat=len(row))]
    assert randomisation_p(row) == pytest.approx(np.mean(np.array(sums) >= abs(row.sum())))


def test_r10_the_randomisation_test_of_many_queries_is_close_to_the_t_test():
    """R10: on normal differences, where the t test is right."""
    row = np.random.default_rng(3).normal(0.15, 1, size=200)
    assert randomisation_p(row) == pytest.approx(stats.ttest_1samp(row, 0).pvalue, abs=0.01)


def test_r10_no_more_than_five_in_a_hundred_equal_chunkers_are_told_apart():
    """R10: 400 pairs without a true difference; at the level of 5 % some 20 are called different, by chance."""
    rng = np.random.default_rng(4)
    rows = rng.choice(DIFFERENCE[0], p=[0.1, 0.1, 0.6, 0.1, 0.1], size=(400, 30))
    wrong = sum(randomisation_p(row, resamples=499) <= 0.05 for row in rows)
    assert wrong <= stats.binom.ppf(0.999, 400, 0.05)


def test_r10_holms_correction():
    """R10: four p values worked by hand: 4 × 0.005; 3 × 0.01; 2 × 0.03; 0.04, raised to the one before it."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.7]) == [1.0, 1.0]
    assert holm([]) == []


@pytest.mark.parametrize(("mean", "spread"), [(0.1, 0.4), (0.3, 0.5), (-0.2, 0.6)])
def test_r10_the_needed_queries_have_the_power_that_they_are_said_to(mean, spread):
    """R10: 4,000 experiments of so many queries: the t test finds the difference in about 80 % of them."""
    sample = np.random.default_rng(5).normal(size=40)
    sample = mean + spread * (sample - sample.mean()) / sample.std(ddof=1)
    needed = needed_queries(sample)
    tried = np.random.default_rng(6).normal(mean, spread, size=(4000, needed))
    assert np.mean(stats.ttest_1samp(tried, 0, axis=1).pvalue <= 0.05) == pytest.approx(0.8, abs=0.025)


def test_r10_what_is_not_established_is_said_so():
    """R10: the sentences of a clear difference, of an unclear one and of none."""
    rng = np.random.default_rng(7)
    base = rng.choice([0.0, 1.0], size=11)
    noisy = np.where(np.arange(11) == 3, 1 - base, base)
    values = {"fixed": base, "recursive": noisy, "section": base}
    unclear, none, _ = paired_comparisons(values)
    assert (unclear.p, unclear.adjusted, unclear.established) == (1.0, 1.0, False)
    assert unclear.needed > 11
    said = (
        f"fixed against recursive: not established with these 11 queries (p = 1.000); about {unclear.needed} would be"
    )
    assert unclear.sentence() == f"{said} needed."
    assert none.sentence() == "fixed against section: not established with these 11 queries; their means are equal."
    tiny = {"a": np.array([0.0, 1.0] * 500), "b": np.array([1.0, 0.0] * 499 + [1.0, 0.002])}
    assert paired_comparisons(tiny)[0].sentence().endswith("more than 100,000 would be needed.")
    zeros, ones = np.zeros(20), np.ones(20)
    (clear,) = paired_comparisons({"a": zeros, "b": ones}, baseline="a")
    assert (clear.first, clear.second, clear.p) == ("b", "a", pytest.approx(0.0, abs=0.001))
    assert clear.sentence() == "b is better than a by 1.000 on these 20 queries (p = under 0.001)."


def test_r10_comparisons_are_corrected_for_their_number():
    """R10: a difference that is established alone is not when it is the best of many."""
    rng = np.random.default_rng(8)
    base = np.full(12, 0.5)
    values = {"base": base, "good": base + np.array([0.1] * 7 + [-0.1] + [0.0] * 4)}
    (alone,) = paired_comparisons(values, baseline="base")
    assert alone.p == pytest.approx(2 * 9 / 2**8)  # of 8 signs at most one against, either way
    values |= {f"noise {i}": base + 0.1 * rng.permutation([1, -1] * 6) for i in range(9)}
    many = paired_comparisons(values, baseline="base", alpha=0.1)
    assert len(many) == 10
    assert alone.adjusted == alone.p
    assert many[0].adjusted == pytest.approx(10 * alone.p)
    assert not many[0].established


def test_r10_without_intervals_the_tests_are_the_same():
    """R10: only the bounds of the differences are left out."""
    rng = np.random.default_rng(5)
    values = {name: rng.choice([0.0, 0.5, 1.0], size=12) for name in "abc"}
    for quick, whole in zip(paired_comparisons(values, intervals=False), paired_comparisons(values), strict=True):
        assert quick.sentence() == whole.sentence()
        assert (quick.p, quick.adjusted, quick.needed) == (whole.p, whole.adjusted, whole.needed)
        assert quick.difference.mean == whole.difference.mean
        assert np.isnan(quick.difference.low)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bootstrap_intervals(np.array([[1.0, np.nan]])), "values must be finite numbers"),
        (lambda: bootstrap_intervals(np.zeros((2, 0))), r"not the shape \(2, 0\)"),
        (lambda: bootstrap_intervals(np.eye(2), confidence=1.0), "confidence is 1.0; it must be between 0 and 1"),
        (lambda: bootstrap_intervals(np.eye(2), resamples=5), "resamples is 5; it must be 100 or more"),
        (lambda: paired_comparisons({"a": np.ones(2)}, baseline="b"), "baseline is 'b'; it must be one of a"),
        (lambda: paired_comparisons({"a": np.ones(2), "b": np.ones(3)}), "their numbers are {'a': 2, 'b': 3}"),
        (lambda: paired_comparisons({"a": np.ones(2)}, alpha=0), "alpha is 0; it must be between 0 and 1"),
    ],
)
def test_r10_bad_arguments_get_a_sentence(call, message):
    """R10: each names the argument and what is allowed."""
    with pytest.raises(ValueError, match=message):
        call()
