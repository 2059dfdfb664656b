"""Sentences about workers that the kernel does not start itself."""

from __future__ import annotations

TEXTS = {
    "worker.busy": "Nothing was done: it is at work. Try again when it is idle.",
    "worker.failed": "The cluster did not do it: {error}",
    "worker.freed": "It freed **{freed_bytes}** and returned **{returned_bytes}** to the card.",
    "worker.no_hook": "Ray takes the helper as it starts only: "
    "`ray.init(runtime_env=gpu_headroom.ray_environment())`",
    "worker.never": "The settings say that nothing is to be put into workers.",
    "worker.not_followed": "Workers are not measured, as the cluster does not take it: {error}",
    "worker.nothing": "Nothing was freed: it has not used a GPU.",
    "worker.restarted": "It was restarted.",
    "worker.silent": "None of them has said anything yet.",
    "workers.cards": "GPU | In use | Cached | Capacity",
    "workers.following": "{count} {workers}: the helper is on its way there.",
    "workers.goes_dask": "{count} Dask workers: the helper goes there as a worker plugin.",
    "workers.goes_ipyparallel": "{count} engines: the helper goes there as a call.",
    "workers.goes_ray": "Ray workers: the helper goes there where Ray was started by "
    "`ray.init(runtime_env=gpu_headroom.ray_environment())`.",
    "workers.measured": "{count} {workers}.",
    "workers.more": "{count} more GPUs.",
    "workers.none": "This notebook sends no work to other processes.",
    "workers.not_measured": "{count} {workers}: not measured. `%gpu_headroom follow`",
    "workers.silent": "{count} {workers}: it does not answer.",
    "workers.taken_back": "Nothing of the helper stays in workers.",
    "workers.takes_back": "`gpu_headroom.unfollow()` takes it back.",
}
