"""Short-lived keys with which a browser talks to a voice model directly. The provider's own key never leaves us."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final, cast

import openai
from openai import AsyncOpenAI
from openai.types.realtime.client_secret_create_params import Session

from spotter.llm.client_secret import ClientSecret
from spotter.llm.faults import ModelProtocolError, Origin, failed
from spotter.llm.openai_client import translate
from spotter.llm.prompt import Prompt
from spotter.llm.provider import MISSHAPEN, what
from spotter.llm.transport import BROKEN
from spotter.llm.wire_chat import ChatFold

SAFETY_HEADER: Final = "OpenAI-Safety-Identifier"

__all__ = ["ClientSecret", "mint_client_secret"]


async def mint_client_secret(
    client: AsyncOpenAI,
    *,
    model: str,
    session: Mapping[str, Any],
    seconds: int = 60,
    provider: str = "openai",
    person: str | None = None,
) -> ClientSecret:
    """A secret good for opening one kind of session within `seconds`. Loaded lazily: it imports the official client.
    `person` tells the provider people apart, without telling who they are."""
    origin = Origin(provider=provider, model=model, secret=client.api_key)
    wanted = {"type": "realtime", **session, "model": model}
    try:
        made = await client.realtime.client_secrets.create(
            session=cast("Session", wanted),
            expires_after={"anchor": "created_at", "seconds": seconds},
            extra_headers={SAFETY_HEADER: person} if person else None,
        )
        expires_at = datetime.fromtimestamp(made.expires_at, UTC)
        value = made.value
    except openai.OpenAIError as error:
        raise translate(error, ChatFold(Prompt(()), origin)) from error
    except (*BROKEN, *MISSHAPEN) as error:
        raise failed(ModelProtocolError, f"made no client secret: {what(error)}", origin) from error
    if not value:
        raise failed(ModelProtocolError, "made an empty client secret", origin)
    return ClientSecret(value=value, expires_at=expires_at)
