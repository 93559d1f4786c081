"""What the athlete wants, has and cannot do."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import Field, TypeAdapter, ValidationError

from spotter.clock import now
from spotter.errors import InvalidInput, NotFound
from spotter.runtime.executor import ToolContext
from spotter.runtime.tool import Answer, FixAndRetry, tool
from spotter.training import preferences, rechecking, understood
from spotter.training.preferences import Duration, PreferenceType

_TIME: TypeAdapter[datetime] = TypeAdapter(datetime)


@tool(
    category="preferences",
    examples=["I hate burpees", "my left knee hurts", "I only have dumbbells", "no jumping this week"],
)
async def set_preference(
    context: ToolContext,
    preference_type: PreferenceType,
    value: Annotated[str, Field(min_length=1, max_length=300)],
    duration_type: Duration = Duration.PERMANENT,
    metadata: dict[str, Any] = {},  # noqa: B006 - becomes part of a schema
) -> Answer:
    """Keep something about the athlete. For an injury say joint, side and severity in the value («left knee, mild») or
    in metadata; for an exclusion give the exercise's name. `session` lasts for this conversation, `temporary` until
    metadata.expires_at (7 days unless said). After an injury the workout on the table is checked again; you are told
    what had to change."""
    details = {**metadata, **_understood(preference_type, value, metadata)}
    uow = await context.transaction()
    kept = await preferences.keep(
        uow,
        preference_type,
        value,
        duration_type,
        details,
        session_id=context.session_id,
        expires_at=_expiry(duration_type, metadata),
    )
    shown = {
        "id": str(kept.id),
        "type": kept.preference_type,
        "value": kept.value,
        "duration": kept.duration_type,
        "metadata": kept.details,
    }
    told = f'Kept {kept.preference_type} "{kept.value}" ({kept.duration_type}) as [{kept.id}]'
    data = {"success": True, "preference": shown}
    if preference_type is not PreferenceType.INJURY:
        return Answer(data, told)
    # A wish is the agent's to act on; what is not safe any more does not wait for it.
    changed = await rechecking.recheck(uow)
    here = next((one for one in changed if one.session_id == context.session_id), None)
    return (
        Answer(data, told) if here is None else Answer({**data, **here.as_json()}, f"{told}\n{here.told()}")
    )


@tool(category="preferences", examples=["my knee is fine again", "burpees are ok now", "forget that"])
async def delete_preference(context: ToolContext, preference_id: UUID) -> Answer:
    """Take a preference back, by the id shown in square brackets in active_preferences."""
    uow = await context.transaction()
    try:
        gone = await preferences.take_back(uow, preference_id)
    except NotFound:
        raise FixAndRetry(
            f"This athlete has no active preference {preference_id}. fetch_data with active_preferences shows them."
        ) from None
    deleted = {"id": str(gone.id), "type": gone.preference_type, "value": gone.value}
    return Answer({"success": True, "deleted": deleted}, f'Took back {gone.preference_type} "{gone.value}"')


def _understood(kind: PreferenceType, value: str, metadata: dict[str, Any]) -> dict[str, str]:
    try:
        return understood.details_of(kind, value, metadata)
    except InvalidInput as unclear:
        raise FixAndRetry(unclear.detail) from None


def _expiry(duration: Duration, metadata: dict[str, Any]) -> datetime | None:
    if duration is not Duration.TEMPORARY or "expires_at" not in metadata:
        return None
    try:
        expires = _TIME.validate_python(metadata["expires_at"])
    except ValidationError:
        raise FixAndRetry("metadata.expires_at is a date and time such as 2026-11-20T18:00:00Z.") from None
    if expires.tzinfo is None:
        expires = expires.replace(tzinfo=now().tzinfo)
    if expires <= now():
        raise FixAndRetry("metadata.expires_at lies in the past. Nothing was kept.")
    return expires


TOOLS = (set_preference, delete_preference)
