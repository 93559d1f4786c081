"""The sign-in of a browser: the refresh token in a cookie that no script can read.

It opens pages and refreshes access tokens, nothing else: calls that change things take a bearer token, so
another site cannot make them with the cookie.
"""

from starlette.requests import HTTPConnection
from starlette.responses import Response

from spotter.identity.sign_in import SignedIn
from spotter.settings import Settings

COOKIE = "spotter_refresh"


def set_sign_in(response: Response, signed_in: SignedIn, settings: Settings) -> None:
    response.set_cookie(
        COOKIE,
        signed_in.refresh_token,
        max_age=settings.refresh_token_days * 86_400,
        httponly=True,
        secure=settings.public_url is not None and settings.public_url.scheme == "https",
        samesite="lax",
        path="/",
    )


def clear_sign_in(response: Response) -> None:
    response.delete_cookie(COOKIE, path="/", httponly=True, samesite="lax")


def sign_in_of(connection: HTTPConnection) -> str | None:
    return connection.cookies.get(COOKIE)
