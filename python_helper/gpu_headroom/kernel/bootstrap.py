# What the front end executes in a kernel that has no helper.
#
# `scripts/pack.mjs` puts this file's text into the extension as `BOOTSTRAP`. It defines a
# function and no more: the call travels as a user expression of the same request, with the
# text of the pack (`scripts/minify.py`), the major version of the protocol that the page
# speaks and its own version (`START` in `src/kernel/helper.ts`). The pack in the code would
# cost 30 ms, for IPython reads a cell's text sign by sign, to transform and to name it.
# Execute it with `silent: true, store_history: false, stop_on_error: false`, and with
# `allow_stdin: true` on the control channel, else a running cell's `input()` breaks.
#
# It prints nothing, raises nothing (an error would take the user's `%debug` away: the
# reason goes to the kernel's log), and leaves no name behind. Whether it worked is
# known by asking: `attach`. A live helper is left as it is, an installed one of the
# same protocol major is started, otherwise the pack is. Nothing here relies on
# a builtin name: a notebook may have its own `open` or `str`.
#
# These are comments because a docstring would replace the user's `__doc__`.
# ruff: noqa: D100


def _gpu_headroom_bootstrap(packed, protocol_major, version):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202  annotations are evaluated in the kernel; see above
    import builtins

    # Another thread may execute the same at this moment: then the name may be gone already.
    builtins.globals().pop("_gpu_headroom_bootstrap", None)
    try:
        import bz2
        import codecs
        import itertools
        import sys

        # Two signs are 13 bits. Pairs are looked up as numbers, so that all is read in C.
        signs = [index for index in builtins.range(33, 127) if index not in (34, 39, 92)]
        pairs = builtins.map(builtins.bytes, itertools.product(signs, repeat=2))
        bits = {
            builtins.int.from_bytes(pair, sys.byteorder): f"{n:013b}"
            for n, pair in builtins.enumerate(pairs)
        }
        pack = builtins.memoryview(packed.encode()).cast("H")
        text = "".join(builtins.map(bits.__getitem__, pack))
        size = builtins.len(text) // 8
        data = builtins.int(text[: 8 * size], 2).to_bytes(size, "big")
        whole = bz2.BZ2Decompressor().decompress(data)  # behind which a byte may be left
        listed, shorter = whole.split(b"\0", 1)
        # As a character set has it, which is a third of what `str.translate` takes.
        words = [*builtins.map(builtins.chr, builtins.range(128)), *listed.decode().split("\n")]
        said, _ = codecs.charmap_decode(shorter, "strict", builtins.dict(builtins.enumerate(words)))
        modules = said.split("\0")
        sources = builtins.dict([module.split("\n", 1) for module in modules])
        space = {"__name__": "gpu_headroom.kernel.injection"}
        path = "kernel/injection.py"
        code = builtins.compile(sources[path], f"<gpu_headroom>/{path}", "exec")
        builtins.exec(code, space)  # noqa: S102  this is what a bootstrap does
        start = space["start"]
        start(sources, protocol_major, version)  # type: ignore[operator]  # what `exec` put there is an object to mypy
    except builtins.BaseException as error:  # noqa: BLE001  whatever it is, it is not the user's
        from traitlets.log import get_logger

        get_logger().warning("GPU Headroom could not start in this kernel.", exc_info=error)
