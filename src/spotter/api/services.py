"""What the routes work with. Built once by `spotter.app`, reached through the request."""

from dataclasses import dataclass

from starlette.requests import HTTPConnection

from spotter.api.rate_limits import RateLimiter
from spotter.billing.accounts import Accounts
from spotter.billing.authority import BillingAuthority
from spotter.billing.ledger import Ledger
from spotter.billing.pricing import PriceBook
from spotter.identity.authenticate import Authenticator
from spotter.identity.connector_secrets import ConnectorSecrets
from spotter.identity.guests import Guests
from spotter.identity.sign_in import SignIn
from spotter.identity.standing import Standing
from spotter.identity.stream_tickets import StreamTickets
from spotter.identity.vault import Vault
from spotter.identity.widgets import Widgets
from spotter.llm.allowed import AllowedModels
from spotter.runtime.direct_calls import DirectCalls
from spotter.runtime.kit import AgentSource
from spotter.runtime.proxied_calls import ProxiedCalls
from spotter.runtime.registry import ToolRegistry
from spotter.runtime.timings import Timings
from spotter.runtime.turns import Turns
from spotter.safety import Moderation
from spotter.scenarios.definitions import Definitions
from spotter.scenarios.orchestrating import Orchestrator
from spotter.sessions.log import SessionLog
from spotter.settings import Settings
from spotter.store.bus import Bus
from spotter.store.database import Database
from spotter.voice.starting import VoiceDesk
from spotter.voice.transcripts import Transcripts


@dataclass(frozen=True, slots=True)
class Services:
    settings: Settings
    database: Database
    bus: Bus
    authenticator: Authenticator
    standing: Standing
    sign_in: SignIn
    tickets: StreamTickets
    guests: Guests
    widgets: Widgets
    vault: Vault
    limits: RateLimiter
    log: SessionLog
    turns: Turns
    direct_calls: DirectCalls
    proxied_calls: ProxiedCalls
    agents: AgentSource
    definitions: Definitions
    orchestrator: Orchestrator
    allowed_models: AllowedModels
    secrets: ConnectorSecrets
    registry: ToolRegistry
    prices: PriceBook
    accounts: Accounts
    ledger: Ledger
    billing_authority: BillingAuthority
    moderation: Moderation
    timings: Timings
    voice: VoiceDesk
    transcripts: Transcripts


def services_of(connection: HTTPConnection) -> Services:
    services = connection.app.state.services
    assert isinstance(services, Services)
    return services
