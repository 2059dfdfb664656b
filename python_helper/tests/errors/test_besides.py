"""What a message names besides its numbers."""

from __future__ import annotations

from gpu_headroom.errors import statement
from gpu_headroom.errors.besides import Besides, ProcessClause, besides
from tests.errors.test_recognise import OWN, SENTINEL, SPLIT, torch_2

GIB = 2**30


def clauses(message: str) -> Besides:
    """Return it, of a message that says that a GPU is full."""
    facts = statement.read(message)
    assert facts is not None
    return besides(message, facts)


def test_reads_other_processes() -> None:
    """Each with its id; a lone one is this process as the machine sees it from a container."""
    between = f" Process 7 has 1.00 GiB memory in use.{OWN} Process 8 has {SENTINEL} memory in use."
    result = clauses(torch_2(between=between))
    assert result.own_process_bytes == 7 * GIB
    assert result.processes == (ProcessClause(7, GIB), ProcessClause(8, None))
    assert not result.is_alone
    assert clauses(torch_2(between=" Process 7 has 7.00 GiB memory in use.")).is_alone


def test_reads_the_processes_of_the_last_of_several_messages() -> None:
    """As with all numbers: what is wrapped stands behind its wrapper's words."""
    first = torch_2(between=f"{OWN} Process 7 has 1.00 GiB memory in use.")
    last = torch_2(between=f"{OWN} Process 8 has 2.00 GiB memory in use.")
    assert clauses(f"{first}\n{last}").processes == (ProcessClause(8, 2 * GIB),)


def test_reads_the_private_pools_of_graphs() -> None:
    """They are a part of what is in use."""
    split = SPLIT.replace(
        "by PyTorch, and",
        "by PyTorch, with 1.00 GiB allocated in private pools (e.g., CUDA Graphs), and",
    )
    assert clauses(torch_2(split=split)).private_pools_bytes == GIB
    assert clauses(torch_2()).private_pools_bytes is None
