"""Alembic's entry. It only ever runs on a connection that `spotter.store.migrate` hands over."""

from alembic import context

from spotter.store.tables import Base

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=Base.metadata, compare_type=True)
with context.begin_transaction():
    context.run_migrations()
