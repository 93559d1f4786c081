"""The FastAPI application: plumbing and routers, nothing else."""

from fastapi import FastAPI

from spotter.api import (
    activity,
    agent_runs,
    agui,
    agui_input,
    ai_agents,
    api_keys,
    approval_policies,
    approvals,
    athlete,
    audit,
    auth,
    billing_caps,
    billing_credits,
    billing_prices,
    billing_reports,
    coach,
    context,
    drafts,
    embed,
    health,
    imports,
    me,
    members,
    model_accounts,
    orchestration,
    organisations,
    progress,
    projects,
    push,
    responses,
    safety,
    scenarios,
    schedule,
    sdk_sessions,
    sessions,
    tool_calls,
    trainer,
    voice,
    welcome,
    widgets,
    workouts,
)
from spotter.api.aliases import SeedPaths
from spotter.api.metrics import Metrics
from spotter.api.plumbing import install_plumbing
from spotter.api.routing import operation_id
from spotter.api.services import Services
from spotter.api.standing_streams import StandingStreams
from spotter.api.web_app import built_app, install_web_app
from spotter.store.faults import as_spotter_error

_ABOUT = (
    "The open platform for AI coaches and AI gym staff. Send `Authorization: Bearer …` (from `/api/auth/sign-in`, "
    "or `spotter token`) or `X-API-Key: …`. Every change honours `Idempotency-Key`; every error is a problem document."
)

_ROOMS = (
    health,
    auth,
    me,
    organisations,
    projects,
    drafts,
    context,
    responses,
    members,
    api_keys,
    audit,
    activity,
    model_accounts,
    safety,
    scenarios,
    ai_agents,
    orchestration,
    agent_runs,
    sdk_sessions,
    sessions,
    agui,
    tool_calls,
    approvals,
    approval_policies,
    billing_reports,
    billing_prices,
    billing_caps,
    billing_credits,
    trainer,
    coach,
    voice,
    push,
    workouts,
    progress,
    athlete,
    schedule,
    imports,
    widgets,
    embed,
    welcome,
)


def build(services: Services, *, version: str, schema_revision: str) -> FastAPI:
    app = FastAPI(
        title="Spotter",
        version=version,
        description=_ABOUT,
        docs_url=None,
        redoc_url=None,
        generate_unique_id_function=operation_id,
        separate_input_output_schemas=False,
    )
    app.state.services = services
    app.state.facts = health.Facts(version=version, schema_revision=schema_revision)
    for room in _ROOMS:
        app.include_router(room.routes)
    if services.settings.web_app and (web_app := built_app()) is not None:
        install_web_app(app, web_app)
    metrics = Metrics()
    services.moderation.watch(metrics.moderated)
    services.timings.watch(metrics.timed)
    minutes = services.settings.access_token_minutes
    app.add_middleware(StandingStreams, services.standing, longest=60.0 * minutes)
    # Outermost of ours, so that every other part sees the path as it is in the document.
    install_plumbing(
        app,
        services.settings,
        limiter=services.limits,
        metrics=metrics,
        map_exception=as_spotter_error,
        body_limits={imports.PATH: imports.LARGEST, agui.PATH: agui_input.MOST_BYTES},
    )
    app.add_middleware(SeedPaths)
    return app
