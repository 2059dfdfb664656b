"""The stub by itself, built for a small library that asks for a little of CUDA."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.cuda_runtime import build

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Program = Callable[..., list[str]]

GIB = 2**30
WHEEL = """int cudaMalloc(void **at, unsigned long size);
int use(void **at) { return cudaMalloc(at, 8); }
"""
SETUP = """
import ctypes, os
runtime, driver = ctypes.CDLL("libcudart.so.13"), ctypes.CDLL("libcuda.so.1")
nvml = ctypes.CDLL("libnvidia-ml.so.1")
def malloc(size):
    at = ctypes.c_void_p()
    return runtime.cudaMalloc(ctypes.byref(at), ctypes.c_size_t(size)), at
def free_bytes():
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    assert runtime.cudaMemGetInfo(ctypes.byref(free), ctypes.byref(total)) == 0
    return free.value
"""


@pytest.fixture(scope="module")
def stub(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a stub, made for a library that needs `cudaMalloc` of CUDA 13."""
    reason = build.refusal()
    if reason is not None:
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("stub")
    torch = folder / "torch"
    (torch / "lib").mkdir(parents=True)
    (torch / "version.py").write_text("cuda: Optional[str] = '13.0'\n")
    (folder / "wheel.c").write_text(WHEEL)
    (folder / "empty.c").write_text("")
    runtime, wheel = folder / "libcudart.so.13", torch / "lib" / "libtorch_cuda.so"
    shared = ["gcc", "-shared", "-fPIC", "-Wl,--no-as-needed"]
    subprocess.run(
        [*shared, folder / "empty.c", "-Wl,-soname,libcudart.so.13", "-o", runtime], check=True
    )
    subprocess.run([*shared, folder / "wheel.c", runtime, "-o", wheel], check=True)
    assert build.build(torch, folder / "out").startswith("CUDA 13.0: 3 libraries")
    return folder / "out"


@pytest.fixture
def run(stub: Path) -> Program:
    """Run a program over the stub, and return the lines that it prints."""

    def run_one(code: str, **variables: str) -> list[str]:
        environment = {
            **os.environ,
            "LD_LIBRARY_PATH": f"{stub / 'lib'}:{stub / 'driver'}",
            **{f"CUDA_RUNTIME_{name}": value for name, value in variables.items()},
        }
        process = subprocess.run(
            [sys.executable, "-c", SETUP + code],
            check=True,
            capture_output=True,
            text=True,
            env=environment,
        )
        return process.stdout.splitlines()

    return run_one


def test_a_gpu_has_its_size_less_a_context_and_the_others(run: Program) -> None:
    """Memory is taken in pages of 2 MiB, and what does not fit is refused."""
    code = (
        "print(free_bytes()); status, at = malloc(1); print(status, free_bytes())\n"
        "print(malloc(2**30)[0]); runtime.cudaFree(at); print(free_bytes())"
    )
    free = GIB - (420 + 100) * 2**20
    assert run(code, DEVICES="1GiB", OUTSIDE="100 MiB") == [
        str(free),
        f"0 {free - 2 * 2**20}",
        "2",
        str(free),
    ]


def test_to_ask_makes_no_context_and_memory_does(run: Program, tmp_path: Path) -> None:
    """The log has each call with its process and thread, and a line for each context."""
    log = tmp_path / "log"
    run(
        "count = ctypes.c_uint()\n"
        "nvml.nvmlInit_v2(); nvml.nvmlDeviceGetCount_v2(ctypes.byref(count))\n"
        "flags, active = ctypes.c_uint(), ctypes.c_int()\n"
        "print(driver.cuDevicePrimaryCtxGetState(0, ctypes.byref(flags), ctypes.byref(active)))\n",
        LOG=str(log),
    )
    assert [line.split()[2] for line in log.read_text().splitlines()] == [
        "nvmlInit_v2",
        "nvmlDeviceGetCount_v2",
        "cuDevicePrimaryCtxGetState",
    ]
    run("malloc(1)", LOG=str(log))
    assert [line.split(maxsplit=2)[2] for line in log.read_text().splitlines()][-2:] == [
        "context gpu=0",
        "cudaMalloc device=0 bytes=1 status=0",
    ]


def test_after_an_illegal_access_everything_fails(run: Program) -> None:
    """A kernel's error is sticky: no later call succeeds, and each says the same."""
    code = (
        "launch = lambda: runtime.cudaLaunchKernel(None, *[0] * 20)\n"
        "print(malloc(1)[0], launch(), launch(), malloc(1)[0], runtime.cudaGetLastError(),\n"
        "      runtime.cudaGetLastError())"
    )
    assert run(code, FAIL="launch:2") == ["0 0 700 700 700 700"]


def test_a_forked_child_has_no_cuda(run: Program) -> None:
    """Its parent's context is not its own."""
    code = "malloc(1)\nif os.fork() == 0: os._exit(malloc(1)[0])\nprint(os.wait()[1] >> 8)"
    assert run(code) == ["3"]


def test_it_stays_away_from_a_driver(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where any sign of one is, one sentence says which."""
    monkeypatch.setattr(shutil, "which", lambda name: name)
    monkeypatch.setattr(build, "_SIGNS_OF_A_DRIVER", (tmp_path,))
    sentence = build.refusal()
    assert sentence is not None
    assert f"has NVIDIA's driver ({tmp_path})" in sentence
