from embed.conftest import tiny_model  # noqa: F401
from object_store import s3, s3_port  # noqa: F401
from ray_cluster import cluster  # noqa: F401
