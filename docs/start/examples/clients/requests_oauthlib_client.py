# requests-oauthlib. Debian: python3-requests-oauthlib; else: pip install requests-oauthlib
import base64
import hashlib
import json
import os
import secrets

import requests
from requests_oauthlib import OAuth2Session

issuer = os.environ["ISSUER"]
metadata = requests.get(f"{issuer}/.well-known/openid-configuration", timeout=30).json()
# Ask for what is granted alone: oauthlib refuses an answer with another scope, unless
# OAUTHLIB_RELAX_TOKEN_SCOPE is set.
scope = ["openid", "email", "profile", f"{issuer}/auth/cls-deal.view"]
client = OAuth2Session(
    os.environ["CLIENT_ID"], scope=scope, redirect_uri=os.environ["REDIRECT_URI"]
)
# From version 2.0 on `pkce="S256"` does this.
verifier = secrets.token_urlsafe(48)
digest = hashlib.sha256(verifier.encode()).digest()
challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
url, _ = client.authorization_url(
    metadata["authorization_endpoint"], code_challenge=challenge, code_challenge_method="S256"
)
print(url, flush=True)  # Open it, and paste the address where the browser ends.
secret = os.environ["CLIENT_SECRET"]
client.fetch_token(
    metadata["token_endpoint"],
    authorization_response=input(),
    client_secret=secret,
    code_verifier=verifier,
)
token = client.refresh_token(
    metadata["token_endpoint"], client_id=client.client_id, client_secret=secret
)
person = client.get(metadata["userinfo_endpoint"]).json()
print(json.dumps({"scope": " ".join(token["scope"]), "person": person}))
