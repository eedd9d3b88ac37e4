"""Makes one value of several: of the mappings of one route, or of the claims on one field. Pure."""

from collections.abc import Sequence

MODES = {"additive": "sum", "blend": "mean", "greatest": "greatest"}  # of blending, as of a route


def combined(
    mode: str, values: Sequence[float], rest: float, weights: Sequence[float] | None = None
) -> float:
    """Return the sum, the mean (by weights, if there are any), or the value farthest from rest; of
    equal ones the first. Without values: rest.
    """
    if not values:
        return rest
    if mode == "sum":
        return sum(values)
    if mode == "greatest":
        return max(values, key=lambda value: abs(value - rest))
    total = sum(weights) if weights is not None else 0.0
    if weights is None or total <= 0.0:  # all weights are 0: equal ones
        return sum(values) / len(values)
    return sum(value * (weight / total) for value, weight in zip(values, weights, strict=True))


def held_back(value: float, wanted: float, rest: float) -> float:
    """Return the value between rest and what is wanted: for a velocity, which a filter may make
    smaller, never larger, and never hold up on its way to rest.
    """
    low, high = (rest, wanted) if wanted >= rest else (wanted, rest)
    return min(max(value, low), high)
