"""Jobs wait before they are tried again."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the column; jobs that wait already are tried at once."""
    op.add_column("jobs", sa.Column("retry_at", sa.Double(), nullable=True))
