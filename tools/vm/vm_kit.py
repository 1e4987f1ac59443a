# SPDX-License-Identifier: GPL-2.0-only
"""The kernel kit and QEMU as tools/setup provides them, and hymc.ko's place
in the guest's module directory."""

import dataclasses
import functools
import os
import shutil
import subprocess
from pathlib import Path

from vm_options import REPOSITORY, VmError

KIT_SH = REPOSITORY / "tools" / "setup" / "kit.sh"


@dataclasses.dataclass(frozen=True)
class Kit:
    """A kernel kit and the QEMU program to boot it with."""

    release: str
    vmlinuz: Path
    modules: Path
    qemu: Path

    @functools.cached_property
    def cxl_regions(self) -> bool:
        """Whether this kernel makes dax devices of CXL memory (6.3 on)."""
        return "dax_cxl" in self.builtin() or "dax_cxl" in self.dependencies()

    def builtin(self) -> set[str]:
        """Names of what is compiled into the kernel."""
        return {module_name(line)
                for line in self._lines("modules.builtin")}

    def dependencies(self) -> dict[str, tuple[str, list[str]]]:
        """name -> (path below modules, paths it needs), from modules.dep."""
        table = {}
        for line in self._lines("modules.dep"):
            path, _, needs = line.partition(":")
            table[module_name(path)] = (path, needs.split())
        return table

    def load_order(self, names: list[str]) -> list[Path]:
        """Files to insmod, in order, for these modules; built-ins need none."""
        table, builtin, order = self.dependencies(), self.builtin(), {}
        for name in names:
            if name in builtin:
                continue
            if name not in table:
                raise VmError(f"kernel {self.release} has no module {name}")
            path, needs = table[name]
            for each in [*reversed(needs), path]:
                order[self.modules / each] = True
        return list(order)

    def _lines(self, name: str) -> list[str]:
        return (self.modules / name).read_text().splitlines()


def module_name(path: str) -> str:
    """The name of a module file: kernel/fs/9p/9p.ko -> 9p."""
    return Path(path).name.split(".", 1)[0].replace("-", "_")


def _kit_sh(what: str, *name: str) -> str:
    result = subprocess.run([KIT_SH, what, *name], stdin=subprocess.DEVNULL,
                            capture_output=True, text=True, check=False)
    if result.returncode:
        raise VmError(result.stderr.strip().removeprefix("setup: error: "))
    return result.stdout.strip()


def find_kit(name: str) -> Kit:
    """The kit called NAME; it must have been fetched by setup.sh."""
    return Kit(release=_kit_sh("release", name),
               vmlinuz=Path(_kit_sh("vmlinuz", name)),
               modules=Path(_kit_sh("modules", name)),
               qemu=Path(_kit_sh("qemu")))


def _depmod() -> str:
    path = shutil.which("depmod", path=f"{os.environ.get('PATH', '')}"
                                       ":/usr/sbin:/sbin")
    if not path:
        raise VmError("depmod is missing; run tools/setup/setup.sh vm")
    return path


def make_module_overlay(kit: Kit, module: Path | None, place: Path) -> None:
    """Fill PLACE with what lies over the kit's module directory: hymc.ko in
    updates/ and an index that has it, so that modprobe and libkmod find it by
    name.  Without a module, PLACE stays empty."""
    place.mkdir()
    if not module:
        return
    base = place.parent / "depmod"
    tree = base / "lib" / "modules" / kit.release
    (tree / "updates").mkdir(parents=True)
    (tree / "kernel").symlink_to(kit.modules / "kernel")
    for name in ("modules.order", "modules.builtin", "modules.builtin.modinfo"):
        shutil.copy(kit.modules / name, tree)
    shutil.copy(module, tree / "updates" / "hymc.ko")
    result = subprocess.run([_depmod(), "-b", base, kit.release], text=True,
                            capture_output=True, check=False)
    if result.returncode:
        raise VmError(f"depmod failed for {module}: {result.stderr.strip()}")
    (tree / "kernel").unlink()
    place.rmdir()
    tree.rename(place)
    shutil.rmtree(base)
