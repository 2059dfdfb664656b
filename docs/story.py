"""Makes the animated picture at the top of the README from the frames of a real run.

`make images` takes the frames (`ui-tests/tests/story.spec.ts`). A file's name has its number and
its duration in milliseconds.
"""

from __future__ import annotations

from pathlib import Path

from PIL import Image

ROOT = Path(__file__).parents[1]
FRAMES = ROOT / ".make" / "story"
PICTURE = ROOT / "docs" / "images" / "story.webp"
MOST_BYTES = 3_000_000


def main() -> None:
    """Write the picture, and say how large it is."""
    files = sorted(FRAMES.glob("*.png"))
    if not files:
        raise SystemExit(f"There are no frames in {FRAMES}: make images.")
    first, *others = [Image.open(file).convert("RGB") for file in files]
    first.save(
        PICTURE,
        save_all=True,
        append_images=others,
        duration=[int(file.stem.partition("-")[2]) for file in files],
        loop=0,
        quality=70,
        method=6,
    )
    size = PICTURE.stat().st_size
    if size > MOST_BYTES:
        raise SystemExit(f"{PICTURE} has {size:,} bytes, more than {MOST_BYTES:,}.")
    print(f"{PICTURE.relative_to(ROOT)}: {len(files)} frames, {size:,} bytes")


if __name__ == "__main__":
    main()
