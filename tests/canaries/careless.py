"""A tool of a careless programmer: it breaks in every way that quotes what it was given."""

from typing import Literal

from pydantic import BaseModel
from sqlalchemy import text

from spotter.runtime.executor import ToolContext
from spotter.runtime.tool import tool


class _Form(BaseModel):
    contact: Literal["nobody"]


@tool(category="test")
async def careless(context: ToolContext, how: str, contact: str) -> str:
    """Breaks."""
    match how:
        case "key":
            raise RuntimeError(f"401: the key was {contact}, sent as Authorization: Bearer {contact}")
        case "address":
            raise ConnectionError(f"cannot reach https://user:{contact}@mail.example/?api_key={contact}")
        case "form":
            _Form.model_validate({"contact": contact})
        case "words":
            raise RuntimeError(f"no such contact: {contact}")
    uow = await context.transaction()
    if how == "statement":
        wrong = text("SELECT nothing FROM nowhere WHERE contact = :contact")
        await uow.session.execute(wrong, {"contact": contact})
    # PostgreSQL quotes what it refuses. (Of rows under a policy it quotes nothing.)
    await uow.session.execute(text("SELECT CAST(:text AS json)"), {"text": f'["{contact}" oops'})
    return "never"
