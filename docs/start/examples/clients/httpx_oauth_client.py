# httpx-oauth: pip install httpx-oauth
import asyncio
import base64
import hashlib
import json
import os
import secrets
from urllib.parse import parse_qs, urlsplit

import httpx
from httpx_oauth.clients.openid import OpenID

issuer = os.environ["ISSUER"]
redirect_uri = os.environ["REDIRECT_URI"]
scope = ["openid", "email", "profile", f"{issuer}/auth/cls-deal.view"]


async def main():
    client = OpenID(
        os.environ["CLIENT_ID"],
        os.environ["CLIENT_SECRET"],
        f"{issuer}/.well-known/openid-configuration",
    )
    # PKCE is passed by hand.
    verifier = secrets.token_urlsafe(48)
    digest = hashlib.sha256(verifier.encode()).digest()
    state = secrets.token_urlsafe()
    url = await client.get_authorization_url(
        redirect_uri,
        state=state,
        scope=scope,
        code_challenge=base64.urlsafe_b64encode(digest).decode().rstrip("="),
        code_challenge_method="S256",
    )
    print(url, flush=True)  # Open it, and paste the address where the browser ends.
    answer = parse_qs(urlsplit(input()).query)
    if answer["state"] != [state]:
        raise SystemExit("another sign-in")
    token = await client.get_access_token(answer["code"][0], redirect_uri, verifier)
    token = await client.refresh_token(token["refresh_token"])
    async with httpx.AsyncClient() as http:
        metadata = client.openid_configuration
        bearer = {"Authorization": f"Bearer {token['access_token']}"}
        person = (await http.get(metadata["userinfo_endpoint"], headers=bearer)).json()
    print(json.dumps({"scope": token["scope"], "person": person}))


asyncio.run(main())
