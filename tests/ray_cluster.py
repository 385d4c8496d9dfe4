"""A cluster of Ray on this machine, to which tests may add machines that are this one too."""

import os
import sys

import pytest

NODE = {"object_store_memory": 80 * 2**20, "include_dashboard": False}


@pytest.fixture(scope="module")
def cluster():
    """One machine with room for four workers, which have our search path."""
    pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
        patch.setenv("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        patch.setenv("RAY_health_check_period_ms", "500")
        patch.setenv("RAY_health_check_failure_threshold", "3")
        made = Cluster(initialize_head=True, head_node_args=NODE | {"num_cpus": 2})
        yield made
        made.shutdown()
