from object_store import s3, s3_port  # noqa: F401
