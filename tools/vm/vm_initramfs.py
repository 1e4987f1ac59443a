# SPDX-License-Identifier: GPL-2.0-only
"""The initramfs: a static busybox, init-initramfs and the few modules needed
to mount the host's root.  Cached by a hash of everything that goes into it."""

import hashlib
import os
import shutil
import stat
import tempfile
from pathlib import Path

from vm_kit import Kit
from vm_options import VmError

HERE = Path(__file__).resolve().parent
MODULES = ["virtio_pci", "virtio_console", "9pnet_virtio", "9p", "overlay"]
# Images of older kits and init scripts are removed beyond this number.
KEEP_IMAGES = 8


def cache_dir() -> Path:
    """Where kits are cached (the same rule as tools/setup/common.sh)."""
    base = os.environ.get("HYMC_CACHE")
    if base:
        return Path(base)
    home = os.environ.get("HOME") or "/root"
    return Path(os.environ.get("XDG_CACHE_HOME") or f"{home}/.cache") / "hymc"


def cpio_entry(name: str, mode: int, data: bytes, inode: int) -> bytes:
    """One member of a "newc" cpio archive, with all times and owners zero."""
    fields = [inode, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0,
              len(name) + 1, 0]
    head = b"070701" + b"".join(b"%08x" % field for field in fields)
    head += name.encode() + b"\0"
    return head + b"\0" * (-len(head) % 4) + data + b"\0" * (-len(data) % 4)


def cpio_archive(members: list[tuple[str, int, bytes]]) -> bytes:
    """A whole archive of (name, mode, content)."""
    entries = [cpio_entry(name, mode, data, inode)
               for inode, (name, mode, data) in enumerate(members, 1)]
    return b"".join(entries) + cpio_entry("TRAILER!!!", 0, b"", 0)


def _busybox() -> bytes:
    path = shutil.which("busybox", path="/bin:/usr/bin")
    if not path:
        raise VmError("busybox is missing; run tools/setup/setup.sh vm")
    data = Path(path).read_bytes()
    # PT_INTERP names the dynamic loader, which the initramfs does not have.
    if b"/lib64/ld-linux" in data[:4096]:
        raise VmError(f"{path} is not the static busybox; "
                      "install the package busybox-static")
    return data


def _members(kit: Kit) -> list[tuple[str, int, bytes]]:
    directory, program = stat.S_IFDIR | 0o755, stat.S_IFREG | 0o755
    members = [(name, directory, b"") for name in ("bin", "modules")]
    members.append(("bin/busybox", program, _busybox()))
    members.append(("init", program, (HERE / "init-initramfs").read_bytes()))
    for number, path in enumerate(kit.load_order(MODULES)):
        members.append((f"modules/{number:02}-{path.name}",
                        stat.S_IFREG | 0o644, path.read_bytes()))
    return members


def _forget_old(directory: Path) -> None:
    images = sorted(directory.glob("*.cpio"), key=lambda p: p.stat().st_mtime)
    for image in images[:-KEEP_IMAGES]:
        image.unlink(missing_ok=True)


def initramfs(kit: Kit) -> Path:
    """The image for a kit, made when there is none yet."""
    archive = cpio_archive(_members(kit))
    digest = hashlib.sha256(archive).hexdigest()[:16]
    directory = cache_dir() / "initramfs"
    image = directory / f"{kit.release}-{digest}.cpio"
    if image.is_file():
        image.touch()
        return image
    directory.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=directory, delete=False) as file:
        file.write(archive)
    os.replace(file.name, image)
    _forget_old(directory)
    return image
