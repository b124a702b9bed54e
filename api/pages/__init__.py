"""The web page: results, jobs and comparisons as HTML that is rendered here.

It shows what the routes under /v1 answer, so whatever it can do, programs can do too.
"""

from api.pages.routes import mount_assets, router

__all__ = ["mount_assets", "router"]
