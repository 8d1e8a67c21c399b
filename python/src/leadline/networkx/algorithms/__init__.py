"""networkx's functions on stored graphs, a file for each algorithm of the engine.

Each function has networkx's arguments, results and exceptions. A call that the engine cannot answer exactly
is declined before it starts (see ``declines.py``), or raises NotImplementedError once the graph was looked
at; in either case networkx runs it itself if it may.
"""
