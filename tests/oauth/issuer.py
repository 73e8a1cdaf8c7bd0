"""A small OAuth 2.1 issuer on loopback, for the official MCP clients: issuer.py AUDIENCE SCOPE ALGORITHM

Metadata (RFC 8414), dynamic registration (RFC 7591), authorization code with PKCE (S256) and resource indicators (RFC
8707), refresh tokens, JWT access tokens (RFC 9068), a key document. Its user agrees to everything. It prints its address,
and on /log what was asked of it. It serves one test and keeps everything in memory.
"""

import base64
import hashlib
import json
import secrets
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

AUDIENCE, SCOPE, ALGORITHM = sys.argv[1:]
LIFETIME_S = 300

KEYS = {
    "RS256": lambda: rsa.generate_private_key(public_exponent=65537, key_size=2048),
    "ES256": lambda: ec.generate_private_key(ec.SECP256R1()),
    "EdDSA": ed25519.Ed25519PrivateKey.generate,
}
key = KEYS[ALGORITHM]()
kid = secrets.token_hex(4)
jwk = json.loads(jwt.get_algorithm_by_name(ALGORITHM).to_jwk(key.public_key()))
jwk |= {"kid": kid, "use": "sig", "alg": ALGORITHM}
jwk.pop("key_ops", None)

clients, codes, refreshes, log = {}, {}, {}, []
lock = threading.Lock()


def challenge_of(verifier):
    digest = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


class Wrong(Exception):
    """An error response of the token or the registration endpoint."""


class Issuer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    @property
    def issuer(self):
        return f"http://127.0.0.1:{self.server.server_port}"

    def reply(self, status, body=None, headers=()):
        data = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        path, query = urlsplit(self.path)[2], urlsplit(self.path)[3]
        with lock:
            if path != "/log":
                log.append(path)
            if path == "/log":
                self.reply(200, log)
            elif path == "/.well-known/oauth-authorization-server":
                self.reply(200, self.metadata())
            elif path == "/jwks":
                self.reply(200, {"keys": [jwk]})
            elif path == "/authorize":
                self.authorize({name: values[0] for name, values in parse_qs(query).items()})
            else:
                self.reply(404, {"error": "not_found"})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        with lock:
            log.append(self.path)
            try:
                if self.path == "/register":
                    self.reply(201, self.register(json.loads(body)))
                elif self.path == "/token":
                    self.reply(200, self.token({name: values[0] for name, values in parse_qs(body).items()}))
                else:
                    self.reply(404, {"error": "not_found"})
            except Wrong as wrong:
                self.reply(400, {"error": str(wrong)})

    def metadata(self):
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "registration_endpoint": f"{self.issuer}/register",
            "jwks_uri": f"{self.issuer}/jwks",
            "scopes_supported": [SCOPE],
            "response_types_supported": ["code"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "token_endpoint_auth_methods_supported": ["none"],
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": True,
        }

    def register(self, asked):
        if not asked.get("redirect_uris"):
            raise Wrong("invalid_redirect_uri")
        client = asked | {"client_id": secrets.token_hex(8), "token_endpoint_auth_method": "none"}
        client.pop("client_secret", None)
        clients[client["client_id"]] = client
        return client

    def authorize(self, asked):
        client = clients.get(asked.get("client_id"))
        if client is None or asked.get("redirect_uri") not in client["redirect_uris"]:
            # Nothing is sent to an address that was not registered.
            return self.reply(400, {"error": "invalid_request"})
        answer = {"state": asked.get("state", ""), "iss": self.issuer}
        if asked.get("response_type") != "code" or asked.get("code_challenge_method") != "S256" or not asked.get("code_challenge"):
            answer["error"] = "invalid_request"
        elif asked.get("resource") != AUDIENCE:
            answer["error"] = "invalid_target"
        elif SCOPE not in asked.get("scope", "").split():
            answer["error"] = "invalid_scope"
        else:
            code = secrets.token_urlsafe(24)
            codes[code] = asked
            answer["code"] = code
        self.reply(302, None, [("Location", f"{asked['redirect_uri']}?{urlencode(answer)}")])

    def token(self, asked):
        grant = asked.get("grant_type")
        if grant == "authorization_code":
            granted = codes.pop(asked.get("code"), None)
            if granted is None or granted["redirect_uri"] != asked.get("redirect_uri"):
                raise Wrong("invalid_grant")
            if granted["code_challenge"] != challenge_of(asked.get("code_verifier", "")):
                raise Wrong("invalid_grant")
        elif grant == "refresh_token":
            granted = refreshes.pop(asked.get("refresh_token"), None)
            if granted is None:
                raise Wrong("invalid_grant")
        else:
            raise Wrong("unsupported_grant_type")
        if granted["client_id"] != asked.get("client_id"):
            raise Wrong("invalid_client")
        if asked.get("resource") != AUDIENCE:
            raise Wrong("invalid_target")
        refresh = secrets.token_urlsafe(24)
        refreshes[refresh] = granted
        now = int(time.time())
        claims = {
            "iss": self.issuer, "sub": "a-user-of-this-test", "aud": AUDIENCE, "client_id": granted["client_id"],
            "scope": granted["scope"], "iat": now, "exp": now + LIFETIME_S, "jti": secrets.token_hex(8),
        }
        token = jwt.encode(claims, key, algorithm=ALGORITHM, headers={"kid": kid, "typ": "at+jwt"})
        return {
            "access_token": token, "token_type": "Bearer", "expires_in": LIFETIME_S, "scope": granted["scope"],
            "refresh_token": refresh,
        }


server = ThreadingHTTPServer(("127.0.0.1", 0), Issuer)
print(f"issuer at http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
