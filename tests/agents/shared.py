"""What every Python client here has in common: where the server is, what to call, how to say what was seen."""

import json
import os
import sys

TARGET = sys.argv[1:]  # an http address, or a command
HTTP = TARGET[0].startswith("http")
CALLS = json.loads(os.environ["CALLS"])  # [{"tool", "arguments"}]
ENV = dict(os.environ)


def answer(model, data=None, failed=False, progress=0):
    """One call: the text that reaches the model, the typed data a program gets (None: none is offered)."""
    return {"model": model, "data": data, "failed": bool(failed), "progress": progress}


def report(tools, answers, forwards, offers, typed=None):
    """What `judge.py` reads: `forwards` is the form the model sees, `offers` what the client can do besides, `typed` what
    was sent beside what arrived in a type made from the schema."""
    said = {"tools": sorted(tools), "answers": answers, "forwards": forwards, "offers": offers}
    print(json.dumps(said | ({"typed": typed} if typed else {})))
