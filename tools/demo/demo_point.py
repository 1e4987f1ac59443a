# SPDX-License-Identifier: GPL-2.0-only
"""Operating points of the demo: a real machine, and what stands for it in the guest.

A point is given in the units of the machine it stands for. Sizes are scaled by SCALE
and time runs SPEED times faster, so bandwidths are scaled by SCALE * SPEED. Why these
points: Documentation/demo.rst.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

MIB = 1 << 20
GIB = 1 << 30
TOP = Path(__file__).resolve().parents[2]
TRACE = TOP / "tools/replay/traces/mooncake_conversation.jsonl.xz"
# CXL memory comes in such steps.
DRAM_STEP = 256 * MIB


@dataclasses.dataclass(frozen=True)
class Point:
    """One operating point."""

    name: str
    why: str
    # The machine.
    dram_gib: int = 200
    drive_gb_s: float = 12.0
    link_gb_s: float = 64.0
    gpus: int = 4
    gpu_tokens_s: int = 7700
    hbm_blocks: int = 256
    # The experiment.
    requests: int = 1200
    speed: float = 6.5
    scale: int = 1024
    modes: str = "lru,demand,hymc"

    @property
    def dram_bytes(self) -> int:
        """Device DRAM in the guest."""
        return self.dram_gib * GIB // self.scale

    @property
    def drive_bytes_s(self) -> int:
        """Throttle of the guest's drive, reads and writes together."""
        return round(self.drive_gb_s * 1e9 * self.speed / self.scale)

    def replay_options(self) -> list[str]:
        """Options of hymc-replay."""
        return [
            "--modes", self.modes, "--requests", str(self.requests),
            "--model", "qwen2.5-32b", "--scale", f"1/{self.scale}",
            "--dram-bytes", str(self.dram_bytes), "--speed", f"{self.speed:g}",
            "--slots", str(self.gpus), "--prefill-rate", str(self.gpu_tokens_s),
            "--hbm-blocks", str(self.hbm_blocks),
            "--link-rate", f"{self.link_gb_s * 1e9:g}",
            "--note", f"point={self.name}", "--note", f"why={self.why}",
            "--note", f"drive={self.drive_bytes_s / 1e6:.0f} MB/s",
            "--note", f"stands for={self.dram_gib} GiB device DRAM, "
                      f"{self.drive_gb_s:g} GB/s drive, {self.link_gb_s:g} GB/s link, "
                      f"{self.gpus} GPUs of {self.gpu_tokens_s} tokens/s",
        ]

    def vm_options(self) -> list[str]:
        """Options of hymc-vm."""
        steps = -(-self.dram_bytes // DRAM_STEP)
        return ["--dram", f"{steps * DRAM_STEP // MIB}M", "--ssd", "6G",
                "--ssd-total-bw", str(self.drive_bytes_s)]


DEMO = Point("demo", "a busy engine, device DRAM 1/16 of all blocks")

# Short enough for every change, long enough that each mode loads prefixes.
SHORT = dataclasses.replace(DEMO, name="short", why="a short test", requests=320,
                            speed=9)

SWEEP = (
    dataclasses.replace(DEMO, name="small-dram", dram_gib=64,
                        why="a third of the DRAM, as much as published prototypes"),
    dataclasses.replace(DEMO, name="fast-drive", drive_gb_s=28,
                        why="two drives, or twice as fast a one"),
    dataclasses.replace(DEMO, name="idle-engine", gpus=8,
                        why="twice the GPUs: hardly any queue, so hints come late"),
)
