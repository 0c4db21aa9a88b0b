"""The service as a product in Python sees it: the standard library alone. Copy it into a product of your own."""
import http.client
import json
import os
import urllib.request

SERVICE, KEY = os.environ["SERVICE_URL"], os.environ["PRODUCT_KEY"]
APP_URL = os.environ.get("APP_URL", SERVICE)


class NoAnswer(Exception):
    """There is no answer, or only one for the moment: send the same call again later."""


class AnyStatus(urllib.request.HTTPErrorProcessor):
    """Returns every response: no status is an exception, and no redirect is followed."""
    http_response = https_response = lambda self, request, response: response


opener = urllib.request.build_opener(AnyStatus)


def call(method, path, body=None, timeout=10, **headers):
    """Sends a request with the product's key; returns status and body of a final answer."""
    headers |= {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(SERVICE + path, data, headers, method=method)
    try:
        with opener.open(request, timeout=timeout) as response:
            status, answer = response.status, json.load(response)
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise NoAnswer(f"{method} {path}: {error}") from error
    # 401: the product's key is wrong, which the operator corrects.
    if status in (401, 408, 409, 429) or status >= 500:
        raise NoAnswer(f"{method} {path}: {status} {answer.get('code')}")
    return status, answer


def check(token, ip):
    """Returns who a token belongs to, and what they may do, as of now."""
    status, answer = call("POST", "/api/product/check", {"token": token, "ip": ip}) if token else (400, None)
    return answer if status == 200 else {"active": False, "reason": "INVALID"}


def reach(caller, permission):
    """Returns the units in which the caller holds a permission; None for the whole organization."""
    if permission in caller["permissions"]:
        return None
    return [unit for grant in caller["unitGrants"] if permission in grant["permissions"] for unit in grant["units"]]


def can(caller, permission, unit):
    units = reach(caller, permission)
    return units is None or unit in units
