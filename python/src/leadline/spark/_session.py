"""Spark: whether it is there, and a session of our own in it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._errors import BadInput
from .._optional import missing

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["moved", "own_session", "session_of"]

#: Partitions stay as they are made, so that what is joined in every iteration is not shuffled again.
_SETTINGS = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.requireAllClusterKeysForCoPartition": "false",
    # Sizes of what was cut off from its lineage are not known, and estimates of them would be wrong.
    "spark.sql.autoBroadcastJoinThreshold": "-1",
}


def session_of(edges: Any) -> SparkSession:
    """The session of a DataFrame; for a path the one that is active, or else one with Spark's defaults.

    Raises
    ------
    BadInput
        PySpark or Java is missing, or `edges` is of Spark Connect.
    """
    try:
        from pyspark import SparkContext
        from pyspark.sql import SparkSession
    except ImportError:
        raise BadInput(f"{missing('leadline.spark', 'pyspark')}, and Java 17 or later") from None
    session = getattr(edges, "sparkSession", None) or SparkSession.getActiveSession()
    if session is None:
        if SparkContext._gateway is None:
            _need_java()
        session = SparkSession.builder.appName("leadline").getOrCreate()
    if not hasattr(session, "_jsparkSession"):
        raise BadInput("edges: Spark Connect has no GraphX; use a session with a master, such as local[2]")
    return session


def _need_java() -> None:
    """Refuse where PySpark would print a page about Java."""
    home = os.environ.get("JAVA_HOME")
    if home:
        if not (Path(home) / "bin" / "java").exists():
            raise BadInput(f"JAVA_HOME={home}: has no bin/java; name the directory of Java 17 or later")
    elif shutil.which("java") is None:
        raise BadInput("Spark needs Java 17 or later; install it, or let JAVA_HOME name its directory")


def own_session(session: SparkSession) -> SparkSession:
    """A session of the same application with the settings that our plans need; the user's stay."""
    own = type(session)(session.sparkContext, session._jsparkSession.cloneSession())
    for name, value in _SETTINGS.items():
        own.conf.set(name, value)
    return own


def moved(frame: DataFrame, session: SparkSession) -> DataFrame:
    """The same rows in another session of the application."""
    from pyspark.sql import DataFrame

    jvm: Any = session._jvm
    datasets = jvm.java.lang.Class.forName("org.apache.spark.sql.classic.Dataset$")
    plan = frame._jdf.queryExecution().analyzed()
    made = datasets.getField("MODULE$").get(None).ofRows(session._jsparkSession, plan)
    return DataFrame(made, session)
