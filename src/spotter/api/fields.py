"""Kinds of text that requests carry, with their limits."""

from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, EmailStr, Field, StringConstraints

from spotter.identity.passwords import MAX_LENGTH, MIN_LENGTH
from spotter.sessions.codec import storable


def _storable(text: str) -> str:
    if "\x00" in text:
        raise ValueError("the text contains a NUL character")
    return text


def storable_text(text: str) -> str:
    """What people type, with what cannot be stored replaced visibly instead of refused: words matter more."""
    return storable(text)


Email = Annotated[EmailStr, AfterValidator(str.lower), Field(max_length=254, examples=["owner@demo.spotter"])]
Name = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=120), AfterValidator(_storable)
]
OptionalName = Annotated[
    str, StringConstraints(strip_whitespace=True, max_length=120), AfterValidator(_storable)
]
Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]([a-z0-9-]{0,46}[a-z0-9])?$")]
OrganisationName = Annotated[str, StringConstraints(min_length=1, max_length=64), AfterValidator(_storable)]
Timezone = Annotated[str, StringConstraints(min_length=1, max_length=64), Field(examples=["Europe/Berlin"])]
Password = Annotated[str, StringConstraints(min_length=1, max_length=1024)]
NewPassword = Annotated[str, StringConstraints(min_length=MIN_LENGTH, max_length=MAX_LENGTH)]
OpaqueToken = Annotated[str, StringConstraints(min_length=1, max_length=512)]


def _of_our_time(moment: datetime) -> datetime:
    if not 1990 <= moment.year <= 2200:
        raise ValueError("the year must lie between 1990 and 2200")
    return moment


Moment = Annotated[AwareDatetime, AfterValidator(_of_our_time)]
"""A time with its offset, not so far away that sums with it would not be one."""


class Body(BaseModel):
    """A request's body. Unknown fields are refused: a typing error should not be silently ignored."""

    model_config = ConfigDict(extra="forbid")
