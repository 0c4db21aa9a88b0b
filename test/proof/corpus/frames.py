"""Prints for each image file its name and a digest of every frame's pixels, and their times, as Pillow decodes them."""
import hashlib
import sys
import warnings

from PIL import Image, ImageSequence

warnings.simplefilter("ignore")
for path in sys.stdin.read().splitlines():
    digest = hashlib.sha256()
    try:
        with Image.open(path) as image:
            # Of a JPEG Pillow takes the images behind the main one for frames.
            is_one = image.format in ("JPEG", "MPO")
            for frame in [image] if is_one else ImageSequence.Iterator(image):
                digest.update(f"{frame.size} {frame.info.get('duration')} {frame.info.get('loop')}".encode())
                digest.update(frame.convert("RGBA").tobytes())
    except Exception as error:
        print(f"{path}\tunreadable {type(error).__name__}")
        continue
    print(f"{path}\t{digest.hexdigest()}")
