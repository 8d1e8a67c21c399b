"""B-trees: the size that their nodes should have on a device."""

from __future__ import annotations

from collections.abc import Mapping

from ._documents import columns_of
from ._profiled import ProfileLike, from_profile
from ._renamed import renamed
from ._sizes import Size
from ._table import Table

__all__ = ["advise"]


@renamed(key="key_size", value="value_size", range_bytes="range_size")
def advise(
    profile: ProfileLike,
    *,
    data: Size,
    key_size: Size,
    value_size: Size,
    mix: str | Mapping[str, float],
    range_size: Size | None = None,
    memory: Size | None = None,
    fill: float | None = None,
    clients: int | None = None,
    model: str | None = None,
) -> Table:
    """Predict what a B-tree costs for each node size, and name the best.

    Only sizes that were measured are advised; the experiment ``r-by-k`` measures 4K to 4M.

    Parameters
    ----------
    profile
        A profile, the file of one, or ``"device:NAME"``.
    data
        Keys and values in the tree, bytes or text such as ``"100G"``.
    key_size, value_size
        Size of a key and of a value, bytes.
    mix
        Operations and their percentages, which add up to 100: ``{"point": 60, "insert": 40}`` or
        ``"point=60,insert=40"``; ``point``, ``range``, ``insert`` and ``update``.
    range_size
        Keys and values that a range reads, bytes or text; 64K by default.
    memory
        Memory for nodes, the most recently used, bytes or text; none by default.
    fill
        How full nodes are, percent, 50 to 100; 69.3 by default, as after inserts in random order.
    clients
        Clients, each with one operation at a time, 1 to 1048576; 1 by default.
    model
        Predict with this model: ``"dam"``, ``"pdam"``, ``"affine"``, ``"pio"``, ``"mqssd"`` or ``"shared"``;
        the one that fits best by default.

    Returns
    -------
    Table
        A row for each node size: ``node_bytes``, ``chosen``, ``measured``, ``height``, ``point_us``,
        ``range_us``, ``insert_us``, ``update_us`` (microseconds, each with the ends of its 95 % interval in
        ``_low`` and ``_high``), ``mix_per_s`` (operations per second), ``write_amplification`` and others.
        ``info["chosen"]["reason"]`` says why that one.

    Raises
    ------
    BadInput
        The mix is none, or the profile has fewer than two sizes.

    Examples
    --------
    >>> import leadline
    >>> disk = leadline.profile("sim:flash", quick=True)
    >>> mix = {"point": 60, "insert": 40}
    >>> t = leadline.btree.advise(disk, data="100G", key_size=16, value_size=100, mix=mix)
    >>> t["node_bytes"][t["chosen"]].tolist()
    [4096]
    """
    options = {
        "data": data,
        "key_size": key_size,
        "value_size": value_size,
        "mix": mix,
        "range_size": range_size,
        "memory": memory,
        "fill": fill,
        "clients": clients,
        "model": model,
    }
    document, notes, _ = from_profile("btree advise", [], profile, options=options)
    best = document["chosen"]["node_bytes"]
    rows = [
        {"node_bytes": size["node_bytes"], "chosen": size["node_bytes"] == best, **size}
        for size in document["sizes"]
    ]
    return Table(columns_of(rows), document, notes)
