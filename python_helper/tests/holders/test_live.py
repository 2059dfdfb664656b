"""What stands under the names of a notebook at a failure, as facts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_headroom.concurrency.turns import Turn
from gpu_headroom.holders.inspector import Inspector
from gpu_headroom.holders.live import live
from gpu_headroom.holders.names import user_names

if TYPE_CHECKING:
    from tests.notebook import Notebook


def test_streams_are_what_is_used_up_by_being_read(notebook: Notebook) -> None:
    """Iterators, generators, files and such classes of the person's; no list, and no loader."""
    notebook.run(
        "import io\nrows = [1]\nloader = torch.utils.data.DataLoader(rows)\nsource = iter(loader)\n"
        "numbers = (n for n in rows)\nfile = io.StringIO()\n"
        "class Feed:\n    def __next__(self): return 1\nfeed = Feed()"
    )
    facts = live(user_names(notebook.shell), Inspector(Turn(30.0)))
    assert facts.streams == {"source", "numbers", "file", "feed"}
