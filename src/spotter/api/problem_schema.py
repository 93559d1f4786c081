"""Problems in the OpenAPI document: one `Problem` schema, under its own media type."""

from http import HTTPStatus
from typing import Any, Final

from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict, Field

PROBLEM_MEDIA_TYPE: Final = "application/problem+json"
_REF: Final = "#/components/schemas/{model}"


def problem_type(code: str) -> str:
    """A name, not an address: there is nothing to look up that `code` does not say."""
    return f"urn:spotter:problem:{code}"


class FieldProblem(BaseModel):
    """One field that was not right."""

    loc: str = Field(description="where, e.g. `body.email`")
    message: str = Field(description="what is wrong, for people")
    type: str = Field(description="what is wrong, for programs")


class Problem(BaseModel):
    """An error as RFC 9457 describes it. Some kinds carry further members."""

    model_config = ConfigDict(extra="allow")

    type: str = Field(examples=[problem_type("not_found")])
    title: str = Field(description="the kind of problem, always the same for a code")
    status: int
    code: str = Field(description="stable; what programs should look at", examples=["not_found"])
    detail: str = Field(description="what was wrong this time and what to do, for people")
    correlation_id: str | None = Field(description="name it when you report the problem")
    errors: list[FieldProblem] | None = Field(default=None, description="with `invalid_input`: the fields")


def problem_responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """For `responses=` of a router or a route."""
    return {
        status: {
            "description": HTTPStatus(status).phrase,
            "content": {PROBLEM_MEDIA_TYPE: {"schema": {"$ref": _REF.format(model="Problem")}}},
        }
        for status in statuses
    }


def install_problem_schema(app: FastAPI) -> None:
    """Registers `Problem`, puts it in place of the 422 the framework would have sent, and adds the problems
    that follow from what an operation is. Those of its own it names in `responses=`."""
    generate = app.openapi

    def openapi() -> dict[str, Any]:
        document = generate()
        schemas = document.setdefault("components", {}).setdefault("schemas", {})
        if "Problem" not in schemas:
            schema = Problem.model_json_schema(ref_template=_REF)
            schemas.update(schema.pop("$defs"))
            schemas["Problem"] = schema
            _replace_validation_errors(document)
            _add_problems(document)
        return document

    app.openapi = openapi  # type: ignore[method-assign]  # the documented way to extend the document


def _replace_validation_errors(document: dict[str, Any]) -> None:
    framework = {"$ref": _REF.format(model="HTTPValidationError")}
    ours = problem_responses(422)[422]
    for operations in document["paths"].values():
        for operation in operations.values():
            answer = operation.get("responses", {}).get("422", {})
            if answer.get("content", {}).get("application/json", {}).get("schema") == framework:
                operation["responses"]["422"] = ours
    for name in ("HTTPValidationError", "ValidationError"):
        document["components"]["schemas"].pop(name, None)


def _add_problems(document: dict[str, Any]) -> None:
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            answers = operation["responses"]
            problems = _problems_of(path, method, operation)
            if _names_something(operation, document["components"]["schemas"]):
                problems.add(404)
            for status, answer in problem_responses(*problems).items():
                # Where a seed's shape rules, what is refused before it gets there is a problem all the same.
                described = answers.setdefault(str(status), {"description": answer["description"]})
                described.setdefault("content", {}).setdefault(
                    PROBLEM_MEDIA_TYPE, answer["content"][PROBLEM_MEDIA_TYPE]
                )
            operation["responses"] = dict(sorted(answers.items()))


def _problems_of(path: str, method: str, operation: dict[str, Any]) -> set[int]:
    problems = {400, 429, 503}
    if "{" in path:
        problems |= {404, 422}
    if operation.get("parameters"):
        problems.add(422)
    if operation.get("security"):
        problems |= {401, 403}
    if method != "get":
        # A body may be too large; an Idempotency-Key malformed, another caller's, reused or still at work.
        problems |= {401, 409, 413, 422}
    return problems


def _names_something(operation: dict[str, Any], schemas: dict[str, Any]) -> bool:
    """An id outside the path, in a parameter or anywhere in the body: there may be no such thing."""
    body = operation.get("requestBody", {}).get("content", {})
    return _has_id([*operation.get("parameters", ()), *body.values()], schemas, frozenset())


def _has_id(part: Any, schemas: dict[str, Any], seen: frozenset[str]) -> bool:
    if isinstance(part, list):
        return any(_has_id(item, schemas, seen) for item in part)
    if not isinstance(part, dict):
        return False
    name = str(part.get("$ref", "")).removeprefix(_REF.format(model=""))
    if name and name not in seen:
        return _has_id(schemas[name], schemas, seen | {name})
    return part.get("format") == "uuid" or any(_has_id(item, schemas, seen) for item in part.values())
