"""Findings as people and programs read them."""

from mbd_ros.description import Finding, Source


def test_a_finding_reads_like_a_compilers():
    assert str(Finding('warning', 'odd', 'a.urdf', 3)) == 'a.urdf:3: warning: odd'
    assert str(Finding('info', 'odd', 'a.urdf')) == 'a.urdf: info: odd'
    assert str(Finding('info', 'odd')) == 'unknown place: info: odd'


def test_a_source_reads_like_a_place():
    assert str(Source('a.urdf', 3)) == 'a.urdf:3'
