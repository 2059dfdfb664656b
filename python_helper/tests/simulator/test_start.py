"""Starting a simulation: arguments, a second one, the environment variable."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import gpu_headroom
import pytest
import torch
from gpu_simulator import active, simulate
from gpu_simulator.sizes import GIB, MIB

SOURCE = str(Path(next(iter(gpu_headroom.__path__))).parent)


def python(program: str, *, expect_error: bool = False) -> str:
    """Run a program in a new interpreter and return what it printed."""
    code = f"import sys; sys.path.insert(0, {SOURCE!r})\n" + textwrap.dedent(program)
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    assert (result.returncode != 0) == expect_error, result.stderr
    return result.stdout + result.stderr


def test_it_is_a_context_manager_and_says_that_it_is_simulated() -> None:
    """Inside of the block the GPU is there and known as simulated; after it, gone."""
    assert active() is None
    with simulate("2 GiB", compute="cpu", outside=0) as simulation:
        assert active() is simulation
        assert simulation.active() is simulation
        assert simulation.is_simulated
        assert simulation.device_name == torch.cuda.get_device_name(0) == "Simulated GPU"
        assert (simulation.capacity, simulation.outside) == (2 * GIB, 0)
        assert repr(simulation) == (
            "<Simulation of a GPU: capacity=2.00 GiB, outside=0 bytes, compute='cpu'>"
        )
    assert active() is None
    assert not torch.cuda.is_available()
    assert "stopped" in repr(simulation)
    simulation.stop()


def test_an_empty_simulation_is_replaced_and_one_in_use_is_not() -> None:
    """A second GPU takes the place of the first unless tensors are on that one."""
    first = simulate("1 GiB")
    second = simulate("2 GiB")
    assert active() is second
    first.stop()
    assert active() is second
    tensor = torch.zeros(MIB, device="cuda")
    with pytest.raises(RuntimeError, match=r"in use already, with 4\.00 MiB allocated on it"):
        simulate("3 GiB")
    assert active() is second
    del tensor
    with simulate("3 GiB") as third:
        assert torch.cuda.mem_get_info()[1] == third.capacity


def test_a_real_gpu_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where PyTorch sees a GPU there is a sentence and no simulation."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    with pytest.raises(RuntimeError, match="PyTorch sees a real GPU here"):
        simulate()
    assert active() is None


def test_importing_the_simulator_imports_no_pytorch() -> None:
    """The module is cheap to import, and `active` to ask."""
    output = python("""
        from gpu_simulator import active, install_on_import
        print(active(), "torch" in sys.modules, "gpu_simulator.simulation" in sys.modules)
    """)
    assert output == "None False False\n"


def test_without_pytorch_there_is_a_sentence() -> None:
    """A missing PyTorch is an ImportError that says what is needed."""
    output = python(
        """
        sys.modules["torch"] = None
        from gpu_simulator import simulate
        simulate()
        """,
        expect_error=True,
    )
    assert output.endswith(
        "The simulated GPU needs PyTorch, which is not installed in this environment.\n"
    )


def test_the_environment_variable_waits_for_the_users_import() -> None:
    """`install_on_import` imports nothing; the user's `import torch` starts the simulation."""
    output = python("""
        from gpu_simulator import active, install_on_import
        install_on_import("4GiB,cpu")
        print("torch" in sys.modules, active())
        import torch
        print(torch.cuda.is_available(), active())
        print(torch.tensor([1.0, 2.0], device="cuda") * 2)
        print(type(torch.__spec__.loader).__module__, len(sys.meta_path) < 9)
    """)
    assert output.splitlines() == [
        "False None",
        "True <Simulation of a GPU: capacity=4.00 GiB, outside=420.00 MiB, compute='cpu'>",
        "tensor([2., 4.], device='cuda:0')",
        "_frozen_importlib_external True",
    ]


def test_an_import_on_another_thread_skips_no_finder() -> None:
    """It goes through a list of finders, in which nothing may move while it does."""
    output = python("""
        import sys
        from gpu_simulator import install_on_import
        others = sys.meta_path.copy()
        install_on_import("4GiB")
        another = iter(sys.meta_path)
        first = next(another)
        import torch
        print(list(another) == others, first in sys.meta_path)
    """)
    assert output == "True False\n"


def test_a_wrong_environment_variable_warns_and_breaks_nothing() -> None:
    """`import torch` works, and one sentence says why no GPU is simulated."""
    output = python("""
        from gpu_simulator import install_on_import
        install_on_import("lots")
        import torch
        print(torch.cuda.is_available())
    """)
    assert "No GPU is simulated, although GPU_HEADROOM_SIMULATE is 'lots'. capacity must" in output
    assert output.startswith("False\n")


def test_a_program_may_end_with_the_simulation_running() -> None:
    """Nothing is printed and nothing fails when the interpreter ends with tensors on the GPU."""
    output = python("""
        import torch
        from gpu_simulator import simulate
        simulate("1 GiB", compute="cpu")
        model = torch.nn.Linear(4, 4).cuda()
        loss = model(torch.ones(1, 4, device="cuda")).sum()
        loss.backward()
        cycle = [model, loss]
        cycle.append(cycle)
    """)
    assert output == ""


def test_a_forked_child_cannot_use_the_gpu() -> None:
    """As with CUDA, a forked process is told so, and its host tensors work."""
    output = python("""
        import os, torch
        from gpu_simulator import simulate
        simulate("1 GiB", compute="cpu")
        torch.ones(1, device="cuda")
        if (child := os.fork()) == 0:
            print(torch.ones(2).sum().item(), torch.cuda.is_initialized(), flush=True)
            try:
                torch.ones(1, device="cuda")
            except RuntimeError as error:
                print(error, flush=True)
            os._exit(0)
        os.waitpid(child, 0)
    """)
    assert output.splitlines()[0] == "2.0 False"
    assert output.splitlines()[1].startswith("Cannot re-initialize CUDA in forked subprocess.")
