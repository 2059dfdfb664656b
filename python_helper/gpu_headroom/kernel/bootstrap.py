# Code that the front end executes in a kernel without a helper.
#
# `scripts/pack.mjs` copies this file's text into the extension as `BOOTSTRAP`. It only defines a
# function: the call is a user expression of the same request, with the text of the pack
# (`scripts/minify.py`), and the front end's major protocol version and own version (`START` in
# `src/kernel/helper.ts`). The pack inside the code would cost 30 ms, as IPython reads a cell's
# text character by character, to transform and to name it.
# Execute it with `silent: true, store_history: false, stop_on_error: false`, and with
# `allow_stdin: true` on the control channel, else a running cell's `input()` breaks.
#
# The function prints nothing, raises nothing (an error would replace the one of the user's
# `%debug`: the reason is written to the kernel's log), and leaves no name behind. An `attach`
# request shows whether it worked. A running helper is left as it is, an installed one of the
# same major protocol version is started, otherwise the one of the pack. No builtin is used by
# its bare name: a notebook may have its own `open` or `str`.
#
# These are comments because a docstring would replace the user's `__doc__`.
# ruff: noqa: D100


def _gpu_headroom_bootstrap(packed, protocol_major, version):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202  annotations are evaluated in the kernel; see above
    import builtins

    # Another thread may execute the same code, and may have removed the name already.
    builtins.globals().pop("_gpu_headroom_bootstrap", None)
    try:
        import bz2
        import codecs
        import itertools
        import sys

        # Two characters are 13 bits. Pairs are looked up as numbers, so that all loops are in C.
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
        content = bz2.BZ2Decompressor().decompress(data)  # a byte may follow the data
        table, codes = content.split(b"\0", 1)
        # Decoded as a character set, in a third of the time of `str.translate`.
        words = [*builtins.map(builtins.chr, builtins.range(128)), *table.decode().split("\n")]
        body, _ = codecs.charmap_decode(codes, "strict", builtins.dict(builtins.enumerate(words)))
        modules = body.split("\0")
        sources = builtins.dict([module.split("\n", 1) for module in modules])
        space = {"__name__": "gpu_headroom.kernel.injection"}
        path = "kernel/injection.py"
        code = builtins.compile(sources[path], f"<gpu_headroom>/{path}", "exec")
        builtins.exec(code, space)  # noqa: S102  the purpose of a bootstrap
        start = space["start"]
        start(sources, protocol_major, version)  # type: ignore[operator]  # mypy types the value as `object`
    except builtins.BaseException as error:  # noqa: BLE001  never an error of the user's
        from traitlets.log import get_logger

        get_logger().warning("GPU Headroom could not start in this kernel.", exc_info=error)
