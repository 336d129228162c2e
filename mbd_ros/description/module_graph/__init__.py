"""Robots made of modules: YAML documents, docking as pure operations, and what comes of them."""

from mbd_ros.description.module_graph.assemble import assemble
from mbd_ros.description.module_graph.operations import attach, carried_by, detach, move
from mbd_ros.description.module_graph.reader import read_module_graph, read_module_graph_file
from mbd_ros.description.module_graph.records import Connection, ModuleGraph
from mbd_ros.description.module_graph.writer import write_module_graph

__all__ = ['Connection', 'ModuleGraph', 'assemble', 'attach', 'carried_by', 'detach', 'move',
           'read_module_graph', 'read_module_graph_file', 'write_module_graph']
