"""The sentences by id, as English templates; see `messages.py`.

Those of a rule or a remedy stand beside it, as its `TEXTS`.
"""

from __future__ import annotations

SENTENCES = {
    # The first line of a report.
    "report.title": "Out of GPU memory",
    "report.title_simulated": "Out of simulated GPU memory",
    "report.on": "{title} on {worker}",
    "worker.command": "a process of this cell",
    "worker.dask": "a Dask worker",
    "worker.dask_number": "Dask worker {rank}",
    "worker.ended": "It exited and freed **{returned_bytes}**.",
    "worker.ipyparallel": "engine {rank}",
    "worker.not_here": "This kernel cannot make the edit: the code is only in the worker.",
    "worker.process": "another process",
    "worker.rank": "rank {rank}",
    "worker.ray": "a Ray worker",
    "report.needed": "needed {requested} more, {available} was available",
    "report.needed_only": "needed {requested} more, what was available is not known",
    "report.size_unknown": "the size of the request is not known",
    "report.failed": "GPU Headroom could not analyze it: {error}.",
    # Requests that cannot be answered, and failures of the helper itself.
    "refused.malformed": "The request cannot be read: `{key}` is missing or has a wrong type.",
    "refused.unknown": "The helper in this kernel does not know the request `{name}`.",
    "refused.protocol": (
        "The helper in this kernel uses protocol {helper}, this page uses {page}: restart the "
        "kernel to use the page's."
    ),
    "refused.no_reading": "The GPU could not be read; the reason is in the log.",
    "refused.not_now": "Not measured now: a thread of the kernel is stopped, as at a breakpoint.",
    "refused.too_often": "Too many requests: try again in a second.",
    "refused.full": "Too many requests wait for the running cell: try again when it has ended.",
    "refused.failed": "The helper could not answer: {error}.",
    "error.part": "GPU Headroom: {part} failed: {error}.",
    # The report: words of its layout.
    "report.device": "GPU {index}, {name}, {capacity}",
    "report.simulated": "Simulated GPU: the numbers come from a model of PyTorch's allocator.",
    "report.place": "In [{execution_count}], line {line}.",
    "place.here": "line {line}",
    "place.cell": "line {line} of In [{execution_count}]",
    "place.file": "{file}, line {line}",
    "report.origin": "It failed in {function}, In [{execution_count}], line {line}.",
    "report.process": "Process {pid}.",
    "report.process_on": "Process {pid} on {host}.",
    "report.also_failed": "Others that failed with it: {count}.",
    "report.moment": "At the moment of failure",
    "report.cause": "Most likely cause",
    "report.also": "Also",
    "report.looking": "The measurement was not finished.",
    "report.look_further": "Look at all objects, and complete this report",
    "report.unread": "Stopped early: there is more code than there was time to read.",
    "report.no_cause": "No single cause stands out.",
    "report.traceback": (
        "The traceback of this error still keeps {traceback_bytes} in use: {variables}."
    ),
    "report.traceback_unnamed": "The traceback of this error still keeps {traceback_bytes} in use.",
    "report.remedies": "What you can do",
    "report.more": "More options",
    "report.snippet": "Run this in a new cell:",
    "report.cell": "In [{execution_count}]:",
    "report.details": "Details",
    "report.source": "Source",
    "report.not_measured": "not measured",
    "report.type_this": "Run `{code}` in a new cell.",
    "report.recorded": "Recorded by GPU Headroom on {date} UTC. Numbers are from that run.",
    "report.stub": (
        "Out of GPU memory. The details are not kept in this notebook: "
        "they are shown while the kernel that made them lives."
    ),
    # A CUDA that has stopped: its report, and what everything else says then.
    "sticky_error.sentence": (
        "CUDA has stopped in this kernel: nothing on the GPU can be measured or freed any more. "
        "Only a restart helps."
    ),
    "sticky_error.title": "CUDA has stopped in this kernel",
    "sticky_error.restart": "only a restart helps",
    "sticky_error.assert": (
        "**A check on the GPU failed** (`{said}`): mostly an index or a class label out of range."
    ),
    "sticky_error.access": "**Code on the GPU used memory that is not its own** (`{said}`).",
    "sticky_error.kernel": "**Code on the GPU crashed** (`{said}`).",
    "sticky_error.hardware": (
        "**The GPU itself failed** (`{said}`). If it happens again, tell the administrator."
    ),
    "sticky_error.evidence": (
        "CUDA reports it late: the fault may lie before that line. What was on the GPU is lost."
    ),
    "sticky_error.evidence_again": (
        "That was in an earlier cell: since then every call of CUDA fails, whatever a cell does."
    ),
    # Parts of a bar: of a report, and of an account.
    "part.outside": "outside",
    "part.named": "named",
    "part.graphs": "autograd graphs",
    "part.unnamed": "no name",
    "part.parameters": "parameters",
    "part.optimizer_state": "optimizer state",
    "part.gradients": "gradients",
    "part.activations": "activations",
    "part.other_tensors": "other tensors",
    "part.workspaces": "library workspaces",
    "part.earlier_error": "earlier error",
    "part.temporaries": "temporary values",
    "part.not_attributed": "not attributed",
    "part.cached": "cached",
    "part.free": "free",
    # The report: how good a number is.
    "effect.measured": "{effect} measured",
    "effect.estimated": "about {effect} estimated",
    "effect.at_least": "at least {effect}",
    "effect.not_measured": "not measured",
    # The report: rows under Details.
    "detail.requested": "Requested",
    "detail.free": "Free on the device",
    "detail.in_use": "In use by tensors",
    "detail.reserved": "Reserved by the framework",
    "detail.largest_block": "Largest free block in the cache",
    "detail.outside": "Outside this kernel's frameworks",
    "detail.capacity": "Capacity",
    "detail.allowed": "Allowed by the memory fraction",
    "detail.traceback": "Kept by the traceback only",
    "detail.not_attributed": "Not attributed",
    "detail.let_go": "Came back by itself after the error",
    "detail.process": "{name}, process {pid}",
    "detail.program": "{name}, another program",
    # The report: where the number of such a row comes from.
    "source.call": "{name}",
    "source.error": "error message",
    "source.outside": "capacity − free − reserved",
    "source.walk": "measured by walking the notebook's objects",
    "source.rest": "in use − what was found there",
    "source.later": "in use − in use when the cell had ended",
    "source.none": "no source",
    "remedy.restart": "Restart the kernel",
    "remedy.restart.note": (
        "Save first what is on the CPU. To see the line at fault, run the cell on the CPU, or with "
        "the environment variable `CUDA_LAUNCH_BLOCKING=1`, set before the first use of the GPU."
    ),
    # The answer to a fix request for a report that is gone.
    "fix.unknown": "This kernel no longer has the report that this button belongs to.",
    # Items of a plan: title, then what one loses.
    "item.traceback": "Tracebacks of failed cells",
    "item.traceback.cost": "You lose `%debug` for these errors.",
    "item.traceback.cost_debugging": "The debugger is open: leave it with `q` first.",
    "item.outputs.cost": (
        "The outputs stay on screen; `Out[n]` and `_` no longer give these values."
    ),
    "item.output": "Displayed value {names}, which no name holds",
    "item.output.more": "{count} more displayed values, which no name holds",
    "item.variable": "Variable `{names}`",
    "item.variable.same": "Variables `{names}`, one object",
    "item.variable.cost": "Cells that use it will fail until it is created again.",
    "item.variable.shared": (
        "Cells that use it will fail until it is created again. `{name}` holds part of it, too."
    ),
    "item.variable.held": (
        "Alone it frees nothing: something else, such as a failed cell's traceback, holds it, too."
    ),
    "item.variable.blocked": "Deleting it frees nothing: `{name}` holds the same memory.",
    "item.leftover": "Left over from a loop: `{names}`",
    "item.leftover.same": "Left over from a loop: `{names}`, one object",
    "item.leftover.cost": "The loop makes it again when it runs.",
    "item.graph": "Autograd graph of `{names}`",
    "item.graph.cost": "The values stay, but no backward pass can go through `{names}`.",
    "item.graph.view": "`{path}` is a view of another tensor: PyTorch cannot detach it in place.",
    "item.graph.views_left": (
        "There are views among the tensors ({count}): PyTorch cannot detach them in place."
    ),
    "item.error": "Tracebacks of errors that `{name}` keeps ({count})",
    "item.error.unnamed": "Tracebacks of errors that no variable leads to: `{type_name}` ({count})",
    "item.error.cost": (
        "The errors stay; their tracebacks and the variables of {frames} functions go."
    ),
    "confirm.delete": (
        "Delete `{names}`? {freed_bytes}. Cells that use it will fail until it is created again."
    ),
    "confirm.delete_unmeasured": (
        "Delete `{names}`? Cells that use it will fail until it is created again."
    ),
    "confirm.graph": "Detach `{names}`? No backward pass can go through it afterwards.",
    "confirm.error": (
        "Drop these tracebacks and the variables of {frames} functions? The errors stay."
    ),
    "item.garbage": "Objects that nothing reaches",
    "item.garbage.cost": "Nothing is lost.",
    "item.cache": "Unused cache of PyTorch",
    "item.cache.cost": (
        "For other programs. Adds no headroom here: this kernel can already reuse it."
    ),
    "item.cache.capturing": "A CUDA graph is being captured: measuring would break it.",
    "plan.beside": (
        "A thread or task of yours is inside a framework (`{name}`): what each would give is not "
        "measured beside it."
    ),
    "plan.beside_unasked": (
        "A thread or task of yours is inside a framework (`{name}`): what can be freed is not "
        "measured beside it unless you ask."
    ),
    "plan.incomplete": "Not all was measured: there are more objects than there was time for.",
    "plan.cancelled": "Canceled: what can be freed was not measured.",
    "plan.failed": "What can be freed could not be measured: {error}.",
    "item.named": "`{name}`",
    "item.beside": "Not while your thread or task `{name}` runs: it may be training.",
    "item.gone": "It is no longer there.",
    "item.failed": "It could not be freed: {error}.",
    "item.kept": "Something without a name keeps the rest.",
    "item.gradients": "Gradients of `{name}`",
    "item.gradients.cost": (
        "Accumulated gradients are lost: the next `step()` needs another `backward()`."
    ),
    "item.optimizer_state": "State of the optimizer `{name}`",
    "item.optimizer_state.cost": (
        "Momentum and counts of steps are lost: the optimizer starts afresh."
    ),
    "item.captured": "CUDA graphs were captured, and would go on using this memory.",
    "item.compiled.cost": (
        "Compiled functions are compiled again when they are called, which takes a while."
    ),
    "confirm.gradients": "Delete the gradients of `{name}`? Accumulated ones are lost.",
    "confirm.optimizer_state": "Delete the state of `{name}`? The optimizer starts afresh.",
    "confirm.framework_cache": "Clear this cache? Its content is created again when needed.",
    "plan.ready": "About {expected_bytes} can be freed without deleting a variable you named.",
    "plan.nothing": "Nothing can be freed without deleting a variable you named.",
    "cleanup.written": "The clean-up cell was written.",
    "cleanup.cancelled": "Canceled: the clean-up cell was not written.",
    "cleanup.failed": "The clean-up cell could not be written: {error}.",
    "cleanup.busy": "A cell is running: the clean-up cell can be written when it has ended.",
    "snapshot.cancelled": "Canceled: nothing was saved.",
    # What a release did.
    "released.done": "Freed {freed_bytes}: headroom is now {headroom_bytes}.",
    "released.done_no_headroom": "Freed {freed_bytes}.",
    "released.cache_only": (
        "Nothing had to go; {returned_bytes} of unused cache returned to the GPU."
    ),
    "released.by_itself": (
        "Freed {freed_bytes} automatically, as set in the settings: headroom is now "
        "{headroom_bytes}. You lose `%debug` for this error."
    ),
    "released.by_itself_no_headroom": (
        "Freed {freed_bytes} automatically, as set in the settings. "
        "You lose `%debug` for this error."
    ),
    "released.nothing": "Nothing was freed.",
    "released.nothing_held": (
        "Nothing was freed: {in_use_bytes} are held by names of yours, most by `{name}`."
    ),
    "released.not_measured": "Released, but not measured: no GPU framework is live.",
    "released.debugging": "Nothing was freed: the debugger is open. Leave it with `q` first.",
    "released.stale": "Nothing was freed: what was agreed to is not as it was then.",
    "released.unconfirmed": (
        "Nothing was freed: `{name}` loses something, so it has to be confirmed."
    ),
    "released.busy": "Another cell is running: memory can be freed when it has ended.",
    "released.unknown": "There is no item `{name}`. The plan lists all items.",
    "released.failed": "The release stopped early: {error}.",
    "released.cancelled": "The release was canceled.",
    # What one should know to read the numbers of a device.
    "note.preallocated": (
        "{framework} took a pool of {pool_bytes} when it started, on purpose: "
        "its size says nothing about need."
    ),
    "note.mapping": (
        "This machine has several kinds of GPU: which of them this kernel will call GPU {index} "
        "is not certain."
    ),
    "note.wddm_others": "The GPU memory of other programs is not available on Windows.",
    "note.beyond_gpu": (
        "More is reserved than this GPU's {total_bytes}: the driver keeps {excess_bytes} in host "
        "memory (shared GPU memory), which makes everything on this GPU slow."
    ),
    # Who holds what: what came of the walk.
    "holders.measured": (
        "Names, displayed values and tracebacks hold {held_bytes} of the {in_use_bytes} in use."
    ),
    "holders.measured_in_part": (
        "At least {held_bytes} of {in_use_bytes} have names; PyTorch shows a part of the graphs."
    ),
    "holders.beside": (
        "A thread or task of yours is inside a framework (`{name}`): gradients and graphs are not "
        "measured beside it."
    ),
    "holders.beside_unasked": (
        "A thread or task of yours is inside a framework (`{name}`): what it holds is not measured."
    ),
    "holders.beside_waiting": (
        "A thread or task of yours may run at any moment (`{name}`): not everything is measured."
    ),
    "holders.disturbed": "One of your threads started training meanwhile: not measured.",
    "holders.unreadable": (
        "This version of PyTorch cannot be read without running code of its tensors: not measured."
    ),
    "holders.cancelled": "Canceled: not measured.",
    "holders.incomplete": (
        "Stopped early: there are more objects than there was time for. Some names may be missing, "
        "and what they hold is not attributed."
    ),
    "holders.surplus": "{surplus_bytes} more were found than the frameworks count.",
    "holders.nothing": "Nothing is in use on the GPU.",
    "holders.not_measured": "Not measured: no GPU framework is live.",
    "holders.failed": "The measurement stopped early: {error}.",
    # Who holds what: what to do about a holder.
    "hint.graphs": (
        "`{name}` keeps {count} tensors with their graphs: "
        "collect `loss.item()` or `tensor.detach()` instead."
    ),
    "hint.graph": (
        "`{name}` keeps {graph_bytes} for a backward pass: "
        "`.detach()` or `.item()` keeps the value alone."
    ),
    "hint.outputs": (
        "A displayed value stays in `Out`; a semicolon after the last expression keeps it out."
    ),
    "hint.traceback": "The error of this cell keeps its variables until the next error.",
    "hint.modules": "A module keeps it: deleting variables of the notebook does not free it.",
    "hint.garbage": "Objects that only refer to each other: `gc.collect()` frees them.",
    "hint.elsewhere": (
        "No name leads to it: a running function, an autograd graph or native code keeps it."
    ),
    # Who holds it: the steps of a way, from a name to an object.
    "path.name": "`{name}`",
    "path.failed": "`{name}`, kept by the traceback of an error",
    "path.failed_cell": "`{name}`, kept by the traceback of {cell}",
    "path.type": "{type_name}",
    # Who holds it: what came of the search.
    "path.found_one": "One way leads to it.",
    "path.found": "{count} ways lead to it.",
    "path.stopped": "Stopped early. Nothing found so far.",
    "path.beside": "Not followed further beside your thread or task `{name}`. Found so far:",
    "path.gone": "It is no longer there: the list is older than the memory.",
    "path.unreached": (
        "No name leads to it: objects that refer to each other, or native code, keep it."
    ),
    "path.broken_off": "The search stopped early: {error}.",
    "path.native": (
        "No Python object refers to it: "
        "native code, autograd or a function that still runs keeps it."
    ),
    # The text summary of consoles, which stays English: translators are not asked for it.
    "summary.no_reading": "The GPU could not be read.",
    "summary.state.no_framework": "No GPU framework is loaded yet.",
    "summary.state.not_initialised": "PyTorch has not used the GPU yet.",
    "summary.state.no_gpu": "This PyTorch has no GPU.",
    "summary.state.live": "No GPU is in use yet.",
    "summary.with_confirm": "Only with --confirm:",
    "summary.still_in_use": "Still in use: {held}",
    "summary.shared": "GPU {index}: in use by {shares}.",
    "summary.limited": "GPU {index}: the capacity is the limit that was set for this process.",
    "summary.host": "Host memory: {rss} in this process, {available} available of {total}",
    "summary.sum": "GPU {index}: {in_use_bytes} in use = {parts}",
    "summary.part.named": "{part_bytes} named",
    "summary.part.graphs": "{part_bytes} in autograd graphs",
    "summary.part.unnamed": "{part_bytes} unnamed",
    "summary.part.workspaces": "{part_bytes} workspaces of cuBLAS",
    "summary.part.not_attributed": "{part_bytes} not attributed",
    "summary.more_rows": "and {count} more with {rest_bytes}",
    # Heads of its tables, column by column.
    "summary.devices": "GPU | Name | Used | Headroom | In use | Cached | Outside | Free | Capacity",
    "summary.items": "Item | About | What you lose",
    "summary.freed": "Freed | Item |",
    "summary.holders": "Size | Kind | Held by",
    "summary.holders_made": "Size | Kind | Held by | Made in",
    # Export of PyTorch's memory snapshot.
    "snapshot.written": "Wrote {file_bytes} to `{path}`.",
    "snapshot.exists": "`{path}` exists already: nothing was written.",
    "snapshot.failed": "The snapshot could not be written: {error}.",
    "snapshot.not_initialised": "There is no snapshot: PyTorch has not used the GPU yet.",
}
