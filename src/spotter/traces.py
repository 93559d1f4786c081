"""Traces for any OpenTelemetry collector, switched on by the standard variables (`OTEL_EXPORTER_OTLP_ENDPOINT`, …).

Off, nothing is imported and a span costs a comparison. On, requests (by the web framework's own spans), turns, tools,
model calls and jobs are spans, each with the correlation id that log lines carry. What people said is never in
a span of ours.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Literal

from spotter.errors import StartupRefused
from spotter.logs import correlation_id

if TYPE_CHECKING:
    from opentelemetry.trace import Span

CORRELATION: Final = "spotter.correlation_id"
_ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
Kind = Literal["INTERNAL", "CONSUMER"]


class _State:
    """Of this process: there is one provider in it."""

    tracer: Any = None
    trace: Any = None


def wanted(environment: Mapping[str, str]) -> bool:
    if environment.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return False
    if environment.get("OTEL_TRACES_EXPORTER", "otlp").strip() not in {"", "otlp"}:
        return False
    return any(environment.get(name) for name in _ENDPOINTS)


def start(environment: Mapping[str, str]) -> Callable[[], None]:
    """Begins to trace if the environment says so. What ends it again: sends what is left, for some seconds at most."""
    if not wanted(environment) or _State.tracer is not None:
        return lambda: None
    try:
        sdk = import_module("opentelemetry.sdk.trace")
        export = import_module("opentelemetry.sdk.trace.export")
        otlp = import_module("opentelemetry.exporter.otlp.proto.http.trace_exporter")
        resources = import_module("opentelemetry.sdk.resources")
        _State.trace = import_module("opentelemetry.trace")
    except ImportError as error:
        raise StartupRefused(
            f"OTEL_EXPORTER_OTLP_ENDPOINT asks for traces, but {error.name} is not installed. "
            "Install spotter-gym[otel], or unset the variable."
        ) from None
    name = environment.get("OTEL_SERVICE_NAME") or "spotter"
    provider = sdk.TracerProvider(resource=resources.Resource.create({"service.name": name}))
    provider.add_span_processor(_correlating(sdk.SpanProcessor))
    provider.add_span_processor(export.BatchSpanProcessor(otlp.OTLPSpanExporter()))
    _State.trace.set_tracer_provider(provider)  # model calls trace by the global one: see llm/tracing.py
    _State.tracer = provider.get_tracer("spotter")

    def stop() -> None:
        _State.tracer = None
        provider.shutdown()

    return stop


def _correlating(base: type[Any]) -> Any:
    class Correlating(base):  # type: ignore[misc]  # loaded late
        """Every span, also those that others begin, says which request it belongs to."""

        def on_start(self, span: Any, parent_context: Any = None) -> None:
            if (identifier := correlation_id.get()) is not None:
                span.set_attribute(CORRELATION, identifier)

    return Correlating()


def enabled() -> bool:
    return _State.tracer is not None


@contextmanager
def span(
    name: str,
    kind: Kind = "INTERNAL",
    **attributes: str | int | bool | None,
) -> Iterator["Span | None"]:
    """What happens inside, also in tasks that are begun there. Attributes are written with `__` for dots. An exception
    is noted by its kind only: its text may quote anything."""
    tracer, trace = _State.tracer, _State.trace
    if tracer is None:
        yield None
        return
    given = {key.replace("__", "."): value for key, value in attributes.items() if value is not None}
    with tracer.start_as_current_span(
        name,
        kind=trace.SpanKind[kind],
        attributes=given,
        record_exception=False,
        set_status_on_exception=False,
    ) as current:
        try:
            yield current
        except Exception as error:
            current.set_attribute("error.type", type(error).__name__)
            current.set_status(trace.StatusCode.ERROR)
            raise


def correlate() -> None:
    """The span of a request is begun by the web framework, before the request has its id."""
    if _State.tracer is not None and (identifier := correlation_id.get()) is not None:
        _State.trace.get_current_span().set_attribute(CORRELATION, identifier)


def failed(current: "Span | None", kind: str) -> None:
    """It ended, but not well."""
    if current is not None:
        current.set_attribute("error.type", kind)
        current.set_status(_State.trace.StatusCode.ERROR)
