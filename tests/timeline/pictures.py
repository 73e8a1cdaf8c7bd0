"""Pictures of the pages at a size that a repository can hold: cut to their width, and in the colours of the page's own style,
which a general palette would bend. Without Pillow they stay as the browser wrote them."""

import os
import re

TIMELINE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "crates", "mcp", "src", "timeline")


def source(name):
    with open(os.path.join(TIMELINE, name), encoding="utf-8") as text:
        return text.read()


def mix(one, other, share):
    return tuple(round(a + (b - a) * share) for a, b in zip(one, other))


def palette(dark):
    """The colours of the style, light or dark, and what lies between them and the ground in letters and lines."""
    blocks = re.findall(r":root(?:\[data-theme=\"dark\"\])? \{(.*?)\}", source("page.css"), re.S)
    named = dict(re.findall(r"--([a-z-]+): #([0-9a-f]{6})", blocks[-1] if dark else blocks[0]))
    style = {name: tuple(int(value[at:at + 2], 16) for at in (0, 2, 4)) for name, value in named.items()}
    stops = [tuple(map(int, found)) for found in re.findall(r"\[\d+, \[(\d+), (\d+), (\d+)\]\]", source("draw.js"))]
    scale = [mix(*pair, share / 4) for pair in zip(stops, stops[1:]) for share in range(5)]
    colours = list(style.values()) + scale + [(255, 255, 255), (0, 0, 0), (120, 128, 140)]
    colours += [mix(style["lane"], one, 0.17) for one in scale]
    for name in ("ink", "quiet", "link", "edge"):
        colours += [mix(style["ground"], style[name], share / 5) for share in range(1, 5)]
    for name in ("good", "bad", "warn", "accent"):
        colours += [mix(style["ground"], style[name], share / 3) for share in (1, 2)]
    return list(dict.fromkeys(colours))[:256]


def shrink(path, width):
    try:
        from PIL import Image
    except ImportError:
        return
    with Image.open(path) as picture:
        cut = picture.convert("RGB").crop((0, 0, width, picture.height))
    colours = palette(dark=sum(cut.getpixel((2, 2))) < 200)
    table = Image.new("P", (1, 1))
    table.putpalette([part for colour in colours for part in colour])
    cut.quantize(palette=table, dither=Image.Dither.NONE).save(path, optimize=True, compress_level=9)
    if os.path.getsize(path) > 60_000:
        print(f"timeline: {path} is {os.path.getsize(path)} bytes")
