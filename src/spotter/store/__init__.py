"""The database: connections, roles, migrations, the queue and the bus between processes."""
