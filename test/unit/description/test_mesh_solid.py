# Copyright 2026 The authors of mbd_ros
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
# in compliance with the License. You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software distributed under the License
# is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
# or implied. See the License for the specific language governing permissions and limitations under
# the License.

"""What meshes weigh: closed forms, and files of all kinds."""

import os
import struct

from hypothesis import given, settings, strategies as st
import numpy as np
import pytest
from scipy.spatial.transform import Rotation
import trimesh

from mbd_ros.description.records.mesh_file import read_mesh
from mbd_ros.description.records.mesh_solid import mesh_solid, WAYS
from mbd_ros.description.records.solids import SHELLS, SOLIDS
from mbd_ros.errors import DescriptionError
from mbd_ros.spatial.inertia_box import inertia_box

lengths = st.floats(0.05, 3.0)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(half=st.tuples(lengths, lengths, lengths), seed=st.integers(0, 99),
       way=st.sampled_from(WAYS))
def test_a_box_anywhere(half, seed, way):
    rng = np.random.default_rng(seed)
    turn, place = Rotation.random(random_state=seed).as_matrix(), rng.normal(size=3)
    box = trimesh.creation.box(2.0 * np.array(half))
    solid = mesh_solid(box.vertices @ turn.T + place, box.faces, way)
    volume, moments = SHELLS['box'](*half) if way == 'shell' else SOLIDS['box'][1](*half)
    scale = volume * max(moments)
    # Sums of twelve triangles, whose terms are as large as the distance from the origin.
    np.testing.assert_allclose(solid.volume, volume, rtol=1e-12)
    np.testing.assert_allclose(solid.center, place, atol=1e-12)
    np.testing.assert_allclose(solid.tensor, turn @ np.diag(volume * np.array(moments)) @ turn.T,
                               rtol=0.0, atol=1e-12 * max(1.0, scale))
    if way != 'shell':
        axes, found = inertia_box(solid.tensor, solid.volume)
        np.testing.assert_allclose(found, np.sort(half), rtol=1e-6)   # roots of differences
        assert np.linalg.det(axes) == pytest.approx(1.0)


@pytest.mark.parametrize('kind', ['sphere', 'cylinder', 'capsule'])
def test_shells_of_solids_against_fine_meshes(kind):
    sizes = (0.4,) if kind == 'sphere' else (0.4, 0.7)
    mesh = {'sphere': lambda: trimesh.creation.icosphere(5, 0.4),
            'cylinder': lambda: trimesh.creation.cylinder(0.4, 1.4, sections=400),
            'capsule': lambda: trimesh.creation.capsule(1.4, 0.4, count=[200, 200])}[kind]()
    area, moments = SHELLS[kind](*sizes)
    solid = mesh_solid(mesh.vertices, mesh.faces, 'shell')
    # The mesh is inside by 1 - cos(pi / 200) of the radius at most.
    assert solid.volume == pytest.approx(area, rel=1e-3)
    np.testing.assert_allclose(solid.tensor, area * np.diag(moments), rtol=2e-3, atol=1e-3)


def test_what_has_no_volume():
    flat = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
    with pytest.raises(ValueError, match='3 corners have no convex hull'):
        mesh_solid(flat, None, 'convex')
    with pytest.raises(ValueError, match=r'the volume of the mesh is 0 m\^3'):
        mesh_solid(flat, np.array([[0, 1, 2]]), 'legacy')
    with pytest.raises(ValueError, match='the area of the mesh is 0'):
        mesh_solid(flat * 0.0, np.array([[0, 1, 2]]), 'shell')
    box = trimesh.creation.box((1.0, 1.0, 1.0))
    with pytest.raises(ValueError, match='its triangles face inwards'):
        mesh_solid(box.vertices, box.faces[:, ::-1], 'exact')


@pytest.mark.parametrize('kind', ['stl', 'obj', 'ply', 'msh'])
def test_files(tmp_path, kind):
    box = trimesh.creation.box((1.0, 2.0, 4.0))
    path = tmp_path / f'box.{kind}'
    if kind == 'msh':
        path.write_bytes(struct.pack('4i', 8, 0, 0, 12) + box.vertices.astype('f4').tobytes()
                         + box.faces.astype('i4').tobytes())
    else:
        box.export(path)
    found = read_mesh(path)
    assert mesh_solid(*found, 'exact').volume == pytest.approx(8.0, rel=1e-6)   # floats of 4 bytes
    path.write_bytes(path.read_bytes()[:100] if kind != 'obj' else b'v 0 0 0')
    with pytest.raises(DescriptionError, match=f"the mesh '{path}' cannot be read: "):
        read_mesh(path)


def test_files_that_are_none(tmp_path):
    with pytest.raises(DescriptionError, match=r'is no \.stl, .obj, .dae, .ply, .msh file'):
        read_mesh(tmp_path / 'mesh.3mf')
    with pytest.raises(DescriptionError, match='No such file'):
        read_mesh(tmp_path / 'mesh.stl')


def test_a_pipe_is_no_mesh(tmp_path):
    """Reading it would never end."""
    os.mkfifo(tmp_path / 'mesh.stl')
    with pytest.raises(DescriptionError, match=r'mesh\.stl. is no regular file'):
        read_mesh(tmp_path / 'mesh.stl')
