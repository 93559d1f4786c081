"""Everything that can be set, with its default. Read from the environment (`SPOTTER_…`), once, at start.

A handful of names that hosting platforms set themselves (`DATABASE_URL`, `PORT`) and the names our
sources use (`QUEUE_CONCURRENCY`) are honoured without the prefix too.
"""

import os
import sys
from datetime import timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import (
    AliasChoices,
    BaseModel,
    ConfigDict,
    Field,
    HttpUrl,
    SecretStr,
    field_validator,
    model_validator,
)
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict


def default_data_dir() -> Path:
    """`$XDG_DATA_HOME/spotter`; for root `/var/lib/spotter`, where a system user may own it."""
    if configured := os.environ.get("XDG_DATA_HOME"):
        return Path(configured) / "spotter"
    if os.geteuid() == 0:
        return Path("/var/lib/spotter")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "spotter"
    return Path.home() / ".local" / "share" / "spotter"


class ExternalIssuer(BaseModel):
    """Someone else's sign-in whose JWTs we accept, e.g. a Supabase project. Set by the operator only:
    a key address chosen by a tenant would be a request forged by our server."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    issuer: str
    audience: str
    hs256_secret: SecretStr | None = None
    jwks_url: HttpUrl | None = None
    organisation: str = Field(description="slug of the organisation its users belong to")
    provision_members: bool = Field(
        default=False, description="create a member on first sight; otherwise unknown people are refused"
    )

    @model_validator(mode="after")
    def _one_kind_of_key(self) -> Self:
        if (self.hs256_secret is None) == (self.jwks_url is None):
            raise ValueError("give exactly one of hs256_secret and jwks_url")
        if self.hs256_secret is not None and len(self.hs256_secret.get_secret_value()) < 32:
            raise ValueError("hs256_secret is too short: at least 32 characters")
        return self


def _name(*names: str) -> AliasChoices:
    return AliasChoices(*[f"SPOTTER_{name}" for name in names], *names)


class Settings(BaseSettings):
    model_config = SettingsConfigDict(
        env_prefix="SPOTTER_", frozen=True, extra="ignore", populate_by_name=True
    )

    # Where things live
    data_dir: Path = Field(default_factory=default_data_dir)
    database_url: SecretStr | None = Field(default=None, validation_alias=_name("DATABASE_URL"))
    database_pooled_url: SecretStr | None = Field(default=None, validation_alias=_name("DATABASE_POOLED_URL"))
    """A transaction-mode pooler in front of the same database; used for everything but LISTEN and migrations."""
    database_pool_size: int = Field(default=10, ge=1, le=500)
    database_pool_overflow: int = Field(default=10, ge=0, le=500)
    database_hot_pool_size: int = Field(default=8, ge=1, le=500)
    database_pool_wait: float = Field(default=5.0, gt=0)
    statement_timeout: float = Field(default=30.0, gt=0)
    backups_kept: int = Field(default=5, ge=1)

    # The server
    host: str = "127.0.0.1"
    port: int = Field(default=8420, ge=0, le=65535, validation_alias=_name("PORT"))
    public_url: HttpUrl | None = None
    environment: Literal["development", "production"] = "development"
    cors_origins: Annotated[list[str], NoDecode] = []
    allowed_hosts: Annotated[list[str], NoDecode] = []
    trusted_proxies: Annotated[list[str], NoDecode] = []
    max_body_bytes: int = Field(default=1_000_000, ge=1_000)
    shutdown_grace: float = Field(default=20.0, ge=0)
    metrics_token: SecretStr | None = None
    rate_limits: bool = True
    web_app: bool = Field(default=True, description="false: only the API and a plain first page")

    # Secrets and sign-in
    secret_key: SecretStr | None = None
    access_token_minutes: int = Field(default=15, ge=1, le=24 * 60)
    refresh_token_days: int = Field(default=30, ge=1, le=365)
    sign_in_link_minutes: int = Field(default=30, ge=1, le=24 * 60)
    sign_up: Literal["closed", "open"] = "closed"
    external_issuers: list[ExternalIssuer] = []

    # Money
    billing_by: Literal["organisation", "operator"] | None = Field(
        default=None,
        description="who sets plans, prices and credits; the operator where anybody may sign up, unless said",
    )
    operator_token: SecretStr | None = Field(
        default=None, min_length=16, description="which the operator shows as X-Operator-Token to set them"
    )

    # The queue
    worker_in_process: bool = True
    queue_concurrency: int = Field(default=5, ge=1, le=200, validation_alias=_name("QUEUE_CONCURRENCY"))
    worker_heartbeat: float = Field(default=5.0, gt=0)
    worker_stalled_after: float = Field(default=20.0, gt=0)
    worker_rescue_every: float = Field(default=2.0, gt=0)
    audit_seal_every: float = Field(default=3.0, gt=0)

    # Agents
    model: str = Field(default="offline", description="what agents think with unless they say otherwise")
    allowed_models: Annotated[list[str], NoDecode] = Field(
        default=["openai:*", "openai-responses:*", "anthropic:*", "ollama:*"],
        description="which models builders and callers may name, as provider:model; * stands for anything",
    )
    voice_model: str = Field(default="gpt-realtime-2", description="OpenAI's model for talking aloud")
    voice_name: str = Field(default="marin", description="who speaks, unless an agent says otherwise")
    voice_minutes: int = Field(
        default=10,
        ge=1,
        le=60,
        description="how long a conversation by voice may be; its worst case is held back",
    )
    voice_url: HttpUrl = Field(
        default=HttpUrl("https://api.openai.com/v1/realtime/calls"),
        description="where a browser with its key begins to speak, over WebRTC",
    )
    turn_rescue_every: float = Field(default=1.0, gt=0)
    approval_hours: float = Field(
        default=24.0, gt=0, le=24 * 366, description="how long a request for approval stands"
    )

    # Logs
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    log_format: Literal["auto", "json", "text"] = "auto"

    @field_validator("cors_origins", "allowed_hosts", "trusted_proxies", "allowed_models", mode="before")
    @classmethod
    def _split_commas(cls, value: object) -> object:
        if isinstance(value, str):
            return [part.strip() for part in value.split(",") if part.strip()]
        return value

    @field_validator("cors_origins")
    @classmethod
    def _exact_origins(cls, origins: list[str]) -> list[str]:
        for origin in origins:
            if "*" in origin or not origin.startswith(("http://", "https://")) or origin.count("/") != 2:
                raise ValueError(f"{origin!r} is not an exact origin such as https://app.example.com")
        return origins

    @field_validator("data_dir")
    @classmethod
    def _absolute(cls, path: Path) -> Path:
        return path.expanduser().absolute()

    @field_validator("secret_key")
    @classmethod
    def _long_enough(cls, secret: SecretStr | None) -> SecretStr | None:
        if secret is not None and len(secret.get_secret_value()) < 32:
            raise ValueError("too short: give at least 32 characters, e.g. from `openssl rand -hex 32`")
        return secret

    @property
    def binds_public_address(self) -> bool:
        if self.host == "localhost":
            return False
        try:
            return not ip_address(self.host).is_loopback
        except ValueError:
            return True

    @property
    def approval_time(self) -> timedelta:
        return timedelta(hours=self.approval_hours)

    @property
    def embedded_database(self) -> bool:
        return self.database_url is None
