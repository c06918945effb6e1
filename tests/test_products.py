"""R02, R10: small and large matrix products are NumPy's own."""

from __future__ import annotations

import numpy as np
import pytest

from ragchunk_core.products import product


@pytest.mark.parametrize("shape", [(11, 384, 80), (300, 384, 200), (0, 5, 3), (2, 0, 3)])
def test_a_product_small_or_large_is_that_of_numpy(shape):
    """R02: on whole numbers, which every order of summation adds up alike; 300 × 384 × 200 goes to BLAS."""
    rows, inner, columns = shape
    rng = np.random.default_rng(0)
    left = rng.integers(-1000, 1000, (rows, inner)).astype(float)
    right = rng.integers(-1000, 1000, (columns, inner)).astype(float).T
    np.testing.assert_array_equal(product(left, right), np.matmul(left, right))
