"""A real Ray cluster on this machine: `python cluster.py NODES`, each of them with one processor.

Prints its address, then ends a node without notice for each line it is given ("ended"), and itself
with its input.
"""

import sys
from typing import Any

from ray.cluster_utils import Cluster

ROOM = {"object_store_memory": 100_000_000, "include_dashboard": False}


def main() -> None:
    cluster: Any = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, **ROOM})
    nodes = [cluster.add_node(num_cpus=1, **ROOM) for _ in range(int(sys.argv[1]))]
    cluster.wait_for_nodes()
    print(cluster.address, flush=True)
    for _ in sys.stdin:
        cluster.remove_node(nodes.pop(), allow_graceful=False)
        print("ended", flush=True)
    cluster.shutdown()


main()
