#!/usr/bin/env python3
"""Collects training prose from Debian's packages of games and dictionaries. None of it is stored in the repository.

  prose.py OUT      writes OUT/prose.jsonl (packages are kept in OUT/x)

Like failure pages, stories address the reader, forbid, warn, and mention things that failed or cannot be found, in dozens of languages
and in sentences of all lengths. Dictionaries of computing explain the words of such pages. Message catalogues of a game's own user
interface are omitted, because they do report failures.
"""
import glob, gettext, gzip, json, os, random, re, subprocess, sys

OUT = os.path.abspath(sys.argv[1])
CAMPAIGNS = "did dm dw ei httt l low nr sof sota sotbe thot trow tsg ttb utbs".split()
PACKAGES = [f"wesnoth-1.16-{name}" for name in ["data", *CAMPAIGNS]] + ["widelands-data", "crawl-common", "endless-sky-data"]
DICTIONARIES = "jargon foldoc devil wn".split()
# name prefixes of catalogues that tell a story or explain the game
STORIES = ["wesnoth-" + name for name in [*CAMPAIGNS, "tutorial", "help", "units"]] + ["scenario_", "mp_scenario_", "map_", "texts", "tribes_encyclopedia"]
# maximum story texts per language, maximum for English (which all catalogues have), and maximum paragraphs per dictionary
MOST, MOST_ENGLISH, MOST_ENTRIES = 1200, 24000, 6000


def fetch():
    for package in PACKAGES + [f"dict-{name}" for name in DICTIONARIES]:
        folder = f"{OUT}/x/{package}"
        if not os.path.isdir(folder):
            os.makedirs(folder)
            subprocess.run(["apt-get", "download", "-qq", package], cwd=folder, check=True)
            for deb in glob.glob(f"{folder}/*.deb"):
                subprocess.run(["dpkg-deb", "-x", deb, folder], check=True)
                os.remove(deb)


def clean(text):
    text = re.sub(r"<[^<>]*>|\$\w+|\|", " ", text)
    return re.sub(r"\s+", " ", text).strip()


def catalogues():
    for path in sorted(glob.glob(f"{OUT}/x/*/**/LC_MESSAGES/*.mo", recursive=True)):
        name = os.path.basename(path)
        if not name.startswith(tuple(STORIES)):
            continue
        lang = path.split("/")[-3].split("@")[0].split("_")[0]
        if lang == "en":  # another alphabet, or a copy of the original
            continue
        try:
            with open(path, "rb") as file:
                said = gettext.GNUTranslations(file)._catalog
        except ValueError:  # an empty catalogue
            continue
        for original, translated in said.items():
            if isinstance(original, str) and original and isinstance(translated, str):
                # "female^Good day": the part before the caret is a note for translators
                original = original.rsplit("^", 1)[-1].split("\x04")[-1]
                yield lang, original, translated
                yield "en", original, original


def plain():
    for path in sorted(glob.glob(f"{OUT}/x/crawl-common/usr/share/crawl/dat/d*/**/*.txt", recursive=True)):
        folder = os.path.basename(os.path.dirname(path))
        lang = folder if len(folder) == 2 else "en"
        for entry in open(path, encoding="utf-8", errors="replace").read().split("%%%%"):
            lines = "\n".join(line for line in entry.strip().splitlines()[1:] if not line.startswith(("#", "{{", ":")))
            for paragraph in re.split(r"\n\s*\n", lines):
                if not re.search(r"@\w+@|[{}\\_]|^VISUAL|^SOUND", paragraph):
                    yield lang, paragraph, paragraph
    for path in sorted(glob.glob(f"{OUT}/x/endless-sky-data/usr/share/games/endless-sky/data/**/*.txt", recursive=True)):
        for said in re.findall(r"`([^`<>]+)`", open(path, encoding="utf-8", errors="replace").read()):
            yield "en", said, said


def dictionaries(rng):
    for name in DICTIONARIES:
        with gzip.open(f"{OUT}/x/dict-{name}/usr/share/dictd/{name}.dict.dz", "rt", encoding="utf-8", errors="replace") as file:
            said = file.read()[20_000:]  # after the preface
        # one sense per WordNet entry, without markers and synonyms, which are not prose
        pattern = r"(?s)\n    (?:\w+ )?\d+: (.*?)(?=\[|\n    \d+:|\n\S)" if name == "wn" else r"(?s)\n\s*\n[ \t]*(.+?)(?=\n\s*\n)"
        for text in rng.sample(found := re.findall(pattern, said), min(MOST_ENTRIES, len(found))):
            text = clean(re.sub(r"[{}]", "", text)).strip(" ;")
            if 20 < len(text) < 900 and "http" not in text:
                yield {"src": "dictionaries", "lang": "en", "group": text[:40], "text": piece(text, rng)}


def piece(text, rng):
    """Half of the texts unchanged, half reduced to one or two of their sentences."""
    sentences = re.split(r"(?<=[.!?…。！？]) ?", text)
    at = rng.randrange(len(sentences))
    return text[:900] if rng.random() < 0.5 else " ".join(sentences[at : at + rng.choice([1, 1, 2])]).strip()


def stories(rng):
    texts, seen = {}, set()
    for lang, original, text in [*catalogues(), *plain()]:
        text = clean(text)
        if len(text) > 12 and (lang, text) not in seen:
            seen.add((lang, text))
            texts.setdefault(lang, []).append((original, text))
    for lang, said in sorted(texts.items()):
        for original, text in rng.sample(said, min(MOST_ENGLISH if lang == "en" else MOST, len(said))):
            yield {"src": "tales", "lang": lang, "group": original[:40], "text": piece(text, rng)}


def main():
    fetch()
    rng = random.Random(29)
    with open(f"{OUT}/prose.jsonl", "w", encoding="utf-8") as out:
        for line in [*stories(rng), *dictionaries(rng)]:
            if len(line["text"]) > 8:
                out.write(json.dumps({"label": "genuine", **line}, ensure_ascii=False) + "\n")


main()
