"""Kept histories against the vendors' own types: history.py SERVER

Conversations in every form are cut to several budgets by `freshcontext history truncate`; what is kept must
validate as what the vendors' packages send, with every call beside its result.
"""

import json
import random
import subprocess
import sys
from typing import Iterable

from anthropic.types import MessageParam
from mcp.types import SamplingMessage
from openai.types.chat import ChatCompletionMessageParam
from openai.types.responses import ResponseInputItemParam
from pydantic import TypeAdapter, ValidationError

SERVER = sys.argv[1]
WORDS = "The quick brown fox jumps over the lazy dog. ".split(" ")
TYPES = {
    "openai_chat": ChatCompletionMessageParam,
    "openai_responses": ResponseInputItemParam,
    "anthropic_messages": MessageParam,
    "mcp_sampling": SamplingMessage,
}


def plain(value):
    """Lists and dicts again: pydantic reads the vendors' iterables lazily."""
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        return [plain(inner) for inner in value]
    return value


def conversation(form, chance):
    """A long one, with parallel calls whose results come in any order."""
    text = lambda: " ".join(chance.choices(WORDS, k=chance.randint(3, 60)))
    out = []
    if form in ("openai_chat", "openai_responses"):
        out.append({"role": "system", "content": "Be brief."})
    for turn in range(30):
        content = text()
        for role in ("user", "assistant"):
            if form == "openai_responses" and role == "assistant":
                part = {"type": "output_text", "text": content, "annotations": []}
                out.append({"type": "message", "id": f"msg_{turn}", "role": role, "status": "completed", "content": [part]})
            elif form == "mcp_sampling":
                out.append({"role": role, "content": {"type": "text", "text": content}})
            elif role == "user" or turn % 3 == 0:
                out.append({"role": role, "content": content})
            if role == "user" and turn % 2:
                out.extend(calls(form, turn, text, chance))
    return out


def calls(form, turn, text, chance):
    made = [(f"call_{turn}_{number}", text(), text()) for number in range(chance.randint(1, 3))]
    results = chance.sample(made, len(made))
    if form == "openai_chat":
        yield {"role": "assistant", "tool_calls": [
            {"id": call, "type": "function", "function": {"name": "search", "arguments": json.dumps({"q": asked})}}
            for call, asked, _ in made]}
        for call, _, found in results:
            yield {"role": "tool", "tool_call_id": call, "content": found}
    elif form == "openai_responses":
        yield {"type": "reasoning", "id": f"rs_{turn}", "summary": []}
        for call, asked, _ in made:
            yield {"type": "function_call", "call_id": call, "name": "search", "arguments": json.dumps({"q": asked})}
        for call, _, found in results:
            yield {"type": "function_call_output", "call_id": call, "output": found}
    else:
        name = "tool_use_id" if form == "anthropic_messages" else "toolUseId"
        yield {"role": "assistant", "content": [
            {"type": "tool_use", "id": call, "name": "search", "input": {"q": asked}} for call, asked, _ in made]}
        yield {"role": "user", "content": [
            {"type": "tool_result", name: call, "content": [{"type": "text", "text": found}]} for call, _, found in results]}


def pairs(value):
    """Ids of calls and of results, wherever they stand."""
    made, found = [], []
    if isinstance(value, list):
        for inner in value:
            more = pairs(inner)
            made += more[0]
            found += more[1]
    elif isinstance(value, dict):
        kind = value.get("type")
        if kind in ("tool_use", "function"):
            made.append(value["id"])
        elif kind == "function_call":
            made.append(value["call_id"])
        elif kind == "tool_result":
            found.append(value.get("tool_use_id") or value["toolUseId"])
        elif kind == "function_call_output":
            found.append(value["call_id"])
        elif value.get("role") == "tool":
            found.append(value["tool_call_id"])
        more = pairs([inner for inner in value.values() if isinstance(inner, list)])
        made += more[0]
        found += more[1]
    return made, found


kept = dropped = 0
for form, kind in TYPES.items():
    adapter = TypeAdapter(list[kind])
    try:
        adapter.validate_python([{"role": "nobody", "content": 5}])
        raise SystemExit(f"{form}: these types refuse nothing")
    except ValidationError:
        pass
    for seed in range(5):
        given = conversation(form, random.Random(seed))
        adapter.validate_python(given)
        for budget in (500, 1_000, 2_500, 100_000):
            run = subprocess.run(
                [SERVER, "history", "truncate", "-", "--max-tokens", str(budget), "--oversize", "cut", "--form", form, "--json"],
                input=json.dumps(given), capture_output=True, text=True, timeout=60)
            assert run.returncode == 0, run.stderr
            answer = json.loads(run.stdout)
            history, record = answer["history"], answer["record"]
            plain(adapter.validate_python(history))
            assert record["tokens_after"] <= budget and record["form"] == form, record
            made, found = pairs(history)
            assert sorted(made) == sorted(found), (form, seed, budget, made, found)
            if form == "anthropic_messages":
                assert history[0]["role"] == "user", history[0]
            assert budget < 100_000 or history == given
            kept += len(history)
            dropped += len(given) - len(history)
assert dropped > kept > 0
print(f"{len(TYPES)} forms, 80 histories: {kept} messages kept, {dropped} dropped, each kept one accepted by its vendor's types")
