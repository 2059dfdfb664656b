"""Classes, their methods, and objects with and without a name."""

from __future__ import annotations

from .scenario import Scenario

SCENARIOS = (
    Scenario(
        "method",
        "a method of an object without a name",
        (
            """
class Pipeline:
    def __init__(self):
        self.cache = tensor(256)
    def run(self):
        x = tensor(256)
        fail()
Pipeline().run()
""",
        ),
        "traceback",
        ("Pipeline",),
    ),
    Scenario(
        "named-object",
        "a method of an object that has a name",
        (
            """
class Pipeline:
    def __init__(self):
        self.cache = tensor(256)
    def run(self):
        x = tensor(256)
        fail()
pipeline = Pipeline()
""",
            "pipeline.run()",
        ),
        "traceback",
        ("Pipeline", "pipeline"),
        kept_mib=256,
    ),
    Scenario(
        "class-method",
        "a class method that builds its object",
        (
            """
class Index:
    @classmethod
    def build(cls):
        new = cls()
        new.pages = [tensor(64) for _ in range(4)]
        fail()
        return new
index = Index.build()
""",
        ),
        "traceback",
        ("Index",),
    ),
    Scenario(
        "class-body",
        "the body of a class statement",
        (
            """
class Config:
    table = tensor(256)
    other = fail()
""",
        ),
        "traceback",
    ),
    Scenario(
        "dataclass",
        "a dataclass that fails in __post_init__",
        (
            """
from dataclasses import dataclass, field
@dataclass
class Batch:
    x: object = field(default_factory=lambda: tensor(256))
    def __post_init__(self):
        self.y = tensor(128)
        fail()
batch = Batch()
""",
        ),
        "traceback",
        ("Batch", "dataclass", "field"),
    ),
    Scenario(
        "cached-property",
        "a cached property computed before a failing one",
        (
            """
from functools import cached_property
class Data:
    @cached_property
    def features(self):
        return tensor(128)
    @cached_property
    def product(self):
        x = self.features
        y = tensor(256)
        return fail()
data = Data()
data.product
""",
        ),
        "traceback",
        ("cached_property", "Data", "data"),
        kept_mib=128,
    ),
    Scenario(
        "finalizer",
        "objects with __del__ and a weak reference callback",
        (
            """
import weakref
closed = []
class Page:
    def __init__(self):
        self.x = tensor(256)
    def __del__(self):
        closed.append("del")
def work():
    page = Page()
    page.itself = page
    weakref.finalize(page, closed.append, "finalize")
    fail()
work()
""",
        ),
        "traceback, in a cycle",
        ("Page", "closed", "work"),
    ),
)
