"""A small server for a product: its API, and its page in a browser."""
import json
import os
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from service import APP_URL, NoAnswer

HEADERS = {"Cache-Control": "no-store", "Content-Security-Policy": "default-src 'self'; frame-ancestors 'none'"}
MAX_BYTES = 65_536


class Refused(Exception):
    """Refuses a request: status, code, message."""


def serve(files, api):
    """Serves the page, and the API below the path of the product's `url`. Behind a proxy, set TRUST_PROXY=1."""
    base = urlsplit(json.loads((files / "product.json").read_text("utf-8"))["url"]).path.rstrip("/")
    route = re.compile(re.escape(base) + r"/api/inspections(?:/([\w-]+)(?:/(complete|assign))?)?")

    class Handler(BaseHTTPRequestHandler):
        def call_api(self, inspection, action):
            size = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(size) or b"{}") if size <= MAX_BYTES else None
            if not isinstance(body, dict):
                raise ValueError
            if self.command not in ("GET", "POST") if inspection is None else (self.command == "POST") != bool(action):
                raise Refused(404, "NOT_FOUND", "There is no such route")
            ip = self.client_address[0]
            if os.environ.get("TRUST_PROXY"):
                ip = self.headers.get("X-Forwarded-For", ip).split(",")[-1].strip()
            scheme, _, token = self.headers.get("Authorization", "").partition(" ")
            return api(self.command, inspection, action, token if scheme.lower() == "bearer" else "", ip, body)

        def file(self, path):
            if self.command != "GET" or not f"{path}/".startswith(f"{base}/"):
                raise Refused(404, "NOT_FOUND", "There is no such page")
            name, kind = ("page.js", "javascript") if path == f"{base}/page.js" else ("page.html", "html")
            text = (files / name).read_text("utf-8")
            return f"text/{kind}", text.replace("{{BASE}}", base).replace("{{APP_URL}}", APP_URL)

        def respond(self):
            path, status, kind = urlsplit(self.path).path, 200, "application/json"
            try:
                if found := route.fullmatch(path):
                    status, answer = self.call_api(*found.groups())
                else:
                    kind, answer = self.file(path)
            except Refused as refused:
                status, answer = refused.args[0], {"code": refused.args[1], "message": refused.args[2]}
            except ValueError:
                status, answer = 400, {"code": "VALIDATION_FAILED", "message": "The body must be a JSON object"}
            except NoAnswer:
                status, answer = 503, {"code": "SERVICE_UNAVAILABLE", "message": "Try again in a moment"}
            data = (answer if isinstance(answer, str) else json.dumps(answer)).encode()
            self.send_response(status)
            for name, value in {**HEADERS, "Content-Type": kind, "Content-Length": str(len(data))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_DELETE = respond

    ThreadingHTTPServer.request_queue_size = 128
    ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "5173"))), Handler).serve_forever()
