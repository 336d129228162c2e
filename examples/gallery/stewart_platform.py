"""A Stewart platform that sways: which forces its six drives need."""

import sys

from matplotlib import pyplot as plt
import numpy as np

import mbd_ros

model = mbd_ros.load('package://mbd_ros/urdf/stewart.urdf.xacro')
drives = [f'leg{number}_drive' for number in range(1, 7)]
entry = [model.v_offsets[model.joint_index(name)] for name in drives]
place = [model.q_offsets[model.joint_index(name)] for name in drives]
q, v = mbd_ros.close_loops(model, mbd_ros.neutral(model), np.zeros(model.nv))
middle, efforts, times = q[place], [], np.linspace(0.0, 2.0, 101)
phase = 2.0 * np.pi * np.arange(6) / 6.0
for t in times:
    q[place] = middle + 0.03 * np.sin(np.pi * t + phase)           # lengths of the legs [m]
    v[entry] = 0.03 * np.pi * np.cos(np.pi * t + phase)
    q, v = mbd_ros.close_loops(model, q, v, known=drives)
    efforts.append(mbd_ros.inverse_dynamics(model, q, v, 0.0 * v, actuated=drives)[entry])

figure, axes = plt.subplots(figsize=(5, 3.2), layout='constrained')
axes.plot(times, efforts, label=drives)
axes.set(xlabel='time [s]', ylabel='force [N]', title='Stewart platform')
axes.legend(fontsize='x-small', ncols=2)
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else 'stewart_platform.png', dpi=70)
