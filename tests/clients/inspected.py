"""Judges what the Inspector printed: inspected.py NAME RESULT.json STDERR."""

import json
import sys

name, result, said = sys.argv[1], json.load(open(sys.argv[2])), open(sys.argv[3]).read()
# --format json wraps what the server said in some methods and not in others.
result = result.get("result", result)
if name.startswith("list"):
    tools = result["tools"]
    names = [tool["name"] for tool in tools]
    assert len(names) == 22 and names == sorted(names), names
    for word in ("warning", "portab", "unknown format"):
        assert word not in said.lower(), said
    print(f"ok    inspector-{name}: {len(tools)} tools, nothing to report about their schemas")
else:
    assert not result.get("isError"), result
    assert result["structuredContent"], result
    print(f"ok    inspector-{name}: answered")
