"""Jobs name the worker that computes them."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the column; workers of older versions leave it empty."""
    op.add_column("jobs", sa.Column("worker", sa.String(length=32), nullable=True))
