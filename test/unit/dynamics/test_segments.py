"""What bodies between segments do, against the equations solved by NumPy."""

import numpy as np

from mbd_ros.dynamics.recursive import Articulated
from mbd_ros.dynamics.segments import HANDLE, in_series
from mbd_ros.spatial import ArticulatedInertia, Symmetric3, Vector3, Wrench
from mbd_ros.spatial.rotation import Matrix3


def test_an_inertia_in_series_with_a_compliance():
    """``f = B (a - C f) + p`` for a B that is definite and a C that need not be."""
    rng = np.random.default_rng(0)
    root, thin, p = rng.normal(size=(6, 6)), rng.normal(size=(6, 2)), rng.normal(size=6)
    b, c = root @ root.T + np.eye(6), thin @ thin.T
    record = Articulated(
        ArticulatedInertia(Symmetric3(b[0, 0], b[0, 1], b[0, 2], b[1, 1], b[1, 2], b[2, 2]),
                           Matrix3(*(Vector3(*row) for row in b[:3, 3:])),
                           Symmetric3(b[3, 3], b[3, 4], b[3, 5], b[4, 4], b[4, 5], b[5, 5])),
        Wrench(Vector3(*p[:3]), Vector3(*p[3:])))
    found = in_series(record, c.tolist())
    columns = [found.inertia.column(axis) for axis in range(6)]
    inertia = np.array([[*column.moment, *column.force] for column in columns]).T
    both = np.linalg.inv(np.eye(6) + b @ c)
    # Conditions below 1e3: some ten roundings of 1e-16, amplified by that.
    np.testing.assert_allclose(inertia, both @ b, rtol=0.0, atol=1e-11 * np.abs(b).max())
    np.testing.assert_allclose([*found.wrench.moment, *found.wrench.force], both @ p, rtol=0.0,
                               atol=1e-11 * np.abs(p).max())


def test_what_is_beyond_the_last_body_hands_its_wrench_through():
    assert [[*column.moment, *column.force] for column in HANDLE.columns] == np.eye(6).tolist()
    assert not any(HANDLE.response) and not any(map(any, HANDLE.compliance))
