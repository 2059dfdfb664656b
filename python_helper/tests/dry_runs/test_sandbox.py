"""What a run reaches outside of itself: nothing, in each spelling, on each kind of system."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from gpu_dry_run import sandbox
from gpu_dry_run.process import PREFIX
from tests.dry_runs.test_dry_run import call, environment
from tests.live import PATIENCE_S

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

pytest.importorskip("torch")
pytest.importorskip("IPython")

# Each tries to reach PORT on this machine, and says its name there.
NETWORK = """
socket.create_connection(AT, 2).sendall(NAME)
s = socket.socket(); s.connect(("localhost", PORT)); s.sendall(NAME)
s = socket.socket(); s.connect_ex(AT); s.sendall(NAME)
import _socket; s = _socket.socket(); s.connect(AT); s.send(NAME)
from socket import create_connection as reach; reach(AT).sendall(NAME)
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(NAME, AT)
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendmsg([NAME], [], 0, AT)
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.connect(AT); s.send(NAME)
s = socket.socket(socket.AF_INET6); s.connect(("::ffff:127.0.0.1", PORT)); s.sendall(NAME)
import urllib.request; urllib.request.urlopen(URL)
from urllib.request import urlretrieve; urlretrieve(URL, "page")
from urllib.request import urlopen as o; o(URL)
import http.client; c = http.client.HTTPConnection(*AT); c.request("GET", URL)
import requests; requests.Session().post(URL, data=b"x", timeout=2)
import requests; getattr(requests, "ge" + "t")(URL, timeout=2)
import httpx; httpx.Client().get(URL)
import httpx, asyncio; asyncio.run(httpx.AsyncClient().get(URL))
import urllib3; urllib3.PoolManager(retries=0).request("GET", URL)
import asyncio; asyncio.run(asyncio.open_connection(*AT))
import ftplib; ftplib.FTP().connect("127.0.0.1", PORT, 2)
import smtplib; smtplib.SMTP("127.0.0.1", PORT, timeout=2)
import imaplib; imaplib.IMAP4("127.0.0.1", PORT, 2)
import poplib; poplib.POP3("127.0.0.1", PORT, 2)
import xmlrpc.client; xmlrpc.client.ServerProxy(URL).hello()
import logging.handlers; logging.handlers.SocketHandler(*AT).createSocket()
logging.handlers.HTTPHandler("%s:%s" % AT, "/").emit(logging.makeLogRecord({}))
import torch.hub; torch.hub.load_state_dict_from_url(URL, model_dir=".")
import torch.hub; torch.hub.download_url_to_file(URL, "file")
from torch.distributed import TCPStore; TCPStore(*AT, is_master=False, timeout=TWO_S)
import zmq; s = zmq.Context().socket(zmq.REQ); s.connect(ZMQ); s.send(NAME); time.sleep(1)
import multiprocessing.connection as c; c.Client(AT)
t = threading.Thread(target=socket.create_connection, args=(AT,)); t.start(); t.join()
l = ctypes.CDLL(None); l.connect(l.socket(2, 1, 0), ADDRESS, 16)
exec(compile("socket.create_connection(AT)", "x", "exec"))
"""
# Each starts a program of its own that does the same.
PROGRAMS = """
from subprocess import run as go; go(PROGRAM)
import subprocess; subprocess.Popen(PROGRAM).wait()
import subprocess; subprocess.getoutput(COMMAND)
import subprocess; subprocess.check_output(PROGRAM)
import subprocess; subprocess.Popen(PROGRAM, start_new_session=True).wait()
os.system(COMMAND)
os.popen(COMMAND).read()
os.waitpid(os.posix_spawn(PROGRAM[0], PROGRAM, os.environ), 0)
os.spawnv(os.P_WAIT, PROGRAM[0], PROGRAM)
from os import posix_spawnp as p; os.waitpid(p(PROGRAM[0], PROGRAM, os.environ), 0)
os.fork() or os.execv(PROGRAM[0], PROGRAM); time.sleep(1)
os.fork() or (os.setsid(), os.execv(PROGRAM[0], PROGRAM)); time.sleep(1)
import asyncio; asyncio.run(asyncio.create_subprocess_exec(*PROGRAM)); time.sleep(1)
import pty; pty.spawn(PROGRAM)
import ctypes; ctypes.CDLL(None).system(COMMAND.encode())
p = FORKS.Process(target=socket.create_connection, args=(AT,)); p.start(); p.join()
FORKS.Pool(1).apply(socket.create_connection, (AT,))
"""
# Each deletes or writes a file of another program, or ends a process.
OTHERS = """
shutil.rmtree(SHARED)
os.remove(SHARED + "/file")
pathlib.Path(SHARED, "file").unlink()
open(SHARED + "/file", "w").write("x")
os.truncate(SHARED + "/file", 0)
os.rename(OUTSIDE, "here")
torch.save([1], OUTSIDE)
pathlib.Path(OUTSIDE).write_bytes(b"x")
open("/dev/../" + SHARED + "/file", "w").write("x")
open("/proc/self/root" + SHARED + "/file", "w").write("x")
open("/proc/self/root" + OUTSIDE, "w").write("x")
open(OUTSIDE, "w").write("x")
open("data.bin", "wb").write(b"x")
import numpy; numpy.memmap("data.bin", mode="r+", dtype="u1", shape=4)[:] = 0
import ctypes; l = ctypes.CDLL(None); f = l.open(b"data.bin", 1); l.write(f, b"xxxx", 4)
import ctypes; ctypes.CDLL(None).unlink((SHARED + "/file").encode())
os.kill(VICTIM, 9)
from os import kill; kill(VICTIM, 15)
os.killpg(os.getpgid(VICTIM), 9)
import ctypes; ctypes.CDLL(None).kill(VICTIM, 9)
import signal; signal.pidfd_send_signal(os.pidfd_open(VICTIM), 9)
"""
# With Landlock C code may still delete in `/dev/shm`, in which C shares memory.
ONLY_APART = {'import ctypes; ctypes.CDLL(None).unlink((SHARED + "/file").encode())'}
# With Python alone C code may do what it likes, and a process that is forked is not refused.
OF_C = ("CDLL", "TCPStore", "TWO_S", "zmq", "memmap", "pidfd")
SCRIPT = """
import ctypes, datetime, json, logging.handlers, multiprocessing, os, pathlib, shlex, shutil
import socket, struct, sys, threading, time, torch
socket.setdefaulttimeout(2)
given = json.loads({given!r})
SHARED, OUTSIDE, VICTIM, PORT = (given[name] for name in ("shared", "outside", "victim", "port"))
URL, NAME = f"http://127.0.0.1:{{PORT}}/w.pt", b"hello"
CONNECT = f"import socket; socket.create_connection(('127.0.0.1', {{PORT}})).sendall(b'x')"
AT, ZMQ, TWO_S = ("127.0.0.1", PORT), f"tcp://127.0.0.1:{{PORT}}", datetime.timedelta(seconds=2)
ADDRESS = struct.pack("=HHI8x", 2, socket.htons(PORT), 0x0100007F)
FORKS = multiprocessing.get_context("fork")
PROGRAM = [sys.executable, "-c", CONNECT]
COMMAND = " ".join(map(shlex.quote, PROGRAM))
is_plain = given.get("plain")
for line in given["lines"]:
    try:
        exec(line, globals())
    except BaseException as error:
        pass
    if is_plain:
        print("tried", flush=True)
        VICTIM = int(sys.stdin.readline())
if is_plain:
    os._exit(0)
torch.zeros(2**20, device="cuda")
"""
SYSTEMS = (sandbox.BUBBLEWRAP, sandbox.NAMESPACES, sandbox.LANDLOCK)
# A system on which no process may make namespaces: the kernel refuses it to whatever this runs.
WITHOUT = ["/usr/bin/unshare", "-U", "-r", "/bin/sh", "-c"]
WITHOUT += ['echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"', "sh"]


def lines(text: str) -> list[str]:
    """Return the statements of a table."""
    return [line for line in text.splitlines() if line]


class Outside:
    """What a run may not touch: a server, a file in shared memory, a file, a process."""

    def __init__(self, folder: Path) -> None:
        self.reached = 0
        self._server = socket.create_server(("127.0.0.1", 0))
        self._datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.port: int = self._server.getsockname()[1]
        self._datagrams.bind(("127.0.0.1", self.port))
        self._datagrams.setblocking(False)
        threading.Thread(target=self._accept, daemon=True).start()
        self.shared = Path("/dev/shm", f"outside-{os.getpid()}")  # noqa: S108  it is what is tested
        self.files = [
            self.shared / "file",
            folder / "outside.txt",
            folder / "notebook" / "data.bin",
        ]
        self.victim = subprocess.Popen(["sleep", "600"], start_new_session=True)
        self.renew()

    def renew(self) -> None:
        """Make it what it was."""
        self.harmed()
        self.reached = 0
        for file in self.files:
            file.parent.mkdir(exist_ok=True)
            file.write_text("kept", encoding="ascii")
        self.victim.kill()
        self.victim.wait()
        self.victim = subprocess.Popen(["sleep", "600"], start_new_session=True)

    def given(self, folder: Path) -> dict[str, object]:
        """Return what a script has to know to get there."""
        return {
            "shared": str(self.shared),
            "outside": str(folder / "outside.txt"),
            "victim": self.victim.pid,
            "port": self.port,
        }

    def _accept(self) -> None:
        while True:
            try:
                self._server.accept()[0].close()
            except OSError:
                return
            self.reached += 1

    def harmed(self) -> list[str]:
        """Return what a run has done to it."""
        time.sleep(0.05)  # a connection is made before it is accepted
        harms = [str(f) for f in self.files if not f.exists() or f.read_bytes() != b"kept"]
        harms += ["the process"] if self.victim.poll() is not None else []
        harms += [f"{self.reached} connections"] if self.reached else []
        with suppress(BlockingIOError):
            harms += [f"a datagram {self._datagrams.recv(10)!r}"]
        return harms

    def close(self) -> None:
        """Take it away."""
        self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        self._datagrams.close()
        self.victim.kill()
        self.victim.wait()
        shutil.rmtree(self.shared, ignore_errors=True)


@pytest.fixture
def outside(tmp_path: Path) -> Iterator[Outside]:
    """What is outside of a run, as it was."""
    instance = Outside(tmp_path)
    yield instance
    instance.close()


def run(
    outside: Outside,
    folder: Path,
    table: list[str],
    *more: str,
    system: str = sandbox.NAMESPACES,
    prefix: Sequence[str] = (),
) -> str:
    """Run statements dry on such a system, and return what the command printed."""
    values = {**outside.given(folder), "lines": table}
    script = folder / "notebook" / "tries.py"
    script.write_text(SCRIPT.format(given=json.dumps(values)), encoding="utf-8")
    process = subprocess.run(
        [*prefix, *call(script, "--gpu", "T4", "--run-all", *more)],
        cwd=folder,
        env={**environment(), sandbox.SETTING: system},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr + process.stdout
    return process.stdout


@pytest.fixture(params=SYSTEMS)
def system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """One of those that hold a run; skipped where this machine does not have it."""
    name: str = request.param
    monkeypatch.setenv(sandbox.SETTING, name)
    if sandbox.kind.__wrapped__(network=False) != name:
        pytest.skip(f"this machine has no {name}")
    return name


@pytest.mark.parametrize(
    "table", [NETWORK, PROGRAMS, OTHERS], ids=["network", "programs", "others"]
)
def test_nothing_outside_is_reached(
    outside: Outside, tmp_path: Path, table: str, system: str
) -> None:
    """Each spelling fails, and the run goes on after it."""
    tries = [line for line in lines(table) if system in sandbox.APART or line not in ONLY_APART]
    run(outside, tmp_path, tries, system=system)
    assert outside.harmed() == []


def test_takes_what_the_system_has(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The first that is there, or the one that the setting names, or none."""
    monkeypatch.delenv(sandbox.SETTING, raising=False)
    first = sandbox.kind.__wrapped__(network=False)
    ask = "from gpu_dry_run import sandbox; print(sandbox.kind(network=False))"
    path = os.environ["PATH"]
    for setting, has_bubblewrap, prefix, expected in (
        ("", True, [], first),
        ("", False, [], sandbox.NAMESPACES),
        ("", False, WITHOUT, sandbox.LANDLOCK),
        (sandbox.NAMESPACES, True, WITHOUT, sandbox.PYTHON),
        ("elsewhere", True, [], sandbox.PYTHON),
    ):
        process = subprocess.run(
            [*prefix, sys.executable, "-c", ask],
            cwd=tmp_path,
            env={
                **environment(),
                sandbox.SETTING: setting,
                "PATH": path if has_bubblewrap else str(tmp_path),
            },
            capture_output=True,
            text=True,
            check=True,
        )
        assert process.stdout.strip() == expected


def test_runs_where_nothing_holds_it_only_once_a_person_agrees(
    outside: Outside, tmp_path: Path
) -> None:
    """The question says what is not held; then Python refuses what it is asked for."""
    script = tmp_path / "notebook" / "tries.py"
    script.write_text("open('made', 'w')", encoding="utf-8")
    process = subprocess.run(
        call(script, "--gpu", "T4", "--run-all"),
        env={**environment(), sandbox.SETTING: sandbox.PYTHON},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 2
    assert process.stdout == ""
    assert "code in C can still change your files, reach other machines" in process.stderr
    assert "the run has none of the files beside the notebook" in process.stderr
    assert "--without-sandbox" in process.stderr
    tries = [
        line
        for line in lines(NETWORK + PROGRAMS + OTHERS)
        if not any(name in line for name in OF_C)
    ]
    assert len(tries) > 50
    run(outside, tmp_path, tries, "--without-sandbox", system=sandbox.PYTHON)
    assert outside.harmed() == []


def test_each_spelling_reaches_it_without_a_sandbox(outside: Outside, tmp_path: Path) -> None:
    """Else the tables would show nothing: in a plain script each of them does harm."""
    tries = lines(NETWORK + PROGRAMS + OTHERS)
    values = {**outside.given(tmp_path), "lines": tries, "plain": True}
    idle = []
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT.format(given=json.dumps(values))],
        cwd=tmp_path / "notebook",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        bufsize=1,
    ) as plain:
        assert plain.stdin
        assert plain.stdout
        for line in tries:
            while (output := plain.stdout.readline()) != "tried\n":
                assert output, line
            if not outside.harmed():
                idle.append(line)
            outside.renew()
            plain.stdin.write(f"{outside.victim.pid}\n")
    assert idle == []


def test_what_a_run_leaves_ends_with_it(outside: Outside, tmp_path: Path, system: str) -> None:
    """A process in a session of its own is not waited for."""
    left = ["os.fork() or (os.setsid(), open('pid', 'w').write('x'), time.sleep(300))"]
    run(outside, tmp_path, left, system=system)


# Ends itself by a signal where it would end what it has started, having done just that.
ENDED_MEANWHILE = """
import os, signal, sys
from gpu_dry_run import process
from gpu_headroom.__main__ import main
ended = process.ended
def end(started):
    ended(started)
    os.kill(os.getpid(), signal.SIGKILL)
process.ended = end
sys.exit(main(sys.argv[1:]))
"""


def test_the_folder_goes_where_who_asked_is_ended_meanwhile(tmp_path: Path, system: str) -> None:
    """Whoever removes it is not ended by who may be ended next."""
    script = tmp_path / "uses.py"
    script.write_text("import torch\ntorch.zeros(2**20, device='cuda')\n", encoding="utf-8")
    folders = tmp_path / "folders"
    folders.mkdir()
    process = subprocess.run(
        [sys.executable, "-c", ENDED_MEANWHILE, "dry-run", str(script), "--gpu", "T4"],
        env={**environment(), sandbox.SETTING: system, "TMPDIR": str(folders)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == -signal.SIGKILL, process.stderr
    until_s = time.monotonic() + PATIENCE_S
    while left := list(folders.glob(f"{PREFIX}*")):
        assert time.monotonic() < until_s, left
        time.sleep(0.05)


def test_a_network_on_a_wish(outside: Outside, tmp_path: Path, system: str) -> None:
    """`--network` opens it, and nothing else."""
    tries = [line for line in lines(OTHERS) if system in sandbox.APART or line not in ONLY_APART]
    run(outside, tmp_path, lines(NETWORK)[:1] + tries, "--network", system=system)
    assert outside.reached > 0
    outside.reached = 0
    assert outside.harmed() == []


def test_no_device_of_a_gpu_is_there(tmp_path: Path, system: str) -> None:
    """A node of a GPU, here a stand-in for it, is not there or cannot be opened as drivers do."""
    node = Path("/dev", f"nvidia-of-a-test-{os.getpid()}")
    try:
        os.mknod(node, 0o666 | stat.S_IFCHR, os.makedev(1, 3))  # that of /dev/null
    except PermissionError:
        pytest.skip("only root makes devices")
    script = tmp_path / "opens.py"
    code = f"""
import ctypes, torch
assert ctypes.CDLL(None).open({str(node).encode()!r}, 2) == -1
torch.zeros(2**20, device="cuda")
"""
    script.write_text(code, encoding="utf-8")
    try:
        process = subprocess.run(
            call(script, "--gpu", "T4", "--json"),
            env={**environment(), sandbox.SETTING: system},
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        node.unlink()
    assert json.loads(process.stdout)["outcome"] == "done", process.stdout + process.stderr


def test_c_code_sees_no_gpu_where_nothing_holds_it(tmp_path: Path) -> None:
    """The environment that a driver reads hides them; Python's has the simulated one."""
    script = tmp_path / "asks.py"
    code = """
import ctypes, os, torch
getenv = ctypes.CDLL(None).getenv
getenv.restype = ctypes.c_char_p
assert getenv(b"CUDA_VISIBLE_DEVICES") == b""
assert "CUDA_VISIBLE_DEVICES" not in os.environ
assert torch.cuda.device_count() == 1
torch.zeros(2**20, device="cuda")
"""
    script.write_text(code, encoding="utf-8")
    process = subprocess.run(
        call(script, "--gpu", "T4", "--json", "--without-sandbox"),
        env={**environment(), sandbox.SETTING: sandbox.PYTHON},
        capture_output=True,
        text=True,
        check=False,
    )
    assert json.loads(process.stdout)["outcome"] == "done", process.stdout + process.stderr


# Another system, as far as a program can look like one: no fork, no links, no groups, no `/proc`.
ELSEWHERE = """
import builtins, os, sys
if len(sys.argv) > 1 or sys.argv[0] == "-c":
    import torch  # its own code asks for the system as it is imported
    sys.platform = "elsewhere"
    def symlink(*_, **__):
        raise OSError("no links")
    os.symlink = symlink
    for name in ("fork", "killpg", "setsid", "setpgid", "register_at_fork", "sysconf"):
        vars(os).pop(name, None)
"""


def test_runs_on_a_system_without_links_forks_and_groups(tmp_path: Path) -> None:
    """None of the files is there, as the question says; what is written there stays there."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "sitecustomize.py").write_text(ELSEWHERE, encoding="utf-8")
    folder = tmp_path / "notebook"
    folder.mkdir()
    (folder / "small.txt").write_text("kept", encoding="utf-8")
    script = folder / "reads.py"
    code = """
import torch
torch.zeros(2**20, device="cuda")
open("made.txt", "w").write("changed")
open("small.txt")
"""
    script.write_text(code, encoding="utf-8")
    paths = os.pathsep.join([str(tmp_path / "elsewhere"), environment()["PYTHONPATH"]])
    process = subprocess.run(
        call(script, "--gpu", "T4", "--gpu", "L4", "--json", "--without-sandbox"),
        env={**environment(), "PYTHONPATH": paths, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    result = json.loads(process.stdout or "{}")
    assert (result.get("line"), result["needed_bytes"] > 2**22) == (4, True), process
    assert "FileNotFoundError" in result["error"]
    assert sorted(path.name for path in folder.iterdir()) == ["reads.py", "small.txt"]
    assert not list(tmp_path.glob("gpu-headroom-dry-run-*"))
