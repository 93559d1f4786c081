"""The schema's history. Alembic runs it; `spotter.store.migrate` is the way in."""
