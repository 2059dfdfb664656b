# What the front end executes in a kernel that has no helper: a template.
#
# `scripts/pack.mjs` puts this file's text into the extension as `BOOTSTRAP`, and the
# front end replaces three placeholders before it executes it: `__PACK__` by the
# text of the pack (`scripts/minify.py`), `__PROTOCOL_MAJOR__` by the major version of the
# protocol that it speaks, `__HELPER_VERSION__` by its own version. Execute it with
# `silent: true, store_history: false, stop_on_error: false`, and with
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


def _gpu_headroom_bootstrap() -> None:
    import builtins

    try:
        import bz2
        import itertools
        import sys

        # Two signs are 13 bits. Pairs are looked up as numbers, so that all is read in C.
        signs = [index for index in builtins.range(33, 127) if index not in (34, 39, 92)]
        pairs = builtins.map(builtins.bytes, itertools.product(signs, repeat=2))
        bits = {
            builtins.int.from_bytes(pair, sys.byteorder): f"{n:013b}"
            for n, pair in builtins.enumerate(pairs)
        }
        pack = builtins.memoryview(b"__PACK__").cast("H")
        text = "".join(builtins.map(bits.__getitem__, pack))
        size = builtins.len(text) // 8
        data = builtins.int(text[: 8 * size], 2).to_bytes(size, "big")
        whole = bz2.BZ2Decompressor().decompress(data)  # behind which a byte may be left
        listed, shorter = whole.split(b"\0", 1)
        words = builtins.dict(builtins.enumerate(listed.decode().split("\n"), 128))
        modules = shorter.decode("latin-1").translate(words).split("\0")
        sources = builtins.dict([module.split("\n", 1) for module in modules])
        space = {"__name__": "gpu_headroom.kernel.injection"}
        path = "kernel/injection.py"
        code = builtins.compile(sources[path], f"<gpu_headroom>/{path}", "exec")
        builtins.exec(code, space)  # noqa: S102  this is what a bootstrap does
        start = space["start"]
        start(sources, "__PROTOCOL_MAJOR__", "__HELPER_VERSION__")  # type: ignore[operator]  # what `exec` put there is an object to mypy
    except builtins.Exception as error:  # noqa: BLE001  whatever it is, it is not the user's
        from traitlets.log import get_logger

        get_logger().warning("GPU Headroom could not start in this kernel.", exc_info=error)


# Another thread may execute the same at this moment: then the name may be gone already.
try:  # noqa: SIM105  nothing is imported
    _gpu_headroom_bootstrap()
except:  # noqa: E722, S110  no name of a builtin, and nothing that is the user's
    pass
try:  # noqa: SIM105  as above
    del _gpu_headroom_bootstrap
except:  # noqa: E722, S110  as above
    pass
