"""Estimated peak of the failed cell, from what had been computed and the model's layers."""

from __future__ import annotations

import re
from math import prod
from typing import TYPE_CHECKING

from .layers import GRADIENTS

if TYPE_CHECKING:
    from .evidence import Evidence
    from .layers import Layers

_LEAST_PROGRESS = 0.02
# Chosen by the sizes proposed in `benchmarks/causes`; its `results.md` says how near these are.
# What rounding and small pieces take is the rest; as much as was asked for may be free, but not in
# one piece: a doubt of its own, not added to that of what may follow.
_ROOM = 0.95
# What a backward pass takes besides, and a forward pass and the backward pass behind it.
_BACKWARD_ROOM = 0.85
_FORWARD_ROOM = 0.75
_RECURRENT = ("RNN", "LSTM", "GRU")  # one call goes through all steps
_AGAIN = ("recompute_fn", "unpack_hook")
_WIDTH = 4  # bytes of a value
_UNKNOWN_ROOM = 0.5  # as much again may follow
A_LAYERS = 4  # as large as what was asked for: what a layer is given, and what it makes
_OPERANDS = 2  # of an operation, as large as its result
# How often an optimizer keeps all parameters.
_STATES = (
    (2, re.compile(r"\bAdam|\b[NR]Adam\b|Trainer\(")),
    (1, re.compile(r"\bRMSprop\(|\bAdagrad\(|\bmomentum=")),
)


class Peak:
    """Estimate of the bytes in use at the peak of the failed cell."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._scene, self._kinds = evidence.scene, evidence.kinds
        self._requested = evidence.requested_bytes or 0
        layers = evidence.scene.layers
        # Of a model's own code, between its layers, only a graph tells how far it had come.
        self._layers = layers if layers is not None and (layers.at or self._reached()) else None

    def is_enough(self, size: int) -> bool:
        """Whether the cell would probably complete with `size` bytes less in use.

        An estimate, only for the order of causes. In a model's pass the same amount will be
        requested again, and twice in a backward pass; a forward pass still has gradients to make.
        """
        missing = self._evidence.missing_bytes
        return missing is not None and size >= missing + self._to_come()

    def fits(self, scaling_bytes: int, left: float, *, kept_only: bool = False) -> bool:
        """Whether the cell would probably complete with this share `left` of what scales.

        `scaling_bytes` of the memory in use and the values just being computed scale, both taken
        at the peak. `kept_only`: computed values keep their size, with a gradient of the same size
        unless this is the backward pass.
        """
        headroom = self._evidence.memory.headroom_bytes
        if headroom is None:
            return False
        computed = self._computed()
        extra_bytes = computed * ((1 if self._scene.in_backward else 2) - left) if kept_only else 0
        needed = self._at_peak(scaling_bytes, room=False) * left + extra_bytes
        at_most = self._at_peak(scaling_bytes, room=True) * left + extra_bytes
        let_go = min(self._evidence.temporary_bytes, max(computed, _OPERANDS * self._requested))
        to_come = self._gradients_to_come() + self._state_to_come()
        there_is = headroom + scaling_bytes + let_go - to_come
        scattered = min(self._requested, headroom) if self._is_located else self._requested
        return at_most <= there_is * _ROOM and needed <= there_is - scattered * left

    def _computed(self) -> int:
        """Return the requested bytes with those of unnamed operands, or of all of one call.

        0 if no layer was computing values that it keeps.
        """
        layers = self._layers
        is_kept = layers is None or layers.is_one or self._scene.in_backward
        requested = 0 if self._evidence.in_step or not is_kept else self._requested
        temporary = self._evidence.temporary_bytes
        most = temporary if self._is_one_call and requested else _OPERANDS * requested
        return requested + min(temporary, most)

    def _at_peak(self, scaling_bytes: int, *, room: bool) -> float:
        """Return the bytes that scale with the batch at the peak of the running pass.

        `scaling_bytes` is what there is now, besides what was being computed. With `room`, the
        estimate includes a margin for unknown parts.
        """
        computed, own = self._computed(), self._evidence.pass_bytes
        # What an earlier error holds goes before the cell runs again, and is of no use to it.
        activations = self._kinds.get("activations", 0)
        earlier = min(activations, self._evidence.earlier_traceback_bytes or 0)
        scaling_bytes -= min(scaling_bytes, earlier)
        own -= max(0, earlier - max(0, activations - own))
        so_far = scaling_bytes + computed
        if not own or self._scene.in_backward or self._evidence.in_step:
            own = scaling_bytes
        peak = so_far + min(so_far, own + computed) * (self._times(room=room) - 1)
        layers, rest = self._layers, self._rest_of_call(own + computed)
        if rest is not None:
            return so_far + rest / (_ROOM if room else 1.0)
        if layers is None or not layers.has_parts or not self._scene.running.trains:
            return peak
        # A part's own code made it, as a loss does of logits: it has gradients, too. What a model
        # makes between two of its layers takes the place of what it was given.
        copies = GRADIENTS + (bool(layers.at) or self._reached() == 1)
        output_bytes = copies * self._requested / (self.room_left if room else 1.0)
        return peak if self._scene.in_backward else max(peak, so_far + output_bytes)

    def _rest_of_call(self, made_bytes: int) -> float | None:
        """Return the bytes that a recurrent call has still to make, and later ones up to the peak.

        Its input shows the bytes of a value of each row. `None` if no such call was running.
        """
        layers, done = self._layers, self._done()
        given = next((module.given for module in self._scene.modules[::-1] if module.given), ())
        if (
            layers is None
            or done is None
            or not (self._is_recurrent and self._is_located and given)
        ):
            return None
        unit_bytes, (current, peak) = _WIDTH * prod(given[:-1]), done
        rest = max(0.0, layers.values[layers.at] * unit_bytes - made_bytes)
        return rest + (peak - current) * unit_bytes

    @property
    def _is_recurrent(self) -> bool:
        return any(module.type_name in _RECURRENT for module in self._scene.modules[-1:])

    @property
    def _is_located(self) -> bool:
        """Whether it is certain which layer was running, of a pass that keeps what layers make."""
        layers = self._layers
        return layers is not None and self._keeps(layers) and (layers.is_one or not layers.at)

    def _times(self, *, room: bool) -> float:
        """Return how often there will be at the peak what the running pass has made so far."""
        share, done = self._progress(), self._done()
        if self._evidence.in_step:
            return 1.0
        room_left = self.room_left if room else 1.0
        if self._scene.in_backward:
            return 1 / (_BACKWARD_ROOM * room_left if room else 1.0)
        if done is None or self._scene.running.rounds_done is not None:
            unknown = (_UNKNOWN_ROOM if share is None else _FORWARD_ROOM) if room else 1.0
            return 1 / (unknown * (share or 1.0))
        so_far, peak = done
        return peak / max(so_far, _LEAST_PROGRESS * peak) / room_left

    def _done(self) -> tuple[float, float] | None:
        """Return the values that the layers had made, and those at their peak: shares only."""
        layers, trains = self._layers, self._scene.running.trains
        if layers is None:
            return None
        trains |= self._scene.inputs_require_grad  # an attribution goes backward, too
        return layers.done(self._reached(), keeps=self._keeps(layers), trains=trains)

    def _keeps(self, layers: Layers) -> bool:
        """Whether the pass keeps what its trained layers make, as far as that can be seen."""
        trains = self._scene.running.trains
        return bool(self._evidence.pass_bytes) or (trains and not layers.kept_before())

    @property
    def room_left(self) -> float:
        """Share of free memory left for later values that are unknown; 1 if there are none.

        These are another model trained in the same step, the rest of a large call, or of code
        between the layers of a part.
        """
        layers = self._layers
        if self._unseen > 0 or self._is_recurrent or self._is_one_call:
            return _UNKNOWN_ROOM
        if layers is None or self._scene.in_backward:
            return 1.0
        if not self._keeps(layers):
            return _FORWARD_ROOM if layers.joins else _BACKWARD_ROOM
        is_kept = not 0 < layers.at < layers.trained
        may_follow = layers.has_parts and self._reached() != 1
        # A library's own way back may keep all that there is, and more.
        may_follow |= self._scene.inputs_require_grad and not self._scene.running.trains
        if is_kept and not may_follow:
            return 1.0
        return _FORWARD_ROOM if layers.at else _BACKWARD_ROOM

    @property
    def _unseen(self) -> int:
        """Number of models trained with the running one that the pass has not reached.

        Without models whose input is the running one's output, which are estimated with it, and
        one that already has a graph.
        """
        if not self._scene.running.trains:
            return 0
        trained = [model for model in self._evidence.models if model.training]
        done = {group.path for group in self._evidence.groups if group.progress == 1}
        running = self._scene.modules[0].key if self._scene.modules else None
        is_one_of_them = running in {model.key for model in trained}
        count = sum(model.key != running and model.name not in done for model in trained)
        followers = self._layers.followers if self._layers is not None else 0
        own = self._evidence.pass_bytes
        has_run = 0 < own < self._kinds.get("activations", 0) - own
        return count - followers - (not is_one_of_them) - has_run

    @property
    def _is_one_call(self) -> bool:
        """Whether a call has made far more than it asks for at once, as an LSTM does."""
        return self._evidence.temporary_bytes > A_LAYERS * self._requested

    @property
    def step_bytes(self) -> int:
        """Bytes in use at the peak of an optimizer step that updates all parameters at once."""
        to_come = self._to_come() + self._state_to_come() + self._kinds.get("parameters", 0)
        return (self._evidence.memory.in_use_bytes or 0) + self._requested + to_come

    def saved_bytes(self, scaling_bytes: int, left: float) -> int:
        """Return a lower bound of the bytes by which the peak falls with this share `left`.

        Values being computed, without a name yet, scale like those that are kept. If unknown values
        may follow, only existing ones count. The result is at most what was in use at the failure.
        """
        current = scaling_bytes + self._computed()
        peak = self._at_peak(scaling_bytes, room=False) if self.room_left == 1 else current
        saved, most = int(peak * (1 - left)), self._evidence.failed_at_bytes
        return saved if most is None else min(saved, most)

    @property
    def progress(self) -> float:
        """Share of a failed forward pass that was done, 0 to 1; 1 if unknown."""
        is_forward = not (self._scene.in_backward or self._evidence.in_step)
        return (self._progress() if is_forward else None) or 1.0

    def _progress(self) -> float | None:
        """Return the share of iterations, layers or parameters that the pass has reached."""
        rounds_done = self._scene.running.rounds_done
        if rounds_done is not None:
            return max(_LEAST_PROGRESS, rounds_done)
        done = self._done()
        share = self._reached() if done is None else done[0] / done[1]
        return max(_LEAST_PROGRESS, share) if share else None

    def _reached(self) -> float | None:
        """Return the share of the model's parameters that the pass had come to, by its graph."""
        reached = [group for group in self._evidence.groups if group.progress]
        # Parts of the model are variables of frames, too.
        model = max(reached, key=lambda group: group.kinds.get("parameters", 0), default=None)
        # Checkpointing computes forward on the way back.
        again = any(function in _AGAIN for function in self._scene.running.functions)
        return None if model is None or again else model.progress

    def _to_come(self) -> int:
        if self._evidence.in_step:
            return 0
        if self._scene.in_backward:
            return GRADIENTS * self._requested
        rest = int(self._evidence.pass_bytes * (1 / self.progress - 1))
        if not self._scene.running.trains:
            if self._layers is not None and self._scene.modules[-1].function == "_apply":
                rest += int(self._layers.to_move * self._kinds.get("parameters", 0))
            return max(rest, self._requested) if self._scene.modules else rest
        if self._layers is not None:
            rest = int(
                (self._evidence.pass_bytes + self._computed()) * (self._times(room=False) - 1)
            )
        return max(rest, self._requested) + self._gradients_to_come()

    def _gradients_to_come(self) -> int:
        return max(0, self._trained_bytes - self._kinds.get("gradients", 0))

    def _state_to_come(self) -> int:
        """Return what an optimizer has still to make, as it is called in the code."""
        running, state_bytes = self._scene.running, self._kinds.get("optimizer_state", 0)
        # The code that called an evaluation may train behind it.
        if not running.trains and (state_bytes or not running.calls >= {"backward", "step"}):
            return 0
        code = [run.source for run in (*self._evidence.failure.cells, *self._scene.files)]
        times = next((n for n, name in _STATES if any(map(name.search, code))), 0)
        return max(0, times * self._trained_bytes - state_bytes)

    @property
    def _trained_bytes(self) -> int:
        """The parameters that want gradients, about; all of them where no layer tells."""
        layers = self._scene.layers
        share = layers.trained_share if layers is not None else 1.0
        return int(self._kinds.get("parameters", 0) * share)
