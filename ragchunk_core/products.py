"""Matrix products that cost no more than they must."""

from __future__ import annotations

import numpy as np

from ragchunk_core.types import FloatArray

_FEW = 1 << 24


def product(left: FloatArray, right: FloatArray) -> FloatArray:
    """``left @ right``, shapes (rows, inner) and (inner, columns); a small one in this thread alone.

    NumPy's BLAS shares a product out to threads that then wait, busy, for the next one: after a product of a tenth of
    a millisecond they kept a second core busy for 25 (measured on OpenBLAS 0.3), which is what a person's change of a
    setting costs a server altogether.
    """
    if left.shape[0] * left.shape[1] * right.shape[1] < _FEW:
        small: FloatArray = np.einsum("ri,ic->rc", left, right)
        return small
    large: FloatArray = left @ right
    return large
