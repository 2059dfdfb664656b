"""What a kernel is like apart from what a person computes: to be the same with us and without."""

from __future__ import annotations

STATE = r"""
def _state():
    import gc, logging, re, signal, sys, threading, warnings
    shell = get_ipython()
    def name(each): return getattr(each, "__qualname__", repr(type(each)))
    # The machinery of a subshell, of a debugger and of IPython starts threads whenever it likes.
    ours = [
        (each.name, name(getattr(each, "function", each._target)))
        for each in threading.enumerate() if "gpu-headroom" in each.name
    ]
    return {
        "names": sorted(each for each in shell.user_ns if not each.startswith("_")),
        "private": sorted(
            each for each in shell.user_ns if re.fullmatch(r"_[a-z]\w*", each)
            and not re.fullmatch(r"_i+\d*|_oh|_dh|_ih", each)
        ),
        "filters": [str(each) for each in warnings.filters],
        "handlers": [
            (int(each), name(signal.getsignal(each))) for each in sorted(signal.valid_signals())
        ],
        "threads": ours,
        "hooks": {
            event: [name(each) for each in calls]
            for event, calls in shell.events.callbacks.items()
        },
        "tracing": (sys.gettrace() is None, sys.getprofile() is None),
        "gc": (gc.isenabled(), gc.get_threshold(), [name(each) for each in gc.callbacks]),
        "switching": sys.getswitchinterval(),
        "finders": [name(each) for each in sys.meta_path],
        "excepthook": (name(sys.excepthook), name(threading.excepthook)),
        "logging": [name(each) for each in logging.getLogger().handlers],
        "transformers": len(shell.ast_transformers) + len(shell.input_transformers_post),
        "formatters": sorted(shell.display_formatter.formatters),
        "printing": (name(sys.stdout), name(sys.stderr), name(sys.displayhook)),
        "recursion": sys.getrecursionlimit(),
    }
"""
