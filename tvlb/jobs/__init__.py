"""Jobs that survive anything: a durable queue, workers that may die, results that never change.

The state machine is drawn in `tvlb.jobs.status`; this part knows nothing of HTTP.
"""
