"""Messages about workers that the kernel does not start itself."""

from __future__ import annotations

TEXTS = {
    "worker.gone": "Nothing was done: it has ended, or its cell still runs.",
    "worker.asked": "Nothing was done: it was asked before, and has not answered yet.",
    "worker.begun": "It was done, but work began meanwhile: what came back is not measured.",
    "worker.busy": "Nothing was done: it is at work. Try again when it is idle.",
    "worker.failed": "The cluster did not do it: {error}",
    "worker.freed": "It freed **{freed_bytes}** and returned **{returned_bytes}** to the GPU.",
    "worker.no_hook": "Ray takes the helper as it starts only: "
    "`ray.init(runtime_env=gpu_headroom.ray_environment())`",
    "worker.no_box": "It is not known what came of it: the actor that carries letters has ended. "
    "Try again.",
    "worker.never": "The settings say that nothing is to be put into workers.",
    "worker.not_followed": "Workers are not measured, as the cluster does not take it: {error}",
    "worker.nothing": "Nothing was freed: it has not used a GPU.",
    "worker.silent": "None of them has said anything yet.",
    "worker.unanswered": "It does not answer: whether it has freed anything is not known.",
    "worker.untold": "Nothing was done: whether an actor with coroutines is at work is not known.",
    "workers.gpus": "GPU | In use | Cached | Capacity",
    "workers.following": "{workers}: the helper is on its way there.",
    "workers.goes_dask": "{workers}: the helper goes there as a worker plugin.",
    "workers.goes_ipyparallel": "{workers}: the helper goes there as a call.",
    "workers.goes_ray": "Ray workers: the helper goes there where Ray was started by "
    "`ray.init(runtime_env=gpu_headroom.ray_environment())`.",
    "workers.measured": "{workers}.",
    "workers.more": "{count} more workers.",
    "workers.none": "This notebook sends no work to other processes.",
    "workers.not_measured": "{workers}: not measured. `%gpu_headroom follow`",
    "workers.silent": "{workers}: it does not answer.",
    "workers.taken_back": "Nothing of the helper stays in workers.",
    "workers.takes_back": "`gpu_headroom.unfollow()` takes it back.",
}
