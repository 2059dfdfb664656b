"""A shortage of GPU memory in words of no known format: whose memory it is say the words beside."""

from __future__ import annotations

import re

from ..frameworks.errortext import COUNT, SIZE, Doubtful, compiled

_SIZED = r"(?:\d ?(?:bytes|[kmg]i?b)\b|buffer|memory|tensor)"
_KIND = r"(?:free |available |allocatable |gpu |device |video |graphics |cuda |global )"
ANY = Doubtful(
    "cuda",
    rf"(?<![a-z])out[ _]of[ _](?:the )?{_KIND}{{0,2}}(?:memory|vram)"
    rf"|gpu outofmemory|(?:not enough|insufficient) {_KIND}{{0,3}}(?:memory|vram)"
    r"|memory (?:isn't|is not|not) enough|memory is overflow|statusallocfailed"
    r"|status_memory_error|allocation failed|alloc(?:ation|ator)?_fail(?:ed|ure)"
    r"|allocation of \d[\d.]{0,30} ?[a-z]{1,5} failed"
    rf"|(?:failed to|unable to|could not|cannot|can't) alloc(?:ate)?\b.{{0,60}}?{_SIZED}",
    requested=rf"alloc(?:ate|ating|ation of) (?:{SIZE}|{COUNT} bytes)",
)
"""Texts that any library may use, also for a shortage of something else."""

_GPU = compiled(
    r"cuda|hip(?:error|malloc)|\bcu(?:mem|ctx|blas|fft|rand|dnn|sparse|solver|tensor|b_)|gpu|vram"
    r"|\bnccl|device(?: memory| buffer|:? ?\(?(?:id:)?\d)|vulkan|(?<![a-z])metal(?![a-z])|opencl"
    r"|musa|xpu|\brmm\b|rocblas|miopen|nvjpeg|wgpu|directml|dmlexec|d3d12|rocm"
)
_OTHER = compiled(
    r"host(?!name)|\bcpu\b|\bon (?:the )?node\b|\bsystem memory|\bram\b|\bdisk\b|\bswap\b"
    r"|sqlite|openencode|llvm|ptxas|nvcc|killed process"
)
# A text in which nothing has failed yet: advice, a warning, what was seen to.
_UNSURE = compiled(
    r"\b(?:if|when|whenever|may|might|would|can|avoid|prevent|handle|reduce|without|before|risk"
    r"|likely|because|until|unless|whether|pruned|no|hint|tip)\b"
)
_END = re.compile(r"[.!?;] ")
_BEFORE, _AFTER = 100, 60  # characters in which a word says whose memory it is
_MOST = 50  # places, the last ones


def is_of_gpu(text: str) -> bool:
    """Whether a text in lower case says of a GPU that its memory ran out."""
    for match in list(ANY.sign.finditer(text))[-_MOST:]:
        start, end = match.span()
        before = _END.split(text[max(0, start - _BEFORE) : start])[-1]
        near = before + match[0] + _END.split(text[end : end + _AFTER], maxsplit=1)[0]
        if _GPU.search(near) and not _OTHER.search(near) and not _UNSURE.search(before):
            return True
    return False
