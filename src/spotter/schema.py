"""Every room's tables, imported so that the metadata is whole. Migrations and the drift test need that."""

from spotter.api import tables as api_tables
from spotter.billing import tables as billing_tables
from spotter.context import tables as context_tables
from spotter.identity import tables as identity_tables
from spotter.runtime import tables as runtime_tables
from spotter.safety import tables as safety_tables
from spotter.scenarios import tables as scenarios_tables
from spotter.sessions import tables as sessions_tables
from spotter.store.tables import Base
from spotter.training import tables as training_tables
from spotter.voice import tables as voice_tables

__all__ = [
    "api_tables",
    "billing_tables",
    "context_tables",
    "identity_tables",
    "metadata",
    "runtime_tables",
    "safety_tables",
    "scenarios_tables",
    "sessions_tables",
    "training_tables",
    "voice_tables",
]

metadata = Base.metadata
