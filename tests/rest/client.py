"""The Python client against the server on fixtures: calls, text, and failures."""

import json
import sys

sys.path.insert(0, "clients/python")
from freshcontext_client import FreshContext, FreshContextError, ExtractHackernewsArguments

server = FreshContext(sys.argv[1])
assert server.health()["status"] == "ready"
tools = {tool["name"]: tool for tool in server.list_tools()["tools"]}
assert len(tools) > 20, tools
arguments: ExtractHackernewsArguments = {"url": "rust"}
with open(sys.argv[2]) as file:
    arguments.update(json.load(file))
answer = server.extract_hackernews(arguments)
assert answer["freshcontext"]["adapter"] == "hackernews", answer
assert answer["items"][0]["n"] == 1, answer
assert server.text("extract_hackernews", arguments).startswith("[FRESHCONTEXT]")
judged = server.evaluate({"signals": [{"content": "a", "source": "https://example.com/", "status": "failed"}]})
assert judged["results"][0]["decision"] == "exclude", judged
stamped = server.stamp({"content": "a", "adapter": "b"})
assert server.verify(stamped)["verification"] == "valid"
stamped["content"] = "c"
assert server.verify(stamped)["verification"] == "invalid"
assert server.inspect({"text": "a b"})["failed"] is False
assert server.validate({"response": "nothing"})["level"] == "fail"
try:
    server.extract_hackernews({})  # type: ignore[typeddict-item]
except FreshContextError as error:
    assert (error.status, error.code, error.problem["field"]) == (400, "invalid_input", "url"), error.problem
else:
    raise AssertionError("a call without its argument")
print("python: ok")
