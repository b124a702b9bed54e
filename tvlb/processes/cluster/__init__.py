"""Executors on a lab's machines: the workers of a Dask scheduler, and jobs of Slurm.

Both are `concurrent.futures.Executor`s that keep the promises of `tvlb.processes.WorkerPool`. They
need the packages that ``pip install '.[cluster]'`` adds.
"""

from tvlb.processes.cluster.dask import dask_workers
from tvlb.processes.cluster.executor import DaskExecutor, Workers
from tvlb.processes.cluster.options import DaskOptions, SlurmOptions
from tvlb.processes.cluster.slurm import slurm_workers

__all__ = [
    "DaskExecutor",
    "DaskOptions",
    "SlurmOptions",
    "Workers",
    "dask_workers",
    "slurm_workers",
]
