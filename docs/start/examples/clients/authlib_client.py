# Authlib with requests. Debian: python3-authlib python3-requests; else: pip install authlib requests
import json
import os

import requests
from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session

issuer = os.environ["ISSUER"]
metadata = requests.get(f"{issuer}/.well-known/openid-configuration", timeout=30).json()
client = OAuth2Session(
    os.environ["CLIENT_ID"],
    os.environ["CLIENT_SECRET"],
    scope=f"openid email profile offline_access {issuer}/auth/cls-deal.view",
    redirect_uri=os.environ["REDIRECT_URI"],
    code_challenge_method="S256",  # Authlib sends PKCE only when told.
)
verifier = generate_token(48)
url, state = client.create_authorization_url(
    metadata["authorization_endpoint"], code_verifier=verifier, nonce=generate_token()
)
print(url, flush=True)  # Open it, and paste the address where the browser ends.
token = client.fetch_token(
    metadata["token_endpoint"], authorization_response=input(), state=state, code_verifier=verifier
)
# Sends the scope of above again; `offline_access`, which was not granted, does no harm.
token = client.refresh_token(metadata["token_endpoint"], refresh_token=token["refresh_token"])
person = client.get(metadata["userinfo_endpoint"]).json()
print(json.dumps({"scope": token["scope"], "person": person}))
