"""The HTTP service: REST over jobs, as FastAPI routes around `tvlb.jobs`.

`api.app.create_app` makes the application; `tvlb serve` runs it with a worker beside it. Nothing is
loaded here: the processes beside the server need little of it.
"""
