"""Pictures of the pages at a size that a repository can hold: cut to their width, 40 colours from a palette, and packed well.
Without Pillow they stay as the browser wrote them."""

import os

COLOURS = 40


def shrink(path, width):
    try:
        from PIL import Image
    except ImportError:
        return
    with Image.open(path) as picture:
        cut = picture.convert("RGB").crop((0, 0, width, picture.height))
    small = cut.quantize(COLOURS, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    small.save(path, optimize=True, compress_level=9)
    if os.path.getsize(path) > 60_000:
        print(f"timeline: {path} is {os.path.getsize(path)} bytes")
