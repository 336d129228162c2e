"""Ten thousand postures in one call: what the PUMA 560's shoulder has to hold."""

import sys

from matplotlib import pyplot as plt
import numpy as np

import mbd_ros

model = mbd_ros.load('package://mbd_ros/urdf/puma560.urdf')
angles = np.linspace(-np.pi, np.pi, 100)                     # [rad]
shoulder, elbow = np.meshgrid(angles, angles)
q = np.zeros((angles.size**2, model.nq))
q[:, 1], q[:, 2] = shoulder.ravel(), elbow.ravel()

effort = mbd_ros.gravity_forces(model, q)[:, 1].reshape(shoulder.shape)   # [N m]

figure, axes = plt.subplots(figsize=(5, 4), layout='constrained')
levels = axes.contourf(shoulder, elbow, effort, 20, cmap='RdBu')
figure.colorbar(levels, label='effort of joint 2 at rest [N m]')
axes.set(xlabel='joint 2 [rad]', ylabel='joint 3 [rad]', title='PUMA 560 against gravity')
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else 'gravity_map.png', dpi=70)
