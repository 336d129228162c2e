"""What the controller talks to: drives, and whoever drags its tools in RViz."""
