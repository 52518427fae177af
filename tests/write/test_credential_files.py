"""Files that exist to hold credentials stay out of the memory, and the run says which."""

from collections.abc import Callable

import pytest

from quipu.config import Config
from quipu.memory import Memory
from quipu.read.ignore import credential_kind

Tree = Callable[[dict[str, str]], None]

LEFT_OUT = """
.env .env.local prod.env .envrc .netrc _netrc .npmrc .docker/config.json .kube/config .pgpass
etc/shadow infra/prod.tfvars infra/x.auto.tfvars terraform.tfstate terraform.tfstate.backup
.m2/settings.xml settings.xml .pypirc .git-credentials .aws/credentials .ssh/id_rsa id_ed25519
tls/server.pem tls/server.key a.p12 a.pfx a.jks vault.kdbx .htpasswd
.config/gcloud/application_default_credentials.json .azure/msal_token_cache.json
config/secrets.yml secrets.yaml .vault-token config/master.key .vault_pass credentials.json
client_secret_12.json my-service-account.json .gem/credentials .cargo/credentials.toml Key.PEM
""".split()

KEPT = """
.env.example .env.sample .env.template env.md environment.py .npmignore docker/config.json
config.json README.md src/secrets.py docs/secrets.md key.py pem.md id_rsa.pub server.pub.pem
keys/public.pem kube/config.md settings.py settings.json prod.tfvars.example master_key.md
auth.py shadow.css credentials.md tokenizer.json
""".split()


@pytest.mark.parametrize("path", LEFT_OUT)
def test_a_credential_file_is_known_by_its_path(path: str) -> None:
    assert credential_kind(path)


@pytest.mark.parametrize("path", KEPT)
def test_other_files_and_examples_stay(path: str) -> None:
    assert credential_kind(path) is None


def test_they_are_left_out_and_told(memory: Memory, tree: Tree) -> None:
    tree({"a.md": "# A\n\nText.\n", ".env": "COLOUR=teal\n", ".env.example": "COLOUR=\n"})
    report = memory.index()
    assert sorted(report.added) == [".env.example", "a.md"]
    assert [(row.path, row.error) for row in report.credentials] == [
        (".env", "settings of an environment")
    ]
    assert report.errors == ()
    again = memory.index()
    assert len(again.credentials) == 1


def test_one_that_is_named_or_set_is_read_and_redacted(memory: Memory, tree: Tree) -> None:
    tree({".env": "COLOUR=teal\nDB_PASSWORD=swordfish\n"})
    report = memory.index([memory.home.folder / ".env"])
    assert report.added == (".env",)
    assert report.redacted == {"password": 1}
    assert Config().index.credentials == ()


def test_what_was_stored_of_one_before_is_retired(memory: Memory, tree: Tree) -> None:
    tree({".env": "COLOUR=teal\n", "a.md": "# A\n\nText.\n"})
    memory.index([memory.home.folder / ".env"])
    assert memory.index().removed == (".env",)
