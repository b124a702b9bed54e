"""What Alembic runs: migrations on the connection that `tvlb.jobs.migrations` gives it."""

from alembic import context

from tvlb.jobs.schema import metadata

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=metadata)
context.run_migrations()
