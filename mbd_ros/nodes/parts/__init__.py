"""What nodes are put together from: guards, parameters, robot sources, loops, companions."""
