"""Building blocks of nodes: error guards, parameters, robot sources, loops, publishers."""
