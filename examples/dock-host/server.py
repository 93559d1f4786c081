"""A page with Spotter's Dock on it, and the one thing its server must do: mint a token for whoever is looking.

    SPOTTER_API_KEY=spk_… python examples/dock-host/server.py --widget ID [--spotter URL] [--port 9000]

Needs nothing but Python. The API key stays here; the page gets tokens that are good for minutes.
"""

import argparse
import json
import os
import urllib.error
import urllib.request
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from secrets import token_urlsafe

FOLDER = Path(__file__).resolve().parent
FILES = {"/page.js": "text/javascript", "/page.css": "text/css"}


class HostPage(BaseHTTPRequestHandler):
    spotter = ""
    widget = ""
    key = ""

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path in FILES:
            self._answer(200, FILES[path], (FOLDER / path[1:]).read_bytes())
        elif path == "/":
            page = (FOLDER / "index.html").read_text("utf-8")
            page = page.replace("{{spotter}}", self.spotter).replace("{{widget}}", self.widget)
            self._answer(200, "text/html; charset=utf-8", page.encode(), self._visitor()[1])
        else:
            self._answer(404, "text/plain", b"There is no such page.\n")

    def do_POST(self) -> None:
        if self.path != "/spotter-token":
            self._answer(404, "text/plain", b"There is no such page.\n")
            return
        visitor, cookie = self._visitor()
        status, body = self._mint(visitor)
        self._answer(status, "application/json", body, cookie)

    def _mint(self, visitor: str) -> tuple[int, bytes]:
        """In a real shop `visitor` is whoever is signed in there."""
        request = urllib.request.Request(
            f"{self.spotter}/api/widgets/{self.widget}/tokens",
            data=json.dumps({"user_id": visitor}).encode(),
            headers={"X-API-Key": self.key, "Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                token: bytes = answer.read()
                return 200, token
        except urllib.error.HTTPError as refused:
            return 502, refused.read()
        except urllib.error.URLError as problem:
            return 502, json.dumps({"error": str(problem.reason)}).encode()

    def _visitor(self) -> tuple[str, str | None]:
        """Who is looking, and the cookie to set if they are new."""
        known = SimpleCookie(self.headers.get("Cookie", "")).get("visitor")
        if known is not None and known.value:
            return known.value, None
        fresh = token_urlsafe(16)
        return fresh, f"visitor={fresh}; Path=/; HttpOnly; SameSite=Lax"

    def _answer(self, status: int, kind: str, body: bytes, cookie: str | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        if cookie is not None:
            self.send_header("Set-Cookie", cookie)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Quiet."""


def serve(spotter: str, widget: str, key: str, port: int = 0) -> ThreadingHTTPServer:
    """A server that is ready to run; with port 0 on one that is free."""
    page = type("Page", (HostPage,), {"spotter": spotter.rstrip("/"), "widget": widget, "key": key})
    return ThreadingHTTPServer(("127.0.0.1", port), page)


def main() -> None:
    parser = argparse.ArgumentParser(description="A page with Spotter's Dock on it.")
    parser.add_argument("--widget", required=True, help="the widget's id")
    parser.add_argument("--spotter", default="http://127.0.0.1:8420", help="where Spotter is")
    parser.add_argument("--port", type=int, default=9000)
    given = parser.parse_args()
    key = os.environ.get("SPOTTER_API_KEY", "")
    if not key:
        raise SystemExit("Set SPOTTER_API_KEY to a key of the role staff with the scopes read and write.")
    server = serve(given.spotter, given.widget, key, given.port)
    print(f"http://127.0.0.1:{given.port} shows the widget; that origin must be one of the widget's.")
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()


if __name__ == "__main__":
    main()
