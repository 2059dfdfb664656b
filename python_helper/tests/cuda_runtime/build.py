"""Make the libraries that one CUDA wheel of PyTorch asks for: `python build.py TORCH OUT`.

TORCH is the folder `site-packages/torch` of the wheel; then start Python with
`LD_LIBRARY_PATH=OUT/lib:OUT/driver`. All code is in one library; each library that PyTorch names
is an empty one above it. What no file here defines does nothing, and is generated.
CC names another compiler, as for make: `CC=aarch64-linux-gnu-gcc` builds for a wheel of aarch64.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

SOURCES = Path(__file__).parent
CORE = "libcuda_runtime_stub.so"
DRIVER = {"libcuda.so.1", "libnvidia-ml.so.1"}
_COMPILER = os.environ.get("CC", "gcc")
_TOOLS = {_COMPILER: "gcc", "readelf": "binutils"}
_SIGNS_OF_A_DRIVER = (Path("/proc/driver/nvidia"), Path("/dev/nvidia0"))

# --- What belongs to CUDA ----------------------------------------------------

_LIBRARY = re.compile(
    r"lib(cuda|cudart|cublas|cublasLt|cudnn|cufft|cufile|cupti|curand|cusolver|cusparse|cusparseLt"
    r"|nccl|nvrtc|nvToolsExt|nvshmem_host|nvJitLink|nvidia-ml)\.so"
)
_FUNCTION = re.compile(
    r"(nccl|cudnn|cufft|curand|cublas|cusparse|cusolver|cupti|nvrtc|nvtx|nvshmem|nvJitLink|nvml"
    r"|cuFile|__cuda|cuda_?(?=[A-Z])|cu(?=[A-Z]))\w+$"
)
# The driver's functions are looked up by name while the program runs.
_NAME_IN_TEXT = re.compile(rb"\0((?:cu[A-Z]|nvml[A-Z])\w{3,60})(?=\0)")

# --- What a generated function does ------------------------------------------

# Of the functions that write sizes: which of their arguments become 0, counted from 0.
_WRITES_ZERO = {
    r"cudnnGetConvolution\w+WorkspaceSize": 6,
    r"cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize": 8,
    r"cudnnGetBatchNormalizationBackwardExWorkspaceSize": 10,
    r"cudnnGetBatchNormalizationTrainingExReserveSpaceSize": 5,
    r"cudnnDropoutGetStatesSize": 1,
    r"cufftXtMakePlanMany": 12,
    r"cusparseSpMM_bufferSize": 10,
    r"cusparseSpMV_bufferSize": 9,
    r"cusolverDn[SDCZ](getrf|potrf|geqrf)_bufferSize": 5,
    r"cusolverDn[SDCZ]gesvd_bufferSize": 3,
    r"cusolverDn[SDCZ]((or|un)gqr|(sy|he)evd)_bufferSize": 7,
    r"nvrtcGet(PTX|CUBIN|ProgramLog)Size": 1,
    r"cublasLtGetProperty": 1,
}
# What is not played says so, with the status that its library has for it.
_REFUSES = {
    r"cu[A-Z](?!File)\w*": 801,
    r"nvml\w*": 3,
    r"cupti\w*": 15,
    r"\w+bufferSize|cudnnBackend\w*|nvshmem\w*|\w*RNN\w*|\w*CTCLoss\w*": 9,
}
_SAYS = re.compile(r"\w*Get(Last)?Error(String|Name)|\w*GetStatusString|ncclGetLastError")
_MAKES = re.compile(r"\w*(Create|CommInit|CommSplit)\w*")
_MOST_ARGUMENTS = 14


class Wanted(NamedTuple):
    """What the wheel's libraries ask of CUDA's."""

    libraries: set[str]
    versions: set[tuple[str, str]]
    functions: set[str]


def refusal() -> str | None:
    """Say in a sentence why the stub is not for this machine, or `None`."""
    for tool, package in _TOOLS.items():
        if shutil.which(tool) is None:
            return f"{tool} is missing: install it, with 'apt-get install {package}' on Debian."
    signs = [str(sign) for sign in _SIGNS_OF_A_DRIVER if sign.exists()]
    signs += [sign for sign in sorted(DRIVER) if _loads(sign)]
    if signs:
        return (
            f"This machine has NVIDIA's driver ({', '.join(signs)}); the stub stays away from it."
        )
    return None


def _loads(library: str) -> bool:
    """Whether the machine has such a library, whatever LD_LIBRARY_PATH says now."""
    code = f"import ctypes; ctypes.CDLL({library!r})"
    command = [sys.executable, "-c", code]
    return subprocess.run(command, check=False, capture_output=True, env={}).returncode == 0


def needs_of(library: Path) -> Wanted:
    """Read what a library needs, of which versions, and which functions it does not define."""
    needed = set(re.findall(r"NEEDED.*\[(.*)\]", _run("readelf", "-d", library)))
    functions = {name.decode() for name in _NAME_IN_TEXT.findall(library.read_bytes())}
    functions |= _symbols(library, defined=False)
    return Wanted(
        {name for name in needed if _LIBRARY.match(name)},
        _versions(library),
        {name for name in functions if _FUNCTION.match(name) and "_Z" not in name},
    )


def _versions(library: Path) -> set[tuple[str, str]]:
    """Return the pairs of a library's name and the version of it that is asked for."""
    pairs: set[tuple[str, str]] = set()
    file = ""
    for line in _run("readelf", "-V", "-W", library).splitlines():
        if header := re.search(r"File: (\S+)", line):
            file = header[1]
        elif (version := re.search(r"Name: (\S+)", line)) and _LIBRARY.match(file):
            pairs.add((file, version[1]))
    return pairs


def _symbols(library: Path, *, defined: bool) -> set[str]:
    rows = [line.split() for line in _run("readelf", "--dyn-syms", "-W", library).splitlines()]
    return {row[7].split("@")[0] for row in rows if len(row) > 7 and (row[6] != "UND") is defined}


def _run(*command: object) -> str:
    words = [str(word) for word in command]
    process = subprocess.run(words, check=False, capture_output=True, text=True)
    if process.returncode != 0:
        raise SystemExit(f"{command[0]} failed: {process.stderr}")
    return process.stdout


def generated(name: str) -> str:
    """Write a function that does nothing: it must not harm whoever believes what it wrote."""
    if _SAYS.fullmatch(name):
        return f'const char *{name}(void) {{ return "refused by the stub"; }}'
    arguments = ", ".join(f"long *a{number}" for number in range(_MOST_ARGUMENTS))
    zero = _first(_WRITES_ZERO, name)
    if zero is not None:
        kind = "int" if name.startswith("cusolver") else "long"
        return f"int {name}({arguments}) {{ COUNTED; *({kind} *)a{zero} = 0; return OK; }}"
    status = _first(_REFUSES, name)
    if status is not None:
        return f'int {name}(void) {{ CALLED("refused"); return {status}; }}'
    code = "*a0 = (long)calloc(1, 256); " if _MAKES.fullmatch(name) else ""
    return f"int {name}({arguments}) {{ COUNTED; {code}return OK; }}"


def _first(table: dict[str, int], name: str) -> int | None:
    return next((value for pattern, value in table.items() if re.fullmatch(pattern, name)), None)


def build(torch: Path, out: Path) -> str:
    """Make the libraries for the wheel in `torch`, and say in a sentence what was made."""
    shutil.rmtree(out, ignore_errors=True)
    for folder in ("lib", "driver"):
        (out / folder).mkdir(parents=True)
    all_needs = [needs_of(library) for library in sorted((torch / "lib").glob("*.so*"))]
    libraries = DRIVER.union(*(library.libraries for library in all_needs))
    functions = set[str]().union(*(library.functions for library in all_needs))
    versions = set[tuple[str, str]]().union(*(library.versions for library in all_needs))
    cuda = cuda_version(torch)
    written = _build_core(out, functions, _definitions(cuda, libraries))
    for name in libraries:
        _build_empty(out, name, {version for file, version in versions if file == name})
    major, minor = divmod(cuda // 10, 100)
    return (
        f"CUDA {major}.{minor}: {len(libraries)} libraries; of {len(functions)} functions "
        f"{len(written & functions)} are written and the others generated."
    )


def cuda_version(torch: Path) -> int:
    """Return the CUDA that a wheel was built for as CUDA itself counts, 12080 for 12.8."""
    text = (torch / "version.py").read_text(encoding="utf-8")
    match = re.search(r"^cuda(?:: .*)? = '(\d+)\.(\d+)'", text, re.MULTILINE)
    if match is None:
        raise SystemExit(f"{torch} is no CUDA build of PyTorch.")
    return int(match[1]) * 1000 + int(match[2]) * 10


def _definitions(cuda: int, libraries: set[str]) -> list[str]:
    # The newest of its major, so that PyTorch does not find it too old.
    cudnn = 8999 if "libcudnn.so.8" in libraries else 99900
    return [f"-DCUDA_VERSION={cuda}", f"-DCUDNN_VERSION={cudnn}"]


def _build_core(out: Path, functions: set[str], definitions: list[str]) -> set[str]:
    """Compile all code; the functions that are written are known once the written part is built."""
    target = out / "lib" / CORE
    sources = sorted(SOURCES.glob("*.c"))
    flags = ["-O1", "-w", "-fPIC", "-shared", f"-I{SOURCES}", f"-Wl,-soname,{CORE}", *definitions]
    libraries = ["-ldl", "-lpthread"]
    _run(_COMPILER, *flags, *sources, "-o", target, *libraries)
    written = _symbols(target, defined=True)
    rest = out / "generated.c"
    lines = [generated(name) for name in sorted(functions - written)]
    rest.write_text('#include "runtime.h"\n#include <stdlib.h>\n' + "\n".join(lines) + "\n")
    # Our own names are private: a program may have functions of the same name.
    names = sorted(name for name in written if _FUNCTION.match(name) or name.startswith("stub_"))
    exported = out / "exported"
    lines = [f"{name};" for name in (*names, *sorted(functions - written))]
    exported.write_text("{ global:\n" + "\n".join(lines) + "\nlocal: *; };\n")
    script = f"-Wl,--version-script={exported}"
    _run(_COMPILER, *flags, script, *sources, rest, "-o", target, *libraries)
    return written


def _build_empty(out: Path, name: str, versions: set[str]) -> None:
    """Compile a library that has nothing but its name, its versions and the core below it."""
    empty, script = out / "empty.c", out / "versions"
    empty.write_text("")
    script.write_text("\n".join(f"{version} {{ }};" for version in sorted(versions)))
    target = out / ("driver" if name in DRIVER else "lib") / name
    flags = ["-shared", f"-Wl,-soname,{name}", "-Wl,--no-as-needed", "-Wl,-rpath,$ORIGIN/../lib"]
    flags += [f"-Wl,--version-script={script}"] if versions else []
    _run(_COMPILER, empty, "-o", target, *flags, f"-L{out / 'lib'}", f"-l:{CORE}")


def main() -> int:
    """Build, or say why not; with `--check` only the latter."""
    reason = refusal()
    if reason is not None:
        print(reason, file=sys.stderr)
        return 78
    if sys.argv[1:] == ["--check"]:
        return 0
    print(build(Path(sys.argv[1]), Path(sys.argv[2])))
    return 0


if __name__ == "__main__":
    sys.exit(main())
