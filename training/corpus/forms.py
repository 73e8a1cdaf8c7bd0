#!/usr/bin/env python3
"""Embeds program messages in the forms that a retrieval returns. None of it is stored in the repository.

  forms.py OUT FILE...      reads files of messages ({"label", "src", "lang", "text", "english"}), writes OUT/messages.jsonl and OUT/forms.jsonl

messages.jsonl contains the messages with the labels of labels.py, and with the class "read" if a reader assigned the label.
Messages that neither a reader nor the rule can label are omitted. forms.jsonl contains pages made of two to six messages of one
program in one language: a title and a sentence, a box on a page, a page with surrounding content. The same forms also contain
messages that are not failures, so that the form alone carries no information.
"""
import collections, html, json, random, sys

from labels import key_of, label, readings

# fraction of a program's messages in one language that is embedded in forms, and their maximum number
SHARE, MOST = 0.35, 160
SERVERS = ["Server: cache.example.net", "example.org", "records.example.org 10:42", "Ref 4c1e8a90b7", "support@example.org", "© Example 2024", "v2.4.1"]
CODES = ["400", "401", "403", "404", "408", "410", "429", "500", "502", "503", "504"]


def page(title, paragraphs, rng, menu):
    """An HTML page with a title and paragraphs; `menu` is placed before or after them."""
    said = lambda text: html.escape(text) if rng.random() < 0.7 else text
    body = "".join(f"<p>{said(paragraph)}</p>\n" for paragraph in paragraphs)
    head = said(title)
    items = "".join(f"<li><a href=\"/{n}\">{said(item)}</a></li>" for n, item in enumerate(menu))
    menus = f"<ul>{items}</ul>\n" if items else ""
    foot = rng.choice(["", "", f"<hr>\n<address>{rng.choice(SERVERS)}</address>\n", f"<div id=\"footer\">{rng.choice(SERVERS)}</div>"])
    shape = rng.randrange(5)
    if shape == 0:
        return f"<html><head><title>{head}</title></head>\n<body>\n<h1>{head}</h1>\n{body}{foot}</body></html>"
    if shape == 1:
        return f"<!DOCTYPE html>\n<html lang=\"x\">\n<head>\n<meta charset=\"utf-8\">\n<title>{head}</title>\n<style>body {{ margin: 2em }}</style>\n</head>\n<body>\n{menus}<div class=\"box\"><h2>{head}</h2>\n{body}</div>\n{foot}</body>\n</html>"
    if shape == 2:
        return f"<div class=\"notice\"><strong>{head}</strong> {said(paragraphs[0]) if paragraphs else ''}</div>"
    if shape == 3:
        return f"<html><head><title>{head} - example.org</title></head><body>{menus}<table><tr><td>{head}</td></tr><tr><td>{body}</td></tr></table>{foot}</body></html>"
    return f"<body><h1>{head}</h1>\n{body}\n{menus}{foot}</body>"


def plain(title, paragraphs, rng, menu):
    shape = rng.randrange(5)
    if shape == 0:
        return "\n\n".join([title, *paragraphs])
    if shape == 1:
        return "\n".join([title, *paragraphs])
    if shape == 2:
        return " ".join([title.rstrip(".") + rng.choice([".", ":", " -"]), *paragraphs])
    if shape == 3:
        return "\n".join([*menu, title, *paragraphs]) if len(menu) < 4 else "\n".join([title, *paragraphs, *menu])
    return "\n\n".join([title, *paragraphs, rng.choice(SERVERS)])


def forms(src, lang, failures, content, rng):
    lengthy = lambda texts: [text for text in texts if 15 < len(text) < 400]
    titles = [text for text in failures if len(text) < 70]
    bodies, neutral = lengthy(failures), lengthy(content)
    menus = [text for text in content if len(text) < 30]
    pick = lambda texts, most: rng.sample(texts, min(len(texts), rng.randrange(most + 1)))
    for n in range(min(MOST, int(len(failures) * SHARE))):
        title = rng.choice(titles or bodies or failures)
        if rng.random() < 0.12:
            title = f"{rng.choice(CODES)} {title}" if rng.random() < 0.7 else f"{title} ({rng.choice(CODES)})"
        paragraphs = [rng.choice(bodies)] * (rng.random() < 0.6) + pick(neutral, 2) if bodies else pick(neutral, 1)
        make = page if rng.random() < 0.45 else plain
        yield "failure", make(title, list(dict.fromkeys(paragraphs)), rng, pick(menus, 5) if rng.random() < 0.3 else [])
    for n in range(min(MOST, int(len(content) * SHARE))):
        make = page if rng.random() < 0.45 else plain
        title = rng.choice(content)
        if rng.random() < 0.06:
            title = f"{rng.choice(CODES)} {title}"
        yield "genuine", make(title, pick(neutral, 4), rng, pick(menus, 5) if rng.random() < 0.3 else [])


def main():
    out, files = sys.argv[1], sys.argv[2:]
    rng, count, seen = random.Random(23), collections.Counter(), set()
    read = readings()
    groups = collections.defaultdict(lambda: {"failure": [], "genuine": []})
    with open(f"{out}/messages.jsonl", "w", encoding="utf-8") as kept:
        for whole, line in (("strings" in file, json.loads(line)) for file in files for line in open(file, encoding="utf-8")):
            # combined texts have no English original
            made = line["src"] in ("firefox-more", "chromium") and "\n\n" in line["text"]
            # some originals have lost their punctuation; that of the translation serves instead
            line["label"] = line["label"] if made else label(line["english"], line["text"])
            reading = None if made else read.get(key_of(line["english"]))
            if reading:
                line["label"], line["class"] = {"F": "failure", "C": "genuine", "U": None}[reading], "read"
            if line["label"] is None:
                continue
            # A part of the translations suffices: half if the original was labelled by a reader, a third of the content from real-texts.py.
            share = 0.5 if reading else 0.33 if whole and line["label"] == "genuine" else 1
            translated = [line] if line["lang"] == "en" or rng.random() < share else []
            for said in translated + [{**line, "lang": "en", "text": line["english"]}] * whole:
                key = (said["lang"], said["text"])
                if key in seen:
                    continue
                seen.add(key)
                count[said["label"]] += 1
                kept.write(json.dumps(said, ensure_ascii=False) + "\n")
                if not made:
                    groups[said["src"], said["lang"]][said["label"]].append(said["text"])
    with open(f"{out}/forms.jsonl", "w", encoding="utf-8") as kept:
        for (src, lang), texts in sorted(groups.items()):
            for said, text in forms(src, lang, texts["failure"], texts["genuine"], rng):
                count["form", said] += 1
                kept.write(json.dumps({"label": said, "src": src, "lang": lang, "group": text[:40], "text": text}, ensure_ascii=False) + "\n")
    print(dict(count))


main()
