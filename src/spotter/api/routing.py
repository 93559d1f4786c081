"""Routers the house way: one transaction a request, stable operation ids."""

from typing import Any

from fastapi import APIRouter
from fastapi.routing import APIRoute

from spotter.api.transactions import TransactionalRoute


def operation_id(route: APIRoute) -> str:
    """The function's name: stable, readable in generated clients, and unique (a test sees to it)."""
    return route.name


def router(tag: str, **options: Any) -> APIRouter:
    return APIRouter(tags=[tag], route_class=TransactionalRoute, **options)
