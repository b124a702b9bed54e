"""The HTTP service: REST over jobs, as FastAPI routes around `tvlb.jobs`.

`create_app` makes the application; `tvlb serve` runs it with a worker beside it.
"""

from api.app import create_app
from api.serve import serve
from api.services import Services
from api.settings import ServerLimits, Settings
from api.tokens import Token, TokenStore

__all__ = [
    "ServerLimits",
    "Services",
    "Settings",
    "Token",
    "TokenStore",
    "create_app",
    "serve",
]
