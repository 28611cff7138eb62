"""The area `media`: pictures, and videos and audio if FFmpeg is installed."""
import pathlib
import shutil
import subprocess
import tempfile
import time

PICTURE = pathlib.Path("crates/http/assets/avatar.png").read_bytes()
# Files that ffmpeg generates from its own sources, by file name.
PLAYED = {"film.webm": "testsrc=size=64x48:rate=5:duration=1", "sound.ogg": "sine=duration=1"}
PATIENCE = 60


def ask(people):
    lena = people.person("lena")
    pictures(people, lena)
    if shutil.which("ffmpeg"):
        for name, source in PLAYED.items():
            played(lena, name, source)


def pictures(people, lena):
    file = {"file": ("nest.png", PICTURE, "image/png")}
    for version in ("v1", "v2"):
        picture = lena.upload("POST", f"/api/{version}/media", file, description="A nest", focus="0.1,-0.5")
        path = f"/api/v1/media/{picture['id']}"
        lena.get(path)
        lena.put(path, description="A nest in the hedge", focus="0,0.5")
        status = lena.post("/api/v1/statuses", status="Look", media_ids=[picture["id"]])
        people.ask("GET", f"/api/v1/statuses/{status['id']}")
        people.ask("GET", f"/api/v1/statuses/{status['id']}/history")
        lena.delete(f"/api/v1/statuses/{status['id']}")
    unwanted = lena.upload("POST", "/api/v2/media", file)
    lena.delete(f"/api/v1/media/{unwanted['id']}")


def played(lena, name, source):
    waiting = lena.upload("POST", "/api/v2/media", {"file": (name, made(name, source))})
    path = f"/api/v1/media/{waiting['id']}"
    until = time.monotonic() + PATIENCE
    while lena.get(path)["url"] is None and time.monotonic() < until:
        time.sleep(0.1)
    lena.post("/api/v1/statuses", status="Listen", media_ids=[waiting["id"]])


def made(name, source):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, name)
        command = ["ffmpeg", "-nostdin", "-loglevel", "error", "-f", "lavfi", "-i", source, str(path)]
        subprocess.run(command, check=True)
        return path.read_bytes()
