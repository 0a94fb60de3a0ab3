"""Style sheets, scripts and pictures. A package keeps them in a folder `static`, and serves them at `/static/`.

Each file has two addresses. The one with a hash of the content in its name is for pages: browsers keep it forever,
because a changed file has another address. The plain one is for files that name each other: browsers keep it too, and
ask each time whether it has changed. Browsers that take gzip get it: the files are packed once, when they are read.
"""

import gzip
from collections.abc import Iterator
from functools import cached_property
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import PurePosixPath

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

FOLDER = "static"
MEDIA_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
"""Files of other types are not served."""
KEEP_FOREVER = "public, max-age=31536000, immutable"
ASK_EACH_TIME = "no-cache"
DIGEST_LENGTH = 12
"""Characters of a digest in the name of a file: enough to tell its versions apart, and the page has many names."""


class StaticFile(msgspec.Struct, frozen=True):
    """A file, with its name below the folder."""

    name: PurePosixPath
    body: bytes
    packed: bytes
    digest: str

    @property
    def hashed_name(self) -> str:
        return str(self.name.with_stem(f"{self.name.stem}-{self.digest}"))


class StaticFiles:
    """The static files of a package, or of several as if they were in one folder. They are read once, when needed."""

    def __init__(self, *packages: str) -> None:
        self.packages = packages

    @cached_property
    def _files(self) -> dict[str, StaticFile]:
        folders = [files(package) / FOLDER for package in self.packages]
        found = [file for folder in folders for file in _read_files(folder, PurePosixPath())]
        by_name = {str(file.name): file for file in found}
        assert len(by_name) == len(found), f"Two of the packages {self.packages} have a file of the same name."
        return by_name

    @cached_property
    def _addresses(self) -> dict[str, tuple[StaticFile, str]]:
        """Each file at both of its addresses, with how long browsers may keep it."""
        plain = {name: (file, ASK_EACH_TIME) for name, file in self._files.items()}
        hashed = {file.hashed_name: (file, KEEP_FOREVER) for file in self._files.values()}
        return plain | hashed

    def names(self) -> list[str]:
        """The names of all files, below the folder."""
        return list(self._files)

    def url(self, name: str) -> str:
        """The address of a file, relative to the root of the site."""
        return f"{FOLDER}/{self._files[name].hashed_name}"

    def text(self, name: str) -> str:
        """The content of a file, for a page that must not need other files."""
        return self._files[name].body.decode()

    def route(self) -> Route:
        return Route(f"/{FOLDER}/{{name:path}}", self._respond)

    async def _respond(self, request: Request) -> Response:
        found = self._addresses.get(request.path_params["name"])
        if found is None:
            return Response("Not found", status_code=404, media_type="text/plain")
        file, caching = found
        is_packed = _takes_gzip(request.headers.get("Accept-Encoding", ""))
        tag = f'"{file.digest}-gzip"' if is_packed else f'"{file.digest}"'
        headers = {
            "ETag": tag,
            "Cache-Control": caching,
            "Vary": "Accept-Encoding",
            "X-Content-Type-Options": "nosniff",
        }
        if _is_known(tag, request.headers.get("If-None-Match", "")):
            return Response(status_code=304, headers=headers)
        if is_packed:
            headers["Content-Encoding"] = "gzip"
        body = file.packed if is_packed else file.body
        return Response(body, media_type=MEDIA_TYPES[file.name.suffix], headers=headers)


def _read_files(folder: Traversable, above: PurePosixPath) -> Iterator[StaticFile]:
    for each in folder.iterdir():
        name = above / each.name
        if each.is_dir():
            yield from _read_files(each, name)
        elif name.suffix in MEDIA_TYPES:
            body = each.read_bytes()
            yield StaticFile(name, body, gzip.compress(body, mtime=0), sha256(body).hexdigest()[:DIGEST_LENGTH])


def _is_known(tag: str, if_none_match: str) -> bool:
    """Whether the caller has this very content already."""
    tags = (each.strip().removeprefix("W/") for each in if_none_match.split(","))
    return any(each in ("*", tag) for each in tags)


def _takes_gzip(accept_encoding: str) -> bool:
    """Whether the caller takes gzip; one that gives it a weight of zero does not."""
    for each in accept_encoding.split(","):
        coding, _, weight = each.partition(";")
        if coding.strip().lower() == "gzip":
            return weight.strip().replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False
