"""The compiled kernels: networks, paths, virtual channels, balancing, and the regret solver."""
