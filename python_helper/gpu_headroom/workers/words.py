"""Messages about workers that the kernel does not start itself."""

from __future__ import annotations

TEXTS = {
    "worker.gone": "Nothing was done: it has ended, or its cell still runs.",
    "worker.asked": "Nothing was done: it was asked before, and has not answered yet.",
    "worker.begun": "It was done, but work began meanwhile: what came back is not measured.",
    "worker.busy": "Nothing was done: it is at work. Try again when it is idle.",
    "worker.failed": "The cluster refused: {error}",
    "worker.freed": "It freed **{freed_bytes}** and returned **{returned_bytes}** to the GPU.",
    "worker.no_hook": "Ray takes the helper as it starts only: "
    "`ray.init(runtime_env=gpu_headroom.ray_environment())`",
    "worker.no_box": "The result is not known: the actor that relays messages has ended. Try "
    "again.",
    "worker.never": "Measuring workers is turned off in the settings.",
    "worker.not_followed": "Workers are not measured, as the cluster refused: {error}",
    "worker.nothing": "Nothing was freed: it has not used a GPU.",
    "worker.silent": "None of them has said anything yet.",
    "worker.unanswered": "It does not answer: whether it has freed anything is not known.",
    "worker.untold": "Nothing was done: whether an actor with coroutines is at work is not known.",
    "workers.gpus": "GPU | In use | Cached | Capacity",
    "workers.following": "{workers}: the helper is starting there.",
    "workers.goes_dask": "{workers}: the helper is started as a worker plugin.",
    "workers.goes_ipyparallel": "{workers}: the helper is started by a call.",
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
