"""The numbers of a profile as attributes."""

from __future__ import annotations

from typing import Any, Generic, TypeVar, overload

__all__ = ["Interval", "Parameters"]

#: The ends of a 95 % interval, low and high.
Interval = tuple[float, float]

_T = TypeVar("_T")


class _Parameter(Generic[_T]):
    """A number of random 4 KiB requests (of what the profile has where it has not these); None if unknown."""

    def __init__(self, what: str) -> None:
        self.__doc__ = what

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, of: None, owner: type) -> _Parameter[_T]: ...

    @overload
    def __get__(self, of: Parameters, owner: type) -> _T | None: ...

    def __get__(self, of: Any, owner: type) -> Any:
        if of is None:
            return self
        value = of._headline.get(self._name)
        return (value[0], value[1]) if isinstance(value, list) else value

    def __set__(self, of: Parameters, value: object) -> None:
        raise AttributeError(f"{self._name}: a profile does not change")


def _interval(of: str) -> _Parameter[Interval]:
    return _Parameter(f"95 % interval of `{of}`.")


class Parameters:
    """The numbers of random 4 KiB requests."""

    k_r = _Parameter[int]("Reads in flight that reach 95 % of the most reads per second.")
    k_r_ci = _interval("k_r")
    k_r_90 = _Parameter[int]("Reads in flight that reach 90 % of the most: what advice is based on.")
    k_r_90_ci = _interval("k_r_90")
    k_r_little = _Parameter[float]("Reads in flight at the most reads a second and the time of one alone.")
    k_r_knee = _Parameter[int]("Reads in flight at the knee of the curve (Kneedle).")
    k_w = _Parameter[int]("Writes in flight that reach 95 % of the most writes per second.")
    k_w_ci = _interval("k_w")
    k_w_90 = _Parameter[int]("Writes in flight that reach 90 % of the most: what advice is based on.")
    k_w_90_ci = _interval("k_w_90")
    k_w_little = _Parameter[float]("Writes in flight at the most writes a second and the time of one alone.")
    k_w_knee = _Parameter[int]("Writes in flight at the knee of the curve (Kneedle).")
    alpha = _Parameter[float]("How many reads one write is worth when the device is saturated.")
    alpha_ci = _interval("alpha")
    alpha_1 = _Parameter[float]("How many reads one write is worth with one request in flight.")
    alpha_1_ci = _interval("alpha_1")
    alpha_durable = _Parameter[float]("How many reads one durable write is worth, saturated.")
    alpha_durable_ci = _interval("alpha_durable")
    alpha_1_durable = _Parameter[float]("How many reads one durable write is worth, one at a time.")
    alpha_1_durable_ci = _interval("alpha_1_durable")
    max_read_iops = _Parameter[float]("The most reads per second.")
    max_read_iops_ci = _interval("max_read_iops")
    max_write_iops = _Parameter[float]("The most writes per second.")
    max_write_iops_ci = _interval("max_write_iops")
    max_durable_write_iops = _Parameter[float]("The most durable writes per second.")
    max_durable_write_iops_ci = _interval("max_durable_write_iops")
    capped = _Parameter[str]("Whether something limits the device from outside: yes, no, unknown.")
    censored = _Parameter[dict[str, bool]]("Of reads and writes, whether k is only a lower bound.")
    pattern = _Parameter[str]("What these numbers are of: random or sequential requests.")
    block_bytes = _Parameter[int]("What these numbers are of: the size of each request, bytes.")
