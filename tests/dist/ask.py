"""Starts a server as a client does and asks for its tools.

ask.py COMMAND... or ask.py --manifest FOLDER, for an unpacked MCP bundle.
"""

import json
import os
import subprocess
import sys

SECONDS = 60
TOOLS = 22

command = sys.argv[1:]
environment = dict(os.environ)
if command[0] == "--manifest":
    folder = command[1]
    with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as file:
        manifest = json.load(file)
    start = manifest["server"]["mcp_config"]
    # As a host fills it in for a user who gave no keys.
    empty = {f"${{user_config.{key}}}": field.get("default", "") for key, field in manifest["user_config"].items()}
    command = [start["command"].replace("${__dirname}", folder), *start["args"]]
    environment |= {name: empty[value] for name, value in start["env"].items()}
    named = {tool["name"] for tool in manifest["tools"]}

hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "trial", "version": "1"}}
lines = [
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
]
done = subprocess.run(command, input="".join(json.dumps(line) + "\n" for line in lines), env=environment,
                      capture_output=True, text=True, timeout=SECONDS)
answers = {answer.get("id"): answer for answer in map(json.loads, done.stdout.splitlines())}
tools = {tool["name"] for tool in answers[2]["result"]["tools"]}
server = answers[1]["result"]["serverInfo"]
assert len(tools) == TOOLS, f"{len(tools)} tools"
assert sys.argv[1] != "--manifest" or tools == named, f"the manifest names other tools: {tools ^ named}"
assert done.returncode == 0, f"ends with {done.returncode}: {done.stderr}"
print(f"{server['name']} {server['version']}, {len(tools)} tools")
