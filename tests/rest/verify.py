"""Signatures of the server, checked with `cryptography` from the key document alone."""

import base64
import hashlib
import json
import sys
import urllib.request

import rfc8785
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

base = sys.argv[1]


def unpadded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


with urllib.request.urlopen(base + "/v1/keys") as response:
    keys = {key["kid"]: unpadded(key["x"]) for key in json.load(response)["keys"]}


def holds(signature, signed):
    names = ["key_id", "signed_at", "subject", "sha256"]
    message = "\n".join([signature["scheme"], *(f"{name}={signature[name]}" for name in names)])
    try:
        key = Ed25519PublicKey.from_public_bytes(keys[signature["key_id"]])
        key.verify(unpadded(signature["signature"]), message.encode())
    except (KeyError, InvalidSignature):
        return False
    return hashlib.sha256(signed).hexdigest() == signature["sha256"]


body = json.dumps({"signals": [{"content": "a b", "source": "https://example.com/"}, {"content": "c"}]}).encode()
request = urllib.request.Request(base + "/v1/evaluate", body, {"Content-Type": "application/json"})
with urllib.request.urlopen(request) as response:
    answer = response.read()
    signature = json.loads(response.headers["FreshContext-Signature"])
assert holds(signature, answer)
assert not holds(signature, answer.replace(b"a", b"b", 1)), "a changed byte"
assert not holds({**signature, "signed_at": "2020-01-01T00:00:00.000Z"}, answer), "another moment"
assert not holds({**signature, "key_id": "none"}, answer), "an unknown key"
other = next(kid for kid in keys if kid != signature["key_id"])
assert not holds({**signature, "key_id": other}, answer), "another key"
verdicts = json.loads(answer)["signature"]["verdicts"]
assert len(verdicts) == 2
for verdict in verdicts:
    assert verdict["payload"].startswith("FRESHCONTEXT_HA_PRI_V3\n")
    assert holds(verdict, verdict["payload"].encode())
    assert not holds(verdict, verdict["payload"].replace("decision=", "decision=x").encode())
# The whole evaluation: its canonical JSON without this signature.
evaluation = json.loads(answer)
seal = evaluation["signature"].pop("evaluation")
assert seal["subject"] == "evaluation"
assert holds(seal, rfc8785.dumps(evaluation))
evaluation["results"][0]["source"] = "https://example.org/"
assert not holds(seal, rfc8785.dumps(evaluation)), "a changed field"
with open(sys.argv[2], "wb") as file:
    file.write(answer)
print("signatures, by cryptography: ok")
