"""A real server of S3 on this machine, with the environment in which our code finds it."""

import logging
import socket
from contextlib import contextmanager

import pytest

BUCKET = "bucket"


def environment(monkeypatch, port):
    """Have our code, and processes that it starts, find a server on this port."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{port}")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "nobody")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "nothing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    for name in ("AWS_PROFILE", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "FSSPEC_S3_ENDPOINT_URL"):
        monkeypatch.delenv(name, raising=False)
    from s3fs import S3FileSystem

    # File systems are kept by their options, of which the environment is none.
    S3FileSystem.clear_instance_cache()


@contextmanager
def server():
    """Run a server on a free port; gives the port."""
    # Takes seconds to import, in every process that only collects tests.
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    running = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    running.start()
    try:
        yield running.get_host_and_port()[1]
    finally:
        running.stop()
        running._server.server_close()


@pytest.fixture(scope="session")
def s3_port():
    with server() as port:
        yield port


@pytest.fixture
def s3(s3_port, monkeypatch):
    """Give a client of a server with one empty bucket."""
    import boto3
    from botocore.config import Config

    environment(monkeypatch, s3_port)
    client = boto3.client("s3", config=Config(retries={"total_max_attempts": 1}))
    client.create_bucket(Bucket=BUCKET)
    yield client
    for name in names(client):
        client.delete_object(Bucket=BUCKET, Key=name)
    client.delete_bucket(Bucket=BUCKET)
    client.close()


def names(client, bucket=BUCKET):
    """Keys of all objects."""
    return [entry["Key"] for entry in client.list_objects_v2(Bucket=bucket).get("Contents", ())]


def closed_port():
    """A port on which nothing listens."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]
