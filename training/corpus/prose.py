#!/usr/bin/env python3
"""Prose to learn from, out of Debian's packages of games and dictionaries: nothing here is stored in the repository.

  prose.py OUT      writes OUT/prose.jsonl (packages are kept in OUT/x)

Stories address the reader, forbid, warn, and speak of what failed or cannot be found, as failure pages do, in dozens of languages and
in sentences of all lengths; dictionaries of computing explain the words of such pages. Catalogues of a game's own interface are left
out: those do report failures.
"""
import glob, gettext, gzip, json, os, random, re, subprocess, sys

OUT = os.path.abspath(sys.argv[1])
CAMPAIGNS = "did dm dw ei httt l low nr sof sota sotbe thot trow tsg ttb utbs".split()
PACKAGES = [f"wesnoth-1.16-{name}" for name in ["data", *CAMPAIGNS]] + ["widelands-data", "crawl-common", "endless-sky-data"]
DICTIONARIES = "jargon foldoc devil wn".split()
# by the beginning of their names: catalogues that tell a story or explain the game
STORIES = ["wesnoth-" + name for name in [*CAMPAIGNS, "tutorial", "help", "units"]] + ["scenario_", "mp_scenario_", "map_", "texts", "tribes_encyclopedia"]
# texts of a language in stories, and of English, which all catalogues have; paragraphs of a dictionary
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
        if lang == "en":  # in another alphabet, or as the original
            continue
        try:
            with open(path, "rb") as file:
                said = gettext.GNUTranslations(file)._catalog
        except ValueError:  # a catalogue that nobody has begun
            continue
        for original, translated in said.items():
            if isinstance(original, str) and original and isinstance(translated, str):
                # "female^Good day": what stands before the sign is for the translator
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
            said = file.read()[20_000:]  # behind the preface
        # one sense an entry of WordNet, whose marks and synonyms are not prose
        pattern = r"(?s)\n    (?:\w+ )?\d+: (.*?)(?=\[|\n    \d+:|\n\S)" if name == "wn" else r"(?s)\n\s*\n[ \t]*(.+?)(?=\n\s*\n)"
        for text in rng.sample(found := re.findall(pattern, said), min(MOST_ENTRIES, len(found))):
            text = clean(re.sub(r"[{}]", "", text)).strip(" ;")
            if 20 < len(text) < 900 and "http" not in text:
                yield {"src": "dictionaries", "lang": "en", "group": text[:40], "text": piece(text, rng)}


def piece(text, rng):
    """Half of the texts as they are, half as one or two sentences out of them."""
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
