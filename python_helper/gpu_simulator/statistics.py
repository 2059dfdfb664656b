"""The allocator's counters, in the nesting that `torch._C._cuda_memoryStats` returns."""

from __future__ import annotations

SMALL_POOL = "small_pool"
LARGE_POOL = "large_pool"

POOL_STATISTICS = (
    "allocation",
    "segment",
    "active",
    "inactive_split",
    "allocated_bytes",
    "reserved_bytes",
    "active_bytes",
    "inactive_split_bytes",
    "requested_bytes",
)


class Statistic:
    """One number: now, at its highest, and all that was ever added and taken away."""

    __slots__ = ("allocated", "current", "freed", "peak")

    def __init__(self) -> None:
        self.current = 0
        self.peak = 0
        self.allocated = 0
        self.freed = 0

    def change(self, amount: int) -> None:
        """Add `amount`, which may be negative."""
        self.current += amount
        if amount >= 0:
            self.allocated += amount
            if self.current > self.peak:  # noqa: PLR1730 -- in every malloc, and `max` is slower
                self.peak = self.current
        else:
            self.freed -= amount

    def reset_peak(self) -> None:
        """Reset the peak to the present value."""
        self.peak = self.current

    def reset_accumulated(self) -> None:
        """Reset the two sums to zero."""
        self.allocated = self.freed = 0

    def as_dict(self) -> dict[str, int]:
        """Return the four numbers as PyTorch names them."""
        return {name: getattr(self, name) for name in ("current", "peak", "allocated", "freed")}


class PoolStatistic(dict[str, Statistic]):
    """One statistic for both pools together, "all", and for each of them."""

    def __init__(self) -> None:
        super().__init__({name: Statistic() for name in ("all", SMALL_POOL, LARGE_POOL)})

    def change(self, pool: str, amount: int) -> None:
        """Add `amount`, which may be negative, to `pool` and to the total."""
        self["all"].change(amount)
        self[pool].change(amount)

    def correct(self, pools: dict[str, int]) -> None:
        """Set each pool to the number counted now."""
        for pool, counted in {**pools, "all": sum(pools.values())}.items():
            self[pool].change(counted - self[pool].current)
