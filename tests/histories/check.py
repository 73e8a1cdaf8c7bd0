"""Cuts random conversations in every format at many budgets, and asks the vendors' own libraries about what is left.

    python3 -m venv target/histories && target/histories/bin/pip install -r tests/histories/requirements.txt
    npm install --prefix target/histories ai@6
    target/histories/bin/python tests/histories/check.py target/debug/freshcontext [SEED]

Types and validators are the vendors': pydantic over the types of `anthropic`, `openai` and `mcp`, botocore's
validator of Converse, `google.genai.types.Content`, the validator of `mistral-common`, `ollama.Message`,
`langchain_core` and the schemas of `ai`. The order is checked here, as their documentation states it.
"""

import json
import random
import subprocess
import sys

SERVER, SEED = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1
BUDGETS = [64, 80, 100, 130, 170, 220, 280, 350, 450, 600, 800, 1200, 50000]
CONVERSATIONS = 4


def words(rng, most):
    return " ".join(rng.choice(["alpha", "beta", "gamma", "delta", "omega"]) for _ in range(rng.randint(1, most)))


def conversation(rng):
    """Turns: ("user", text), ("assistant", text), ("step", [(id, name, input, output)], thought)."""
    out, number = [], 0
    for exchange in range(rng.randint(1, 5)):
        out.append(("user", words(rng, 60)))
        for _ in range(rng.randint(0, 3)):
            calls = []
            for _ in range(rng.randint(1, 3)):
                number += 1
                calls.append((f"call{number:05}", f"search_{number}", {"query": words(rng, 10)}, words(rng, 80)))
            out.append(("step", calls))
        out.append(("assistant", words(rng, 60)))
    out.append(("user", words(rng, 20)))
    if rng.random() < 0.5:
        # In the middle of the model's work.
        number += 1
        out.append(("step", [(f"call{number:05}", f"search_{number}", {"query": words(rng, 10)}, words(rng, 200))]))
    return out


def written(form, turns):
    out = []
    for turn in turns:
        kind = turn[0]
        if kind != "step":
            out.append(said(form, kind, turn[1]))
            continue
        calls = turn[1]
        if form in ("openai_chat", "mistral"):
            out.append({"role": "assistant", "content": "", "tool_calls": [
                {"id": i, "type": "function", "function": {"name": n, "arguments": json.dumps(a)}} for i, n, a, _ in calls]})
            out += [{"role": "tool", "tool_call_id": i, **({"name": n} if form == "mistral" else {}), "content": o} for i, n, _, o in calls]
        elif form == "ollama":
            out.append({"role": "assistant", "content": "", "tool_calls": [{"function": {"name": n, "arguments": a}} for _, n, a, _ in calls]})
            out += [{"role": "tool", "tool_name": n, "content": o} for _, n, _, o in calls]
        elif form == "openai_responses":
            out.append({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "abcdefgh"})
            out += [{"type": "function_call", "call_id": i, "name": n, "arguments": json.dumps(a)} for i, n, a, _ in calls]
            out += [{"type": "function_call_output", "call_id": i, "output": o} for i, _, _, o in calls]
        elif form in ("anthropic_messages", "mcp_sampling"):
            of = "tool_use_id" if form == "anthropic_messages" else "toolUseId"
            thought = [{"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}] if form == "anthropic_messages" else []
            out.append({"role": "assistant", "content": thought + [{"type": "tool_use", "id": i, "name": n, "input": a} for i, n, a, _ in calls]})
            out.append({"role": "user", "content": [{"type": "tool_result", of: i, "content": [{"type": "text", "text": o}]} for i, _, _, o in calls]})
        elif form == "bedrock_converse":
            out.append({"role": "assistant", "content": [{"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "c2ln"}}}]
                        + [{"toolUse": {"toolUseId": i, "name": n, "input": a}} for i, n, a, _ in calls]})
            out.append({"role": "user", "content": [{"toolResult": {"toolUseId": i, "content": [{"text": o}], "status": "success"}} for i, _, _, o in calls]})
        elif form == "gemini":
            out.append({"role": "model", "parts": [{"functionCall": {"name": n, "args": a}, "thoughtSignature": "c2ln"} for _, n, a, _ in calls]})
            out.append({"role": "user", "parts": [{"functionResponse": {"name": n, "response": {"output": o}}} for _, n, _, o in calls]})
        elif form == "vercel_model":
            out.append({"role": "assistant", "content": [{"type": "reasoning", "text": "Hm."}]
                        + [{"type": "tool-call", "toolCallId": i, "toolName": n, "input": a} for i, n, a, _ in calls]})
            out.append({"role": "tool", "content": [{"type": "tool-result", "toolCallId": i, "toolName": n, "output": {"type": "text", "value": o}} for i, n, _, o in calls]})
        elif form == "vercel_ui":
            out.append({"id": calls[0][0], "role": "assistant", "parts": [{"type": "step-start"}]
                        + [{"type": f"tool-{n}", "toolCallId": i, "state": "output-available", "input": a, "output": o} for i, n, a, o in calls]})
        else:
            import langchain_core.messages as lc
            ai = lc.AIMessage(content="", tool_calls=[{"name": n, "args": a, "id": i} for i, n, a, _ in calls])
            results = [lc.ToolMessage(content=o, tool_call_id=i) for i, _, _, o in calls]
            for message in [ai, *results]:
                out.append(dumped(form, message))
    return out


def dumped(form, message):
    import langchain_core.messages as lc
    from langchain_core.load import dumpd
    if form == "langchain":
        return lc.message_to_dict(message)
    return dumpd(message) if form == "langchain_lc" else json.loads(message.model_dump_json())


def said(form, role, text):
    if form.startswith("langchain"):
        import langchain_core.messages as lc
        return dumped(form, (lc.HumanMessage if role == "user" else lc.AIMessage)(content=text))
    if form == "gemini":
        return {"role": "user" if role == "user" else "model", "parts": [{"text": text}]}
    if form == "bedrock_converse":
        return {"role": role, "content": [{"text": text}]}
    if form == "mcp_sampling":
        return {"role": role, "content": {"type": "text", "text": text}}
    if form == "openai_responses":
        if role == "assistant":
            return {"type": "message", "id": "msg_1", "status": "completed", "role": role, "content": [{"type": "output_text", "text": text, "annotations": []}]}
        return {"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]}
    if form == "vercel_ui":
        return {"id": "m", "role": role, "parts": [{"type": "text", "text": text}]}
    if form in ("anthropic_messages", "vercel_model"):
        return {"role": role, "content": [{"type": "text", "text": text}]}
    return {"role": role, "content": text}


def check_types(form, kept):
    """Raises where the vendor's library refuses the messages."""
    from pydantic import TypeAdapter
    if form == "anthropic_messages":
        from anthropic.types import MessageParam
        TypeAdapter(list[MessageParam]).validate_python(kept)
    elif form == "openai_chat":
        from openai.types.chat import ChatCompletionMessageParam
        TypeAdapter(list[ChatCompletionMessageParam]).validate_python(kept)
    elif form == "openai_responses":
        from openai.types.responses import ResponseInputItemParam
        TypeAdapter(list[ResponseInputItemParam]).validate_python(kept)
    elif form == "mcp_sampling":
        from mcp.types import SamplingMessage
        TypeAdapter(list[SamplingMessage]).validate_python(kept)
    elif form == "bedrock_converse":
        import botocore.session
        from botocore.validate import ParamValidator
        model = botocore.session.get_session().get_service_model("bedrock-runtime")
        shape = model.operation_model("Converse").input_shape
        report = ParamValidator().validate({"modelId": "m", "messages": kept}, shape)
        assert not report.has_errors(), report.generate_report()
    elif form == "gemini":
        from google.genai import types
        for content in kept:
            types.Content.model_validate(content)
    elif form == "mistral":
        from mistral_common.protocol.instruct.request import ChatCompletionRequest
        from mistral_common.protocol.instruct.validator import MistralRequestValidatorV3, ValidationMode
        request = ChatCompletionRequest(model="m", messages=kept)
        MistralRequestValidatorV3(mode=ValidationMode.serving).validate_request(request)
    elif form == "ollama":
        import ollama
        for message in kept:
            ollama.Message.model_validate(message)
    elif form == "langchain":
        from langchain_core.messages import messages_from_dict
        messages_from_dict(kept)
    elif form.startswith("langchain"):
        from langchain_core.messages import convert_to_messages
        convert_to_messages(kept)


NODE = """
import { modelMessageSchema, validateUIMessages, convertToModelMessages } from 'ai';
import { createInterface } from 'node:readline';
for await (const line of createInterface({ input: process.stdin })) {
  const { form, kept } = JSON.parse(line);
  try {
    if (form === 'vercel_model') kept.forEach(message => modelMessageSchema.parse(message));
    else await convertToModelMessages(await validateUIMessages({ messages: kept }));
    console.log('ok');
  } catch (error) { console.log(String(error).replaceAll('\\n', ' ').slice(0, 300)); }
}
"""


def events(form, kept):
    for message in kept:
        fields = message.get("data") or message.get("kwargs") or message
        role = message.get("role") or fields.get("type") or (message.get("id") or [""])[-1]
        found = False
        for call in fields.get("tool_calls") or []:
            yield ("call", call.get("id") or call["function"]["name"]); found = True
        if fields.get("tool_call_id") or fields.get("tool_name"):
            yield ("result", fields.get("tool_call_id") or fields.get("tool_name")); found = True
        if message.get("type") in ("function_call", "function_call_output"):
            yield ("call" if message["type"] == "function_call" else "result", message["call_id"]); found = True
        content = message.get("content") if isinstance(message.get("content"), list) else message.get("parts") or []
        for block in content:
            kind = block.get("type", "")
            if kind in ("tool_use", "tool-call"):
                yield ("call", block.get("id") or block.get("toolCallId")); found = True
            elif kind in ("tool_result", "tool-result"):
                yield ("result", block.get("tool_use_id") or block.get("toolUseId") or block.get("toolCallId")); found = True
            for name, what, key in (("toolUse", "call", "toolUseId"), ("toolResult", "result", "toolUseId"),
                                    ("functionCall", "call", "name"), ("functionResponse", "result", "name")):
                if name in block:
                    yield (what, block[name][key]); found = True
        if not found:
            yield ("user" if role in ("user", "human", "HumanMessage") else "model", "")


def check_order(form, kept):
    """As the vendors document it: whole pairs, results directly after their step, the user first, roles in turns."""
    seen = list(events(form, kept))
    open_calls, in_results = [], False
    for kind, name in seen:
        if kind == "call":
            assert not (in_results and open_calls), "a step before the results of the last"
            open_calls.append(name); in_results = False
        elif kind == "result":
            assert name in open_calls, f"result {name} without its call"
            open_calls.remove(name); in_results = True
        else:
            assert not open_calls, "words before the results"
            in_results = False
    assert not open_calls, f"no results for {open_calls}"
    if form not in ("openai_chat", "openai_responses"):
        assert seen[0][0] == "user", f"begins with {seen[0]}"
    if form in ("anthropic_messages", "bedrock_converse", "gemini", "mcp_sampling"):
        roles = [message["role"] for message in kept]
        assert all(one != other for one, other in zip(roles, roles[1:])), "two of one role in a row"
    kinds = [message.get("type") for message in kept]
    assert all(after == "function_call" for kind, after in zip(kinds, kinds[1:] + [None]) if kind == "reasoning"), "reasoning alone"


def body(form, messages, rng):
    """The list alone, or as a request has it."""
    if form == "gemini":
        return rng.choice([messages, {"contents": messages, "systemInstruction": {"parts": [{"text": "Be brief."}]}}])
    if form == "bedrock_converse":
        return rng.choice([messages, {"modelId": "m", "system": [{"text": "Be brief."}], "messages": messages}])
    if form == "anthropic_messages":
        return rng.choice([messages, {"model": "claude-sonnet-4-5", "messages": messages}])
    if form == "openai_responses":
        return rng.choice([messages, {"model": "gpt-5", "input": messages}])
    if form == "mistral":
        return {"model": "mistral-large-latest", "messages": messages}
    if form == "ollama":
        return {"model": "llama3.2:3b", "messages": messages}
    return rng.choice([messages, {"messages": messages}])


def main():
    forms = ["anthropic_messages", "openai_chat", "openai_responses", "mcp_sampling", "bedrock_converse", "gemini", "mistral",
             "ollama", "vercel_model", "vercel_ui", "langchain", "langchain_lc", "langchain_flat"]
    node = subprocess.Popen(["node", "--input-type=module", "-e", NODE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=sys.prefix)
    wrong = 0
    for form in forms:
        rng = random.Random(f"{SEED} {form}")
        tried = valid = refused = 0
        for _ in range(CONVERSATIONS):
            turns = conversation(rng)
            given = body(form, written(form, turns), rng)
            # Without a call, the AI SDK's messages are those of every vendor.
            is_plain = form == "vercel_model" and not any(turn[0] == "step" for turn in turns)
            for budget in BUDGETS:
                for more in rng.sample([[], ["--oversize", "cut"]], 1):
                    tried += 1
                    command = [SERVER, "history", "truncate", "-", "--json", "--max-tokens", str(budget), *more]
                    run = subprocess.run(command, input=json.dumps(given), capture_output=True, text=True)
                    if run.returncode:
                        refused += 1
                        assert run.returncode == 2 and "messages[" in run.stderr and "is among the newest" in run.stderr or "even after cutting" in run.stderr, run.stderr
                        continue
                    answer = json.loads(run.stdout)
                    kept = answer["history"]
                    if isinstance(kept, dict):
                        kept = next(kept[name] for name in ("messages", "contents", "input") if name in kept)
                    try:
                        found = answer["record"]["form"]
                        assert is_plain or found == ("langchain" if form.startswith("langchain") else form), found
                        assert answer["record"]["tokens_after"] <= budget
                        check_order(form, kept)
                        if form.startswith("vercel"):
                            node.stdin.write(json.dumps({"form": form, "kept": kept}) + "\n")
                            node.stdin.flush()
                            said_by = node.stdout.readline().strip()
                            assert said_by == "ok", said_by
                        else:
                            check_types(form, kept)
                        valid += 1
                    except Exception as problem:  # noqa: BLE001
                        wrong += 1
                        print(f"{form} at {budget} {more}: {type(problem).__name__} {str(problem)[:400]}")
        print(f"{form}: {tried} cuts, {valid} valid, {refused} refused by name, {tried - valid - refused} wrong")
    node.stdin.close()
    sys.exit(1 if wrong else 0)


main()
