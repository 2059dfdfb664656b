import type { TranslationBundle } from '@jupyterlab/translation';

import { formatBytes } from './format';
import { own } from './frame/own';
import type { IWords } from './frame/state';
import type { IMessage } from './protocol';

/**
 * The catalogue in the person's language: id to template.
 *
 * The counterpart of `python_helper/gpu_headroom/text/messages.py`, whose tests fail
 * when ids or texts differ. A placeholder ending in `_bytes` stands for a size.
 */
export function templates(trans: TranslationBundle): Record<string, string> {
  return {
    'card.title': trans.__('Out of GPU memory'),
    'card.title_simulated': trans.__('Out of simulated GPU memory'),
    'card.needed': trans.__(
      'needed {requested} more, {available} was available'
    ),
    'card.needed_only': trans.__(
      'needed {requested} more, what was available is not known'
    ),
    'card.size_unknown': trans.__('the size of the request is not known'),
    'card.device': trans.__('GPU {index}, {name}, {capacity}'),
    'card.simulated': trans.__(
      "Simulated GPU: the numbers come from a model of PyTorch's allocator."
    ),
    'card.place': trans.__('In [{execution_count}], line {line}.'),
    'card.moment': trans.__('At the moment of failure'),
    'card.cause': trans.__('Most likely cause'),
    'card.no_cause': trans.__('No single cause stands out.'),
    'card.traceback': trans.__(
      'The traceback of this error still keeps {traceback_bytes} in use: {variables}.'
    ),
    'card.traceback_unnamed': trans.__(
      'The traceback of this error still keeps {traceback_bytes} in use.'
    ),
    'card.remedies': trans.__('What you can do'),
    'card.details': trans.__('Details'),
    'card.source': trans.__('Source'),
    'card.not_measured': trans.__('not measured'),
    'card.type_this': trans.__('Run `{code}` in a new cell.'),
    'card.recorded': trans.__(
      'Recorded by GPU Headroom on {date} UTC. Numbers are from that run.'
    ),
    'card.stub': trans.__(
      'Out of GPU memory. The details are not kept in this notebook: they are shown while the kernel that made them lives.'
    ),
    'card.incomplete': trans.__(
      "GPU Headroom's second part has not arrived in this kernel, so this is all it can say."
    ),
    'card.failed': trans.__('GPU Headroom could not say more: {error}.'),
    'poisoned.sentence': trans.__(
      'CUDA has stopped in this kernel: nothing on the GPU can be measured or freed any more. Only a restart helps.'
    ),
    'poisoned.title': trans.__('CUDA has stopped in this kernel'),
    'poisoned.restart': trans.__('only a restart helps'),
    'poisoned.assert': trans.__(
      '**A check on the GPU failed** (`{said}`): mostly an index or a class label out of range.'
    ),
    'poisoned.access': trans.__(
      '**Code on the GPU used memory that is not its own** (`{said}`).'
    ),
    'poisoned.kernel': trans.__('**Code on the GPU crashed** (`{said}`).'),
    'poisoned.hardware': trans.__(
      '**The card itself failed** (`{said}`). If it happens again, tell who runs this machine.'
    ),
    'poisoned.evidence': trans.__(
      'CUDA reports it late: the fault may lie before the line that is shown, or in an earlier cell. What this kernel has on the GPU is lost, and every further call of CUDA fails.'
    ),
    'poisoned.evidence_again': trans.__(
      'That was in an earlier cell: since then every call of CUDA fails, whatever a cell does.'
    ),
    'part.outside': trans.__('outside'),
    'part.parameters': trans.__('parameters'),
    'part.optimizer_state': trans.__('optimizer state'),
    'part.gradients': trans.__('gradients'),
    'part.activations': trans.__('activations'),
    'part.other_tensors': trans.__('other tensors'),
    'part.not_attributed': trans.__('not attributed'),
    'part.cached': trans.__('cached'),
    'part.free': trans.__('free'),
    'effect.measured': trans.__('{effect} measured'),
    'effect.estimated': trans.__('about {effect} estimated'),
    'effect.not_measured': trans.__('not measured'),
    'detail.requested': trans.__('Requested'),
    'detail.free': trans.__('Free on the device'),
    'detail.in_use': trans.__('In use by tensors'),
    'detail.reserved': trans.__('Reserved by the framework'),
    'detail.largest_block': trans.__('Largest free block in the cache'),
    'detail.outside': trans.__("Outside this kernel's frameworks"),
    'detail.capacity': trans.__('Capacity'),
    'detail.allowed': trans.__('Allowed by the memory fraction'),
    'detail.traceback': trans.__('Kept by the traceback only'),
    'detail.not_attributed': trans.__('Not attributed'),
    'detail.let_go': trans.__('Came back by itself after the error'),
    'cause.earlier-traceback': trans.__(
      '**The traceback of an earlier error held {held_bytes}** of the {in_use_bytes} in tensors.'
    ),
    'cause.earlier-traceback.evidence': trans.__(
      'A cell failed before this one, and its variables were still alive. The request for {requested_bytes} would have fitted without them.'
    ),
    'cause.other-programs': trans.__(
      "**Other programs: {outside_bytes} of the card's {capacity_bytes}** are not this kernel's."
    ),
    'cause.other-programs.evidence': trans.__(
      "This kernel's tensors take {in_use_bytes}. The request for {requested_bytes} would have fitted on a card that is otherwise empty."
    ),
    'cause.huge-request': trans.__(
      '**One request of {requested_bytes}** on a card of {capacity_bytes}.'
    ),
    'cause.huge-request.evidence': trans.__(
      'It is larger than the whole card: freeing memory cannot help. Look at the shapes on line {line}.'
    ),
    'cause.huge-request.evidence_unplaced': trans.__(
      'It is larger than the whole card: freeing memory cannot help. Look at the shapes of what the failing line makes.'
    ),
    'cause.huge-request.evidence_fits_empty': trans.__(
      'It is larger than everything in use together ({in_use_bytes}). A single tensor fills most of the card: look at its shape.'
    ),
    'cause.fragmentation': trans.__(
      '**Fragmentation: {unused_bytes} are reserved but scattered**, the largest free piece is {largest_bytes}.'
    ),
    'cause.fragmentation.unmeasured': trans.__(
      '**Fragmentation: {unused_bytes} are reserved but scattered.**'
    ),
    'cause.fragmentation.evidence': trans.__(
      'The request for {requested_bytes} would fit into the {unused_bytes} of cache and the {free_bytes} free on the card if they were in one piece.'
    ),
    'cause.model-too-large': trans.__(
      '**Model and optimizer: {model_bytes} of the {in_use_bytes} in tensors.**'
    ),
    'cause.model-too-large.evidence': trans.__(
      'Parameters {parameters_bytes}, gradients {gradients_bytes}, optimizer state {optimizer_bytes}. They do not shrink with the batch.'
    ),
    'cause.evaluation-with-gradients': trans.__(
      '**A graph kept in evaluation: {activations_bytes} of the {in_use_bytes} in tensors.**'
    ),
    'cause.evaluation-with-gradients.evidence': trans.__(
      '`{model}` is in evaluation mode, yet its activations are kept for a backward pass.'
    ),
    'cause.retained-graph': trans.__(
      '**`{name}` keeps {held_bytes} of activations** of the {in_use_bytes} in tensors.'
    ),
    'cause.retained-graph.evidence': trans.__(
      "It collects {count} tensors with their graphs, so each step's activations stay alive."
    ),
    'cause.unnamed-values': trans.__(
      '**Values without a name: {values_bytes} of the {in_use_bytes} in tensors.**'
    ),
    'cause.unnamed-values.evidence': trans.__(
      'The failing line was still making them: a comprehension or a long expression keeps all its values until it is done. They went with the error, so none of them is left to free.'
    ),
    'cause.activations': trans.__(
      '**Activations: {activations_bytes} of the {in_use_bytes} in tensors.**'
    ),
    'cause.activations.evidence': trans.__(
      'They are what the forward pass keeps for the backward pass; they grow with the batch and with the length of the input.'
    ),
    'cause.activations.evidence_batch': trans.__(
      'They are what the forward pass keeps for the backward pass; they grow with `{name}` ({value}).'
    ),
    'remedy.free-traceback': trans.__(
      "Free {traceback_bytes} held by this error's traceback"
    ),
    'remedy.free-traceback.note': trans.__(
      "The traceback keeps the failed cell's variables alive. You lose `%debug` for this error."
    ),
    'remedy.free-traceback.note_not_enough': trans.__(
      "The traceback keeps the failed cell's variables alive. You lose `%debug` for this error. Freeing alone will not make this cell fit."
    ),
    'remedy.free-traceback.note_at_once': trans.__(
      'Freed at once, as your settings ask. You lose `%debug` for this error.'
    ),
    'remedy.smaller-batch': trans.__(
      '`{name} = {old}` → `{new}` (line {line})'
    ),
    'remedy.smaller-batch.elsewhere': trans.__(
      '`{name} = {old}` → `{new}` (line {line} of In [{execution_count}])'
    ),
    'remedy.smaller-batch.note': trans.__(
      'Activations scale with the batch. Training changes slightly: check the learning rate.'
    ),
    'remedy.smaller-batch.note_unsure': trans.__(
      'Activations scale with the batch, but even so it may not fit. Training changes slightly: check the learning rate.'
    ),
    'remedy.smaller-batch.note_predicted': trans.__(
      'Measured runs of this cell say that the largest `{name}` lies between {low} and {high}. Training changes slightly: check the learning rate.'
    ),
    'remedy.no-grad': trans.__('Run the evaluation under `torch.no_grad()`'),
    'remedy.no-grad.note': trans.__(
      'Activations are then not kept. Gradients cannot be had from it.'
    ),
    'remedy.detach': trans.__('Collect numbers instead of graphs in `{name}`'),
    'remedy.detach.note': trans.__(
      'Append `loss.item()` or `tensor.detach()`: the graph of each step is then let go.'
    ),
    'remedy.expandable-segments': trans.__(
      'Let the allocator grow its segments'
    ),
    'remedy.expandable-segments.note': trans.__(
      'Set it before the first GPU tensor: the kernel must be restarted.'
    ),
    'remedy.close-other-programs': trans.__('Free the GPU from other programs'),
    'remedy.close-other-programs.note': trans.__(
      "Shut down other notebooks' kernels on this GPU; `nvidia-smi` lists all programs."
    ),
    'remedy.lighter-optimizer': trans.__('An optimizer with less state'),
    'remedy.lighter-optimizer.note': trans.__(
      'The state takes {optimizer_bytes}. `SGD` without momentum keeps none, 8-bit optimizers about a quarter. Training changes.'
    ),
    'remedy.split-request': trans.__('Make the tensor in pieces'),
    'remedy.split-request.note': trans.__(
      'Work through the input in chunks, or keep the large tensor on the CPU.'
    ),
    'remedy.restart': trans.__('Restart the kernel'),
    'remedy.restart.note': trans.__(
      'Save first what is on the CPU. To see the line at fault, run the cell on the CPU, or with the environment variable `CUDA_LAUNCH_BLOCKING=1`, set before the first use of the GPU.'
    ),
    'fix.ok': trans.__('`{name} = {old}` becomes `{new}`.'),
    'fix.changed': trans.__(
      'The cell was edited after it failed; line {line} no longer matches.'
    ),
    'fix.missing': trans.__(
      'The cell with line {line} is no longer in the notebook.'
    ),
    'fix.unknown': trans.__(
      'This kernel no longer knows the card that this button belongs to.'
    ),
    'item.traceback': trans.__('Tracebacks of failed cells'),
    'item.traceback.cost': trans.__('You lose `%debug` for these errors.'),
    'item.traceback.cost_debugging': trans.__(
      'The debugger is open: leave it with `q` first.'
    ),
    'item.outputs.cost': trans.__(
      'The outputs stay on screen; `Out[n]` and `_` no longer give these values.'
    ),
    'item.output': trans.__('Displayed value {names}, which no name holds'),
    'item.output.more': trans.__(
      '{count} more displayed values, which no name holds'
    ),
    'item.variable': trans.__('Variable `{names}`'),
    'item.variable.same': trans.__('Variables `{names}`, one object'),
    'item.variable.cost': trans.__(
      'Cells that use it will fail until it is made again.'
    ),
    'item.variable.shared': trans.__(
      'Cells that use it will fail until it is made again. `{name}` holds part of it, too.'
    ),
    'item.variable.held': trans.__(
      "Alone it frees nothing: something else, such as a failed cell's traceback, holds it, too."
    ),
    'item.variable.blocked': trans.__(
      'Deleting it frees nothing: `{name}` holds the same memory.'
    ),
    'item.leftover': trans.__('Left over from a loop: `{names}`'),
    'item.leftover.same': trans.__(
      'Left over from a loop: `{names}`, one object'
    ),
    'item.leftover.cost': trans.__('The loop makes it again when it runs.'),
    'item.graph': trans.__('Autograd graph of `{names}`'),
    'item.graph.cost': trans.__(
      'The values stay; no backward pass can go through `{names}` any more.'
    ),
    'item.graph.view': trans.__(
      '`{path}` is a view of another tensor: PyTorch cannot detach it in place.'
    ),
    'item.graph.views_left': trans.__(
      '{count} of the tensors are views: PyTorch cannot detach them in place.'
    ),
    'item.error': trans.__(
      'Tracebacks of errors that `{name}` keeps ({count})'
    ),
    'item.error.unnamed': trans.__(
      'Tracebacks of errors that no variable leads to: `{type_name}` ({count})'
    ),
    'item.error.cost': trans.__(
      'The errors stay; their tracebacks and the variables of {frames} functions go.'
    ),
    'confirm.delete': trans.__(
      'Delete `{names}`? {freed_bytes}. Cells that use it will fail until it is made again.'
    ),
    'confirm.delete_unmeasured': trans.__(
      'Delete `{names}`? Cells that use it will fail until it is made again.'
    ),
    'confirm.graph': trans.__(
      'Detach `{names}`? No backward pass can go through it any more.'
    ),
    'confirm.error': trans.__(
      'Drop these tracebacks and the variables of {frames} functions? The errors stay.'
    ),
    'item.garbage': trans.__('Objects that nothing reaches'),
    'item.garbage.cost': trans.__('Nothing is lost.'),
    'item.cache': trans.__('Unused cache of PyTorch'),
    'item.cache.cost': trans.__(
      'For other programs. Adds no headroom here: this kernel can already reuse it.'
    ),
    'item.cache.capturing': trans.__(
      'A CUDA graph is being captured, which this would break.'
    ),
    'plan.failed': trans.__(
      'What can be freed could not be measured: {error}.'
    ),
    'plan.beside': trans.__(
      'A thread or task of yours is inside a framework (`{name}`): what each would give is not measured beside it.'
    ),
    'plan.beside_unasked': trans.__(
      'A thread or task of yours is inside a framework (`{name}`): what can be freed is not measured beside it unless you ask.'
    ),
    'plan.incomplete': trans.__(
      'Not all was measured: there are more objects than there was time for.'
    ),
    'plan.cancelled': trans.__(
      'Cancelled: what can be freed was not measured.'
    ),
    'item.named': trans.__('`{name}`'),
    'item.gone': trans.__('It is no longer there.'),
    'item.beside': trans.__(
      'Not while your thread or task `{name}` runs: it may be training.'
    ),
    'item.failed': trans.__('It could not be freed: {error}.'),
    'item.kept': trans.__('Something that no name leads to keeps the rest.'),
    'item.gradients': trans.__('Gradients of `{name}`'),
    'item.gradients.cost': trans.__(
      'Accumulated gradients are lost: the next `step()` needs another `backward()`.'
    ),
    'item.optimizer_state': trans.__('State of the optimizer `{name}`'),
    'item.optimizer_state.cost': trans.__(
      'Momentum and counts of steps are lost: the optimizer starts afresh.'
    ),
    'item.offload': trans.__('Move `{name}` to the CPU'),
    'item.offload.cost': trans.__(
      "With its gradients and its optimizers' state; takes {host_bytes} of host memory. What uses it on the GPU fails until it is moved back."
    ),
    'item.offload.cost_tensor': trans.__(
      'Takes {host_bytes} of host memory. What uses it on the GPU fails until it is moved back.'
    ),
    'item.offload.host': trans.__(
      'It takes {host_bytes} of host memory, and {available_bytes} are left there.'
    ),
    'item.offload.managed': trans.__(
      '`{type_name}` places its parameters itself.'
    ),
    'item.offload.kind': trans.__(
      'It has a tensor of the kind `{type_name}`, which cannot be moved so.'
    ),
    'item.offload.shared': trans.__(
      'Views of it ({count}) would stay behind and no longer be views.'
    ),
    'item.restore': trans.__('Move `{name}` back to the GPU'),
    'item.restore.cost': trans.__('Takes {needed_bytes} of GPU memory.'),
    'item.restore.full': trans.__(
      'It takes {needed_bytes}, and the headroom of GPU {index} is {headroom_bytes}.'
    ),
    'item.restore.done': trans.__(
      'All {count} tensors of `{name}` are back on the GPU.'
    ),
    'item.restore.partly': trans.__(
      '{count} tensors of `{name}` are not on the GPU.'
    ),
    'item.captured': trans.__(
      'CUDA graphs were captured, and would go on using this memory.'
    ),
    'item.framework_cache.cublas': trans.__('Workspaces of cuBLAS'),
    'item.framework_cache.cublas.cost': trans.__(
      'Taken again by the next product of matrices.'
    ),
    'item.framework_cache.cufft': trans.__('Plans of cuFFT'),
    'item.framework_cache.cufft.cost': trans.__(
      'Made again by the next Fourier transforms.'
    ),
    'item.framework_cache.compile': trans.__(
      'What `torch.compile` has compiled'
    ),
    'item.framework_cache.compile.cost': trans.__(
      'Compiled functions are compiled again when they are called, which takes a while.'
    ),
    'item.framework_cache.jax': trans.__('What JAX has compiled'),
    'item.framework_cache.cupy': trans.__("Unused blocks of CuPy's pool"),
    'item.framework_cache.cupy.cost': trans.__(
      'Taken again when CuPy needs them.'
    ),
    'confirm.gradients': trans.__(
      'Delete the gradients of `{name}`? Accumulated ones are lost.'
    ),
    'confirm.optimizer_state': trans.__(
      'Delete the state of `{name}`? The optimizer starts afresh.'
    ),
    'confirm.offload': trans.__(
      'Move `{name}` to the CPU? It takes {host_bytes} of host memory, and what uses it on the GPU fails until it is moved back.'
    ),
    'confirm.restore': trans.__('Move `{name}` back to the GPU?'),
    'confirm.framework_cache': trans.__(
      'Clear this cache? What was in it is made again when needed.'
    ),
    'plan.ready': trans.__(
      'About {expected_bytes} can be freed without deleting a variable you named.'
    ),
    'plan.nothing': trans.__(
      'Nothing can be freed without deleting a variable you named.'
    ),
    'cleanup.busy': trans.__(
      'A cell is running: the clean-up cell can be written when it has ended.'
    ),
    'cleanup.written': trans.__('The clean-up cell was written.'),
    'cleanup.cancelled': trans.__(
      'Cancelled: the clean-up cell was not written.'
    ),
    'cleanup.failed': trans.__(
      'The clean-up cell could not be written: {error}.'
    ),
    'released.done': trans.__(
      'Freed {freed_bytes}: headroom is now {headroom_bytes}.'
    ),
    'released.done_no_headroom': trans.__('Freed {freed_bytes}.'),
    'released.cache_only': trans.__(
      'Nothing was in the way; {returned_bytes} of unused cache went back to the card.'
    ),
    'released.by_itself': trans.__(
      'Freed {freed_bytes} at once, as your settings ask: headroom is now {headroom_bytes}. `%debug` for this error is lost.'
    ),
    'released.by_itself_no_headroom': trans.__(
      'Freed {freed_bytes} at once, as your settings ask. `%debug` for this error is lost.'
    ),
    'released.nothing': trans.__('Nothing was freed.'),
    'released.nothing_held': trans.__(
      'Nothing was freed: {in_use_bytes} are held by names of yours, most by `{name}`.'
    ),
    'released.not_measured': trans.__(
      'Released, but not measured: no GPU framework is live.'
    ),
    'released.debugging': trans.__(
      'Nothing was freed: the debugger is open. Leave it with `q` first.'
    ),
    'released.unconfirmed': trans.__(
      'Nothing was freed: `{name}` loses something, so it has to be confirmed.'
    ),
    'released.unknown': trans.__(
      'There is no item `{name}`: what there is stands in the plan.'
    ),
    'released.elsewhere': trans.__(
      'Another cell is running: memory can be freed when it has ended.'
    ),
    'released.failed': trans.__('The release stopped early: {error}.'),
    'released.cancelled': trans.__('The release was cancelled.'),
    'note.preallocated': trans.__(
      '{framework} took a pool of {pool_bytes} when it started, on purpose: its size says nothing about need.'
    ),
    'note.mapping': trans.__(
      'This machine has several kinds of GPU: which of them this kernel will call GPU {index} is not certain.'
    ),
    'prediction.range': trans.__(
      'From {runs} measured runs: the largest `{name}` that fits lies between {low} and {high}.'
    ),
    'prediction.no_batch': trans.__(
      'Not measured: no batch size was found in the code of the last cells.'
    ),
    'prediction.few_runs': trans.__(
      'Not measured: that takes two runs of the cell with another `{name}`, the larger one last.'
    ),
    'prediction.small_share': trans.__(
      'Not measured: so far most of the memory does not depend on `{name}`. Try a larger one.'
    ),
    'prediction.too_far': trans.__(
      'Not measured: more than {times} times the largest `{name}` that ran. Try a larger one.'
    ),
    'prediction.unclear': trans.__(
      'Not measured: the runs leave open what the largest `{name}` is. Try a larger one.'
    ),
    'warning.filling_up': trans.__(
      'GPU memory grows by {growth_bytes} per second: full in about {time}.'
    ),
    'warning.filling_up_steps': trans.__(
      'GPU memory grows by {growth_bytes} per step: full in about {time} ({steps} steps).'
    ),
    'warning.filling_up_holder': trans.__(
      'Most of what grew is held by `{name}`: {held_bytes}.'
    ),
    'warning.growth': trans.__(
      'This cell kept {growth_bytes} more on each of its last {runs} runs.'
    ),
    'warning.growth_holder': trans.__(
      'This cell kept {growth_bytes} more on each of its last {runs} runs: `{name}` grows.'
    ),
    'warning.retries': trans.__(
      'GPU memory is nearly full: the allocator had to empty its cache {count} times while this cell ran, which makes it slow.'
    ),
    'warning.swallowed_oom': trans.__(
      'GPU memory ran out while this cell ran, and its code caught the error ({count} in all).'
    ),
    'holders.measured': trans.__(
      'Names, displayed values and tracebacks hold {held_bytes} of the {in_use_bytes} in use.'
    ),
    'holders.incomplete': trans.__(
      'Stopped early: there are more objects than there was time for. Some names may be missing, and what they hold is not attributed.'
    ),
    'holders.beside': trans.__(
      'A thread or task of yours is inside a framework (`{name}`): gradients and graphs are not measured beside it.'
    ),
    'holders.beside_unasked': trans.__(
      'A thread or task of yours is inside a framework (`{name}`): what it holds is not measured.'
    ),
    'holders.disturbed': trans.__(
      'A thread of yours began to train meanwhile: not measured.'
    ),
    'holders.unreadable': trans.__(
      'This version of PyTorch cannot be looked at without running code of its tensors: not measured.'
    ),
    'holders.cancelled': trans.__('Cancelled: not measured.'),
    'holders.surplus': trans.__(
      '{surplus_bytes} more were found than the frameworks count: memory shared with other programs or libraries, or made since.'
    ),
    'holders.nothing': trans.__('Nothing is in use on the GPU.'),
    'holders.not_measured': trans.__('Not measured: no GPU framework is live.'),
    'holders.failed': trans.__('The measurement stopped early: {error}.'),
    'hint.graphs': trans.__(
      '`{name}` keeps {count} tensors with their graphs: collect `loss.item()` or `tensor.detach()` instead.'
    ),
    'hint.graph': trans.__(
      '`{name}` keeps {graph_bytes} for a backward pass: `.detach()` or `.item()` keeps the value alone.'
    ),
    'hint.outputs': trans.__(
      'A displayed value stays in `Out`; a semicolon after the last expression keeps it out.'
    ),
    'hint.traceback': trans.__(
      'The error of this cell keeps its variables until the next error.'
    ),
    'hint.elsewhere': trans.__(
      'No name reaches it: garbage that waits for its collection, or what a module or a running function keeps.'
    ),
    'path.name': trans.__('`{name}`'),
    'path.failed': trans.__('`{name}`, kept by the traceback of an error'),
    'path.failed_cell': trans.__('`{name}`, kept by the traceback of {cell}'),
    'path.global': trans.__('`{name}` of the module `{module}`'),
    'path.type': trans.__('{type_name}'),
    'path.attribute': trans.__('attribute `{name}`'),
    'path.index': trans.__('item {name}'),
    'path.key': trans.__('key `{name}`'),
    'path.key_unnamed': trans.__('a key of type {type_name}'),
    'path.member': trans.__('a member'),
    'path.closure': trans.__('closure variable `{name}`'),
    'path.default': trans.__('a default argument'),
    'path.local': trans.__('variables of a suspended function'),
    'path.suspended': trans.__('variables of the suspended `{name}`'),
    'path.frame': trans.__('variable `{name}`'),
    'path.variables': trans.__('variables of `{name}`'),
    'path.traceback': trans.__('traceback'),
    'path.graph': trans.__('autograd graph'),
    'path.gradient': trans.__('gradient'),
    'path.parameter': trans.__('parameter `{name}`'),
    'path.buffer': trans.__('buffer `{name}`'),
    'path.module': trans.__('module `{name}`'),
    'path.state': trans.__('optimizer state'),
    'path.group': trans.__('parameter group'),
    'path.self': trans.__('the object of a method'),
    'path.partial': trans.__('an argument of a `partial`'),
    'path.cache': trans.__('what `lru_cache` keeps'),
    'path.part': trans.__('its part `{name}`'),
    'path.iterator': trans.__('what an iterator goes through'),
    'path.found_one': trans.__('One way leads to it.'),
    'path.found': trans.__('{count} ways lead to it.'),
    'path.stopped': trans.__('Stopped early. Found so far:'),
    'path.stopped_empty': trans.__('Stopped early. Nothing found so far.'),
    'path.beside': trans.__(
      'Not followed further beside your thread or task `{name}`. Found so far:'
    ),
    'path.gone': trans.__(
      'It is no longer there: the list is older than the memory.'
    ),
    'path.unreached': trans.__(
      'No name leads to it: objects that refer to each other, or native code, keep it.'
    ),
    'path.broken_off': trans.__('The search stopped early: {error}.'),
    'path.native': trans.__(
      'No Python object refers to it: native code, autograd or a function that still runs keeps it.'
    ),
    'snapshot.written': trans.__('Wrote {file_bytes} to `{path}`.'),
    'snapshot.exists': trans.__(
      '`{path}` exists already: nothing was written.'
    ),
    'snapshot.failed': trans.__('The snapshot could not be written: {error}.'),
    'snapshot.not_initialised': trans.__(
      'There is no snapshot: PyTorch has not used the GPU yet.'
    ),
    'refused.malformed': trans.__(
      'The request cannot be read: `{key}` is missing or has a wrong type.'
    ),
    'refused.unknown': trans.__(
      'The helper in this kernel does not know the request `{name}`.'
    ),
    'refused.protocol': trans.__(
      "The helper in this kernel speaks protocol {helper}, this page speaks {page}: restart the kernel to use the page's."
    ),
    'refused.no_reading': trans.__(
      'The GPU could not be read; the reason is in the log.'
    ),
    'refused.incomplete': trans.__(
      'The helper is still arriving in this kernel: try again in a moment.'
    ),
    'refused.not_now': trans.__(
      'Not measured now: a part of the kernel stands still, as at a breakpoint.'
    ),
    'refused.full': trans.__(
      'Too much waits for the running cell already: ask again when it has ended.'
    ),
    'refused.failed': trans.__('The helper could not answer: {error}.'),
    'error.part': trans.__('GPU Headroom: {part} failed: {error}.')
  };
}

/**
 * A message in the person's language; in English where the catalogue has no
 * such id or the message lacks what its template asks for.
 */
export function renderMessage(
  message: IMessage,
  catalogue: Readonly<Record<string, string>>
): string {
  return fill(catalogue, message.id, message.params) ?? message.text;
}

function fill(
  catalogue: Readonly<Record<string, string>>,
  id: string,
  params: IMessage['params']
): string | null {
  const template = own(catalogue, id);
  if (template === undefined) {
    return null;
  }
  const missing = new Set<string>();
  const text = template.replace(/\{(\w+)\}/g, (_, key: string) => {
    const value = own(params, key) ?? null;
    if (value === null) {
      missing.add(key);
      return '';
    }
    return shown(key, value);
  });
  return missing.size === 0 ? text : null;
}

function shown(key: string, value: string | number | boolean): string {
  return key.endsWith('_bytes') && typeof value === 'number'
    ? formatBytes(value)
    : String(value);
}

/** A catalogue has hundreds of entries, and rows ask for it as often as they are drawn. */
const WORDS = new WeakMap<TranslationBundle, IWords>();

/**
 * The words of cards in the person's language; made once for each bundle.
 */
export function words(trans: TranslationBundle): IWords {
  const known = WORDS.get(trans);
  if (known) {
    return known;
  }
  const catalogue = templates(trans);
  const made: IWords = {
    trans,
    sentence: message => renderMessage(message, catalogue),
    say: (id, params = {}) => fill(catalogue, id, params) ?? id
  };
  WORDS.set(trans, made);
  return made;
}
