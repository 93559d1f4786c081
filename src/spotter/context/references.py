"""References in the arguments of a call, turned into the ids they stand for.

Only where the tool's own schema asks for an id, and only by snapshots that this session was given and that its person
made: what another session, person or project calls `workout_1` is nothing here. What is not found stays as it is, and
the tool's own check refuses it like any other value that is no id.
"""

import json
import re
from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from sqlalchemy import select

from spotter.context.tables import ContextSnapshot, SessionContext
from spotter.store.database import Database
from spotter.store.scope import NOBODY, Scope

_REFERENCE: Final = re.compile(r"[a-z]+(?:_[a-z]+)*_[1-9][0-9]{0,3}")
_QUOTED: Final = re.compile(rf'"{_REFERENCE.pattern}"')


def is_reference(value: object) -> bool:
    return isinstance(value, str) and _REFERENCE.fullmatch(value) is not None


async def resolved(
    database: Database, scope: Scope, session_id: UUID, schema: Mapping[str, Any], args: str
) -> str:
    """The same arguments with ids. Costs nothing where there is no reference in them."""
    if _QUOTED.search(args) is None:
        return args
    try:
        given = json.loads(args)
    except ValueError:
        return args
    known = await _known(database, scope, session_id)
    if not known:
        return args
    filled = _filled(given, schema, schema.get("$defs", {}), known)
    return args if filled == given else json.dumps(filled, separators=(",", ":"))


async def _known(database: Database, scope: Scope, session_id: UUID) -> dict[str, str]:
    """By reference; of several snapshots the newest counts."""
    async with database.unit_of_work(scope) as uow:
        rows = await uow.session.scalars(
            select(ContextSnapshot.reference_ids)
            .join(SessionContext, SessionContext.context_id == ContextSnapshot.id)
            .where(
                SessionContext.session_id == session_id,
                ContextSnapshot.user_id == (scope.user_id or NOBODY),
            )
            .order_by(SessionContext.created_at, ContextSnapshot.id)
        )
        known: dict[str, str] = {}
        for references in rows:
            known.update(references)
    return known


def _filled(value: Any, schema: Any, definitions: Mapping[str, Any], known: Mapping[str, str]) -> Any:
    branches = list(_branches(schema, definitions, 0))
    if is_reference(value) and any(branch.get("format") == "uuid" for branch in branches):
        return known.get(value, value)
    if isinstance(value, list):
        inner: Any = next((branch["items"] for branch in branches if "items" in branch), {})
        return [_filled(one, inner, definitions, known) for one in value]
    if isinstance(value, dict):
        fields: dict[str, list[Any]] = {}
        for branch in branches:
            for name, field in branch.get("properties", {}).items():
                fields.setdefault(name, []).append(field)
        return {
            name: _filled(one, {"anyOf": fields.get(name, [])}, definitions, known)
            for name, one in value.items()
        }
    return value


def _branches(schema: Any, definitions: Mapping[str, Any], depth: int) -> Any:
    """What a value may be, with references of the schema followed. Schemas of ours are not deep."""
    if not isinstance(schema, Mapping) or depth > 8:
        return
    yield schema
    if isinstance(name := schema.get("$ref"), str):
        yield from _branches(definitions.get(name.rpartition("/")[2], {}), definitions, depth + 1)
    for word in ("anyOf", "oneOf", "allOf"):
        for branch in schema.get(word, ()):
            yield from _branches(branch, definitions, depth + 1)
