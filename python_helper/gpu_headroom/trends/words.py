"""Messages of warnings, while a cell runs and after it."""

from __future__ import annotations

TEXTS = {
    "warning.filling_up": "GPU memory grows by {growth_bytes} per second: full in about {time}.",
    "warning.filling_up_steps": (
        "GPU memory grows by {growth_bytes} per step: full in about {time} ({steps} steps)."
    ),
    "warning.filling_up_holder": "Most of what grew is held by `{name}`: {held_bytes}.",
    "warning.growth": "This cell kept {growth_bytes} more on each of its last {runs} runs.",
    "warning.growth_holder": (
        "This cell kept {growth_bytes} more on each of its last {runs} runs: `{name}` grows."
    ),
    "warning.retries": (
        "GPU memory is nearly full: the allocator had to empty its cache {count} times "
        "while this cell ran, which makes it slow."
    ),
    "warning.beyond_gpu": (
        "PyTorch has reserved {excess_bytes} more than the GPU has: on the host, which is slow."
    ),
    "warning.host_low": (
        "Only {left_bytes} of the {total_bytes} that GPU and host share are left. Where they run "
        "out the machine may hang before any error: interrupt the cell or free memory."
    ),
    "warning.swallowed_oom": (
        "GPU memory ran out while this cell ran, and its code caught the error ({count} in all)."
    ),
    "warning.caught.first": (
        "Attempts that ran out of GPU memory, and whose errors were caught: {count}. The first, in "
        "line {line}, requested {requested_bytes} more; {in_use_bytes} of the GPU's "
        "{capacity_bytes} were in tensors, {cached_bytes} cached, {free_bytes} free."
    ),
    "warning.caught.of_total": (
        "{count} of {total} attempts ran out of GPU memory, and their errors were caught. The "
        "first, in line {line}, requested {requested_bytes} more; {in_use_bytes} of the GPU's "
        "{capacity_bytes} were in tensors, {cached_bytes} cached, {free_bytes} free."
    ),
}
