"""Reads every export with libraries that are not ours: read.py FOLDER SCHEMAS

FOLDER is what `cargo xtask records FOLDER` wrote, SCHEMAS is schemas/agent-context. A warning of a library is an error.
Every record is valid by its schema, every reference resolves, every hash is that of the text, CloudEvents and PROV-JSON
are read and written back, and no secret of a known form is anywhere.
"""

import hashlib
import json
import pathlib
import re
import sys
import warnings

warnings.simplefilter("error")

import jsonschema  # noqa: E402
from cloudevents.core.formats.json import JSONFormat  # noqa: E402
from prov.model import ProvDocument  # noqa: E402

FOLDER, SCHEMAS = map(pathlib.Path, sys.argv[1:3])
ID = re.compile(r"^(ctx|srf|sel|bud|win|asm|inj|cmp|sum|evt)_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$|^(itm|src|mis)_[0-9a-f]{32}$")
LEADING_OUT = {"actor_refs", "runtime_refs", "policy_refs", "evidence_refs", "telemetry_refs", "provenance_refs",
               "external_mappings", "metadata", "call"}
SECRET = re.compile(r"ghp_\w{30,}|AKIA[A-Z2-7]{16}|sk_live_\w{10,}|-----BEGIN [A-Z ]*PRIVATE KEY|\b[\w.+-]+@[\w-]+\.[a-z]{2,}\b")

schemas = {path.stem: json.loads(path.read_text()) for path in SCHEMAS.glob("*.json")}
for schema in schemas.values():
    jsonschema.Draft202012Validator.check_schema(schema)
validators = {name: jsonschema.Draft202012Validator(schema) for name, schema in schemas.items()}
wrong, counts = [], {"calls": 0, "records": 0, "references": 0, "events": 0, "statements": 0}


def references(value, field=""):
    if isinstance(value, str) and ID.match(value):
        yield value
    elif isinstance(value, list):
        for entry in value:
            yield from references(entry, field)
    elif isinstance(value, dict):
        for name, entry in value.items():
            if name not in LEADING_OUT:
                yield from references(entry, name)


def records(bundle):
    for kind, found in bundle.items():
        for record in found if isinstance(found, list) else [found]:
            yield kind, record


def own_id(kind, record):
    return record["missing_id" if kind == "missing_context" else kind.removeprefix("context_").replace(
        "source_ref", "source").replace("envelope", "context") + "_id"]


for file in sorted(FOLDER.glob("*.json")):
    name = file.stem
    counts["calls"] += 1
    bundle = json.loads(file.read_text())
    wrong += [f"{name}: {error.json_path}: {error.message}" for error in validators["bundle"].iter_errors(bundle)]
    for kind, record in records(bundle):
        counts["records"] += 1
        wrong += [f"{name}: {kind} {error.json_path}: {error.message}" for error in validators[kind].iter_errors(record)]
    known = {own_id(kind, record) for kind, record in records(bundle)}
    for reference in references(bundle):
        counts["references"] += 1
        if reference not in known:
            wrong.append(f"{name}: dangling {reference}")
    text = (FOLDER / f"{name}.txt").read_bytes()
    for injection in bundle["context_injection"]:
        if "hash" in injection and injection["hash"] != "sha256:" + hashlib.sha256(text).hexdigest():
            wrong.append(f"{name}: another hash")

    lines = [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text().splitlines()]
    if [(line["object"], own_id(line["object"], line["record"])) for line in lines[:-1]] != [
            (kind, own_id(kind, record)) for kind, record in records(bundle)][:-1]:
        wrong.append(f"{name}: JSON Lines have other records")

    batch = json.loads((FOLDER / f"{name}.cloudevents").read_text())
    seen = set()
    for raw in batch:
        counts["events"] += 1
        event = JSONFormat().read(None, json.dumps(raw))
        if event.get_specversion() != "1.0" or (event.get_source(), event.get_id()) in seen:
            wrong.append(f"{name}: event {event.get_id()}")
        seen.add((event.get_source(), event.get_id()))
        again = json.loads(JSONFormat().write(event))
        if again["data"] != raw["data"] or again["type"] != raw["type"]:
            wrong.append(f"{name}: event {event.get_id()} is not written back")
    carried = batch[-1]["data"]["context_envelope"]["context_id"]
    if batch[-1]["type"] != "context.exported" or carried != bundle["context_envelope"]["context_id"]:
        wrong.append(f"{name}: no bundle in the last event")

    document = ProvDocument.deserialize(content=(FOLDER / f"{name}.prov").read_text(), format="json")
    counts["statements"] += len(document.get_records())
    if document != ProvDocument.deserialize(content=document.serialize(format="json"), format="json"):
        wrong.append(f"{name}: PROV is not written back")
    stated = {record.identifier.localpart for record in document.get_records() if record.identifier is not None}
    for item in bundle.get("context_item", []):
        if item["item_id"] not in stated:
            wrong.append(f"{name}: {item['item_id']} is not in PROV")

    for end in ("json", "jsonl", "cloudevents", "prov"):
        found = SECRET.search((FOLDER / f"{name}.{end}").read_text())
        if found:
            wrong.append(f"{name}.{end}: holds {found.group()[:12]}...")

if counts["calls"] < 200 or min(counts.values()) == 0:
    wrong.append(f"too little was read: {counts}")
print("\n".join(wrong[:50]))
print(", ".join(f"{count} {what}" for what, count in counts.items()) + f"; {len(wrong)} wrong")
sys.exit(bool(wrong))
