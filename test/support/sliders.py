"""Robots whose motion is that of separate numbers."""

import mbd_ros


def sliders(*masses, effort=40.0, velocity=3.0, axis='1 0 0'):
    """Return sliders side by side: no joint moves another."""
    return mbd_ros.compile(mbd_ros.load('<robot name="sliders"><link name="root"/>' + ''.join(
        f'<joint name="j{k}" type="prismatic"><parent link="root"/><child link="l{k}"/>'
        f'<axis xyz="{axis}"/><limit effort="{effort}" velocity="{velocity}" lower="-5" '
        f'upper="5"/></joint><link name="l{k}"><inertial><mass value="{mass}"/><inertia ixx="1" '
        'iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        for k, mass in enumerate(masses)) + '</robot>'))
