"""Prints the outstanding principal of each facility, and its sum for each currency."""

import os
import time
from collections import defaultdict
from decimal import Decimal

import requests

BASE = os.environ["BASE"]


class AccessToken(requests.auth.AuthBase):
    """Gets a token, and the next one five minutes before it expires."""

    def __init__(self):
        self.token, self.until = "", 0.0

    def __call__(self, request):
        if time.monotonic() >= self.until:
            answer = requests.post(
                f"{BASE}/oauth/token",
                auth=(os.environ["ID"], os.environ["SECRET"]),
                data={"grant_type": "client_credentials"},
                timeout=10,
            )
            answer.raise_for_status()
            self.token = answer.json()["access_token"]
            self.until = time.monotonic() + answer.json()["expires_in"] - 300
        request.headers["Authorization"] = f"Bearer {self.token}"
        return request


session = requests.Session()
session.auth = AccessToken()


def ask(path, **parameters):
    """Sends a request again where that helps, after Retry-After."""
    for attempt in range(4):
        answer = session.get(f"{BASE}/api/v1{path}", params=parameters, timeout=30)
        if answer.ok:
            return answer.json()
        if answer.status_code not in (429, 503) or attempt == 3:
            break
        time.sleep(int(answer.headers.get("Retry-After", 2**attempt)))
    problem = answer.json()
    raise SystemExit(f"{problem['code']}: {problem['detail']} (request {problem['requestId']})")


def walk(path, **question):
    """All items, page by page. The cursor has the question."""
    page = ask(path, **question)
    while True:
        yield from page["data"]
        if not page["page"]["hasMore"]:
            return
        page = ask(path, cursor=page["page"]["nextCursor"])


sums = defaultdict(Decimal)
for facility in walk("/cls/balances", limit=1000):
    outstanding = Decimal(facility["global"]["principal"]["outstanding"])
    sums[facility["currency"]] += outstanding
    print(facility["deal"]["dealNumber"], outstanding, facility["currency"])
for currency, total in sorted(sums.items()):
    print("sum", total, currency)
