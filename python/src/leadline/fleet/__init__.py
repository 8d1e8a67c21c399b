"""The disks of a Ray cluster: which one is slow, and what changed since last time.

It needs Ray, which the extra ``[ray]`` installs, here and on the nodes; importing it does not.

>>> import leadline
>>> from leadline import fleet
>>> fast = [leadline.profile("sim:flash", quick=True, seed=seed) for seed in (1, 2)]
>>> slow = leadline.profile("sim:sata", quick=True)
>>> found = fleet.Fleet({"a": fast[0], "b": fast[1], "c": slow})
>>> sorted(set(found.outliers["node"]))
['c']
"""

from .fits import fit
from .measurement import profile
from .profiles import Fleet
from .simulations import sweep

__all__ = ["Fleet", "fit", "profile", "sweep"]
