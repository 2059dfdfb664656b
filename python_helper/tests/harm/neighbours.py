"""What may run in a kernel beside the helper; each comes to a result that can be compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Literal

    Where = Literal["rest", "cell", "subshell", "question", "breakpoint"]

PREPARE = """
import faulthandler; faulthandler.enable()
import gpu_headroom; gpu_headroom.simulate('4 GiB', compute='cpu')
import asyncio, gc, os, sys, threading, time, torch
torch.set_num_threads(1)

def build():
    model = torch.nn.Sequential(
        *[torch.nn.Sequential(torch.nn.Linear(32, 32), torch.nn.Tanh(), torch.nn.LayerNorm(32))
          for _ in range(12)]
    ).cuda()
    with torch.no_grad():
        for number, each in enumerate(model.parameters()):
            each.copy_(torch.linspace(-0.2, 0.2 + number / 100, each.numel()).view_as(each))
    return model

def train(model, steps, rest=lambda: None):
    optimizer = torch.optim.SGD(model.parameters(), 1e-3, momentum=0.9)
    x = torch.linspace(-1, 1, 16 * 32, device='cuda').view(16, 32)
    for _ in range(steps):
        kept, out = [], x
        for layer in model:
            out = layer(out); kept.append(out)
        loss = out.square().mean()
        loss.backward(); optimizer.step(); optimizer.zero_grad()
        rest()
    return [each.double().sum().item() for each in model.parameters()]

kept = torch.ones(2**20, device='cuda')
model = build()
"""
FAIL = "torch.empty(2**33, device='cuda')"
BEGUN = "print('begun', flush=True)\n"


class Neighbour(NamedTuple):
    """Code that begins it in `where`, code that waits for its end, and what has come out then.

    At `rest` the beginning is a cell that ends; elsewhere it goes on until the end.
    """

    begin: str
    where: Where = "rest"
    end: str = ""
    result: str = "result"
    generations: tuple[str, ...] = ("ipykernel-7", "ipykernel-6.29", "ipykernel-6.17")


NEIGHBOURS: dict[str, Neighbour] = {
    "nothing": Neighbour("result = float(kept.sum())"),
    "a cell that trains": Neighbour(f"{BEGUN}result = train(model, 250)", "cell"),
    "a thread that trains": Neighbour(
        "def work():\n"
        "    global result\n"
        "    result = train(model, 400)\n"
        "worker = threading.Thread(target=work); worker.start()",
        end="worker.join(60)",
    ),
    "two threads that train": Neighbour(
        "models, results = [build(), build()], {}\n"
        "def work(number):\n"
        "    results[number] = train(models[number], 150 + number)\n"
        "workers = [threading.Thread(target=work, args=(each,)) for each in range(2)]\n"
        "for each in workers: each.start()",
        end="for each in workers: each.join(60)",
        result="sorted(results.items())",
    ),
    "a task that trains": Neighbour(
        "steps = []\n"
        "async def work():\n"
        "    for _ in range(40):\n"
        "        steps.append(train(model, 3)[-1])\n"
        "        await asyncio.sleep(0.02)\n"
        "task = asyncio.get_running_loop().create_task(work())",
        end="await asyncio.wait_for(task, 60)",
        result="steps",
    ),
    "a thread that builds tuples": Neighbour(
        "result = 0\n"
        "def work():\n"
        "    global result\n"
        "    while not stop.is_set():\n"
        "        result += len(tuple(str(each) for each in range(300))) != 300\n"
        "stop = threading.Event()\n"
        "worker = threading.Thread(target=work); worker.start()",
        end="stop.set(); worker.join(60)",
    ),
    "a loader with workers": Neighbour(
        f"{BEGUN}"
        "data = torch.utils.data.TensorDataset(torch.arange(600.0))\n"
        "result = []\n"
        "for _ in range(2):\n"
        "    loader = torch.utils.data.DataLoader(data, batch_size=20, num_workers=2)\n"
        "    for batch, in loader:\n"
        "        result.append(float(batch.cuda().sum())); time.sleep(0.02)",
        "cell",
    ),
    "a subshell that trains": Neighbour(
        f"{BEGUN}result = train(model, 250)", "subshell", generations=("ipykernel-7",)
    ),
    "%debug": Neighbour(
        "def broken():\n    local = kept * 2\n    return local / None\nbroken()",
        "question",
        result="float(kept.sum())",
    ),
    "a breakpoint": Neighbour(
        "def deep(left):\n"
        "    if left:\n"
        "        return deep(left - 1)\n"
        "    count = 0\n" + "    count += 1\n" * 40 + "    return count\n"
        "result = deep(80)\n",
        "breakpoint",
    ),
    "a tracer": Neighbour(
        f"{BEGUN}"
        "lines = 0\n"
        "def trace(frame, event, _):\n"
        "    global lines\n"
        "    lines += frame.f_code.co_name == 'counted'\n"
        "    return trace\n"
        "def counted():\n"
        "    total = 0\n"
        "    for each in range(20_000):\n"
        "        total += each\n"
        "    return total\n"
        "threading.settrace(trace); sys.settrace(trace)\n"
        "for _ in range(20): counted()\n"
        "sys.settrace(None); threading.settrace(None)\n",
        "cell",
        result="lines",
    ),
    "a forked child": Neighbour(
        "reader, writer = os.pipe()\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    try:\n"
        "        values = [sum(i * i for i in range(20_000)) for _ in range(200)]\n"
        "        os.write(writer, str(sum(values)).encode())\n"
        "    finally:\n"
        "        os._exit(0)",
        end="result = os.read(reader, 100).decode(), os.waitpid(child, 0)[1]",
    ),
    "frozen garbage": Neighbour(
        "def running():\n"
        "    local = kept + 1\n"
        "    while True: yield float(local.sum())\n"
        "generator = running(); first = next(generator)\n"
        "def fail():\n"
        "    mine = kept + 2\n"
        "    raise ValueError('kept')\n"
        "try:\n"
        "    fail()\n"
        "except ValueError as error:\n"
        "    saved = error\n"
        "gc.freeze()",
        end="frame = saved.__traceback__.tb_next.tb_frame\n"
        "result = first, next(generator), float(frame.f_locals['mine'].sum()); gc.unfreeze()",
    ),
    "a storm of errors": Neighbour(
        "result = 0\n"
        "def work():\n"
        "    global result\n"
        "    while not stop.is_set():\n"
        "        try:\n"
        "            local = kept[:8].tolist(); raise ValueError(local)\n"
        "        except ValueError as error:\n"
        "            result += error.args[0] != [1.0] * 8\n"
        "stop = threading.Event()\n"
        "worker = threading.Thread(target=work); worker.start()",
        end="stop.set(); worker.join(60)",
    ),
    "3 million objects": Neighbour(
        "data = [{'id': each, 'box': [each]} for each in range(1_500_000)]",
        end="result = sum(each['box'][0] for each in data)",
    ),
    "100,000 names": Neighbour(
        "globals().update({f'name_{each}': [each] for each in range(100_000)})",
        end="result = sum(globals()[f'name_{each}'][0] for each in range(100_000))",
    ),
    "10,000 outputs": Neighbour(
        "shown = get_ipython().user_ns['Out']\n"
        "shown.update({each: kept[:8] + each for each in range(1000, 11_000)})",
        end="result = sum(float(shown.get(each, kept)[0]) for each in range(1000, 1010)) > 0",
    ),
    "hostile objects": Neighbour(
        "touched = []\n"
        "class Hostile:\n"
        "    def __init__(self): self.__dict__['tensor'] = torch.ones(8, device='cuda')\n"
        "    def __getattr__(self, name): touched.append(name); raise RuntimeError(name)\n"
        "    __setattr__ = __delattr__ = __getattr__\n"
        "    def __eq__(self, other): touched.append('eq'); raise RuntimeError('eq')\n"
        "    __hash__ = None\n"
        "    def __bool__(self): touched.append('bool'); raise RuntimeError('bool')\n"
        "    __len__ = __iter__ = __repr__ = __str__ = __bool__\n"
        "    @property\n"
        "    def __class__(self): touched.append('class'); raise RuntimeError('class')\n"
        "    def __del__(self): raise RuntimeError('del')\n"
        "hostile, boxed = Hostile(), [Hostile(), {'key': Hostile()}]",
        result="touched",
    ),
}
