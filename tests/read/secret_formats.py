"""How secrets are written: a format each, by the public documentation of who issues it.

Values are made when they are asked for, of a seed, so that no scanner takes this file for a leak.
"""

import base64
import random
import string
from collections.abc import Callable
from typing import NamedTuple

__all__ = ["FORMATS", "Made", "make"]

_HEX = "0123456789abcdef"
_UPPER = string.ascii_uppercase + string.digits
_LOWER = string.ascii_lowercase + string.digits
_ALNUM = string.ascii_letters + string.digits
_URL = _ALNUM + "_-"
_B64 = _ALNUM + "+/"


class Made(NamedTuple):
    """A text and the secret in it; of what is to go, no eight characters may stay."""

    text: str
    secret: str


class Pen:
    """Writes values of a seed."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)

    def of(self, alphabet: str, size: int) -> str:
        return "".join(self._random.choice(alphabet) for _ in range(size))

    def hex(self, size: int) -> str:
        return self.of(_HEX, size)

    def alnum(self, size: int) -> str:
        return self.of(_ALNUM, size)

    def url(self, size: int) -> str:
        return self.of(_ALNUM, 1) + self.of(_URL, size - 2) + self.of(_ALNUM, 1)

    def lower(self, size: int) -> str:
        return self.of(_LOWER, size)

    def upper(self, size: int) -> str:
        return self.of(_UPPER, size)

    def digits(self, size: int) -> str:
        return self.of("123456789", 1) + self.of(string.digits, size - 1)

    def b64(self, size: int) -> str:
        raw = bytes(self._random.randrange(256) for _ in range(size))
        return base64.b64encode(raw).decode()

    def uuid(self) -> str:
        return "-".join(self.hex(n) for n in (8, 4, 4, 4, 12))

    def lines(self, count: int) -> str:
        return "\n".join(self.of(_B64, 64) for _ in range(count))


Writer = Callable[[Pen], str]


def _token(write: Writer) -> Callable[[Pen], Made]:
    """A token that is known by itself, in a sentence."""

    def made(pen: Pen) -> Made:
        token = write(pen)
        return Made(f"The job used {token} yesterday.\n", token)

    return made


def _pair(pen: Pen) -> str:
    """A user and a password as headers and .docker/config.json hold them."""
    return base64.b64encode(f"bob:{pen.alnum(12)}".encode()).decode()


def _in(text: str, write: Writer) -> Callable[[Pen], Made]:
    """A value that the text around it (with `@@` for it) gives away."""

    def made(pen: Pen) -> Made:
        value = write(pen)
        return Made(text.replace("@@", value), value)

    return made


def _jwt(pen: Pen) -> str:
    head = base64.urlsafe_b64encode(b'{"alg":"HS256"}').decode().rstrip("=")
    body = base64.urlsafe_b64encode(b'{"sub":"' + pen.digits(10).encode() + b'"}').decode()
    return f"{head}.{body.rstrip('=')}.{pen.url(43)}"


def _block(label: str) -> Callable[[Pen], Made]:
    def made(pen: Pen) -> Made:
        body = pen.lines(6)
        begin, end = f"-----BEGIN {label}-----", f"-----END {label}-----"
        return Made(f"x\n{begin}\n{body}\n{end}\ny\n", body)

    return made


def _putty(pen: Pen) -> Made:
    body = pen.lines(4)
    return Made(
        f"PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\nPrivate-Lines: 4\n{body}\n"
        "Private-MAC: 00\n",
        body,
    )


def _service_account(pen: Pen) -> Made:
    body = pen.lines(6)
    escaped = body.replace("\n", "\\n")
    mark = "PRIVATE KEY-----"
    return Made(
        f'{{"type": "service_account", "private_key": "-----BEGIN {mark}\\n{escaped}\\n-----END '
        f'{mark}\\n"}}',
        escaped,
    )


def _kube_key(pen: Pen) -> Made:
    key = "-----BEGIN RSA PRIVATE" + " KEY-----\n" + pen.lines(4)
    coded = base64.b64encode(key.encode()).decode()
    return Made(f"users:\n- user:\n    client-key-data: {coded}\n", coded)


def _manifest(pen: Pen) -> Made:
    coded = base64.b64encode(pen.lower(11).encode()).decode()
    return Made(
        f"apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  greeting: {coded}\n", coded
    )


def _password(pen: Pen) -> str:
    return pen.of(string.ascii_lowercase, 6) + pen.of(string.digits, 1)


def _strong(pen: Pen) -> str:
    return pen.alnum(6) + "!" + pen.of(string.digits, 2) + pen.alnum(4)


def _word(pen: Pen) -> str:
    return "sword" + pen.of(string.ascii_lowercase, 5)


def _bcrypt(pen: Pen) -> str:
    return "$2y$10$" + pen.of(_ALNUM + "./", 53)


FORMATS: dict[str, Callable[[Pen], Made]] = {
    # clouds
    "aws access key": _token(lambda p: "AKIA" + p.of("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16)),
    "aws temporary key": _token(lambda p: "ASIA" + p.of("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16)),
    "aws secret key": _in("aws_secret_access_key = @@\n", lambda p: p.of(_B64, 40)),
    "aws secret key in json": _in('{"SecretAccessKey": "@@"}', lambda p: p.of(_B64, 40)),
    "aws session token": _in("AWS_SESSION_TOKEN=@@\n", lambda p: "FwoGZXIvYXdzE" + p.b64(240)),
    "aws mws key": _token(lambda p: "amzn.mws." + p.uuid()),
    "gcp api key": _token(lambda p: "AIza" + p.url(35)),
    "gcp oauth token": _token(lambda p: "ya29." + p.url(120)),
    "gcp refresh token": _token(lambda p: "1//0" + p.url(60)),
    "gcp client secret": _token(lambda p: "GOCSPX-" + p.url(28)),
    "gcp service account": _service_account,
    "azure storage key": _in(
        "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=@@;EndpointSuffix=core.net",
        lambda p: p.b64(64),
    ),
    "azure service bus key": _in(
        "Endpoint=sb://x.net/;SharedAccessKeyName=Root;SharedAccessKey=@@", lambda p: p.b64(32)
    ),
    "azure sas": _in(
        "https://x.blob.net/a?sv=2022&se=2030-01-01&sr=b&sig=@@&sp=r",
        lambda p: p.b64(32).replace("+", "%2B").replace("/", "%2F").replace("=", "%3D"),
    ),
    "azure client secret": _token(lambda p: p.alnum(3) + "8Q~" + p.alnum(34)),
    "azure devops token": _token(lambda p: p.alnum(76) + "AZDO" + p.alnum(4)),
    "azure devops old token": _in("AZURE_DEVOPS_EXT_PAT=@@\n", lambda p: p.lower(52)),
    "azure search key": _in("api-key: @@\n", lambda p: p.alnum(52)),
    "digitalocean token": _token(lambda p: "dop_v1_" + p.hex(64)),
    "digitalocean oauth": _token(lambda p: "doo_v1_" + p.hex(64)),
    "digitalocean refresh": _token(lambda p: "dor_v1_" + p.hex(64)),
    "alibaba key": _token(lambda p: "LTAI5t" + p.alnum(18)),
    "alibaba secret": _in("ALIYUN_ACCESS_KEY_SECRET=@@\n", lambda p: p.alnum(30)),
    "tencent id": _token(lambda p: "AKID" + p.alnum(32)),
    "tencent secret": _in('secret_key = "@@"\n', lambda p: p.alnum(32)),
    "yandex api key": _token(lambda p: "AQVN" + p.url(36)),
    "yandex iam token": _token(lambda p: "t1." + p.url(80) + "." + p.url(86)),
    "heroku key": _in("HEROKU_API_KEY=@@\n", lambda p: p.uuid()),
    "heroku new key": _token(lambda p: "HRKU-AA" + p.url(58)),
    "fly token": _token(lambda p: "fo1_" + p.url(43)),
    "fly macaroon": _token(lambda p: "fm2_" + p.of(_B64, 120)),
    "render key": _token(lambda p: "rnd_" + p.alnum(28)),
    "vercel token": _in("VERCEL_TOKEN=@@\n", lambda p: p.alnum(24)),
    "netlify token": _token(lambda p: "nfp_" + p.alnum(36)),
    "cloudflare token": _in("CLOUDFLARE_API_TOKEN=@@\n", lambda p: p.url(40)),
    "cloudflare global key": _in("X-Auth-Key: @@\n", lambda p: p.hex(37)),
    "cloudflare origin key": _token(lambda p: "v1.0-" + p.hex(24) + "-" + p.hex(146)),
    "fastly token": _in("Fastly-Key: @@\n", lambda p: p.url(32)),
    "planetscale token": _token(lambda p: "pscale_tkn_" + p.url(43)),
    "planetscale password": _token(lambda p: "pscale_pw_" + p.url(43)),
    "supabase token": _token(lambda p: "sbp_" + p.hex(40)),
    "databricks token": _token(lambda p: "dapi" + p.hex(32)),
    "scalingo token": _token(lambda p: "tk-us-" + p.url(48)),
    "openshift token": _token(lambda p: "sha256~" + p.url(43)),
    # code, builds, packages
    "github personal": _token(lambda p: "ghp_" + p.alnum(36)),
    "github oauth": _token(lambda p: "gho_" + p.alnum(36)),
    "github user": _token(lambda p: "ghu_" + p.alnum(36)),
    "github server": _token(lambda p: "ghs_" + p.alnum(36)),
    "github refresh": _token(lambda p: "ghr_" + p.alnum(76)),
    "github fine-grained": _token(lambda p: "github_pat_" + p.alnum(22) + "_" + p.alnum(59)),
    "gitlab personal": _token(lambda p: "glpat-" + p.url(20)),
    "gitlab routable": _token(lambda p: "glpat-" + p.url(27) + ".01." + p.lower(9)),
    "gitlab runner": _token(lambda p: "glrt-" + p.url(20)),
    "gitlab deploy": _token(lambda p: "gldt-" + p.url(20)),
    "gitlab job": _token(lambda p: "glcbt-64_" + p.url(20)),
    "gitlab trigger": _token(lambda p: "glptt-" + p.hex(40)),
    "gitlab registration": _token(lambda p: "GR1348941" + p.url(20)),
    "bitbucket app password": _token(lambda p: "ATBB" + p.alnum(32)),
    "atlassian token": _token(lambda p: "ATATT3xFfGF0" + p.url(170) + "=" + p.upper(8)),
    "jira token": _in("JIRA_API_TOKEN=@@\n", lambda p: p.alnum(24)),
    "trello token": _token(lambda p: "ATTA" + p.hex(64) + p.hex(8)),
    "npm token": _token(lambda p: "npm_" + p.alnum(36)),
    "npmrc _authToken": _in("//registry.npmjs.org/:_authToken=@@\n", lambda p: p.uuid()),
    "npmrc _password": _in("//r.org/:_password=@@\n", lambda p: p.b64(9)),
    "npmrc _auth": _in("_auth=@@\n", _pair),
    "pypi token": _token(lambda p: "pypi-AgEIcHlwaS5vcmc" + p.url(130)),
    "rubygems key": _token(lambda p: "rubygems_" + p.hex(48)),
    "crates.io token": _token(lambda p: "cio" + p.alnum(32)),
    "nuget key": _token(lambda p: "oy2" + p.lower(43)),
    "docker hub token": _token(lambda p: "dckr_pat_" + p.url(27)),
    "docker config auth": _in('{"auths": {"h": {"auth": "@@"}}}', _pair),
    "artifactory key": _token(lambda p: "AKCp" + p.alnum(69)),
    "artifactory reference": _token(lambda p: "cmVmdGtu" + p.alnum(56)),
    "jfrog header": _in("X-JFrog-Art-Api-Key: @@\n", lambda p: p.alnum(64)),
    "clojars token": _token(lambda p: "CLOJARS_" + p.lower(60)),
    "sonar user token": _token(lambda p: "squ_" + p.hex(40)),
    "sonar project token": _token(lambda p: "sqp_" + p.hex(40)),
    "pulumi token": _token(lambda p: "pul-" + p.hex(40)),
    "terraform cloud": _token(lambda p: p.alnum(14) + ".atlasv1." + p.url(67)),
    "vault service": _token(lambda p: "hvs." + p.url(90)),
    "vault batch": _token(lambda p: "hvb." + p.url(138)),
    "vault old": _token(lambda p: "s." + p.alnum(24)),
    "doppler personal": _token(lambda p: "dp.pt." + p.alnum(43)),
    "doppler service": _token(lambda p: "dp.st.prd." + p.alnum(43)),
    "1password account": _token(lambda p: "ops_eyJ" + p.url(300)),
    "1password key": _token(lambda p: "A3-" + "-".join(p.upper(n) for n in (6, 6, 5, 5, 5, 5))),
    "snyk token": _in("SNYK_TOKEN=@@\n", lambda p: p.uuid()),
    "postman key": _token(lambda p: "PMAK-" + p.hex(24) + "-" + p.hex(34)),
    "prefect key": _token(lambda p: "pnu_" + p.alnum(36)),
    "readme key": _token(lambda p: "rdme_" + p.lower(70)),
    "tailscale key": _token(lambda p: "tskey-auth-" + p.alnum(17) + "-" + p.alnum(32)),
    "buildkite token": _token(lambda p: "bkua_" + p.hex(40)),
    # watching
    "sentry token": _token(lambda p: "sntrys_eyJ" + p.alnum(120) + "_" + p.alnum(43)),
    "sentry dsn": _in("https://@@@o12345.ingest.sentry.io/6789\n", lambda p: p.hex(32)),
    "datadog api key": _in("DD_API_KEY=@@\n", lambda p: p.hex(32)),
    "datadog app key": _in("datadog_app_key: @@\n", lambda p: p.hex(40)),
    "new relic user key": _token(lambda p: "NRAK-" + p.upper(27)),
    "new relic license": _token(lambda p: p.hex(36) + "NRAL"),
    "grafana account": _token(lambda p: "glsa_" + p.alnum(32) + "_" + p.hex(8)),
    "grafana cloud": _token(lambda p: "glc_" + p.of(_B64, 60)),
    "dynatrace token": _token(lambda p: "dt0c01." + p.upper(24) + "." + p.upper(64)),
    "honeycomb key": _in("X-Honeycomb-Team: @@\n", lambda p: p.hex(32)),
    "honeycomb ingest": _token(lambda p: "hcaik_" + p.lower(58)),
    "pagerduty token": _in("Authorization: Token token=@@\n", lambda p: p.url(20)),
    "opsgenie key": _in("Authorization: GenieKey @@\n", lambda p: p.uuid()),
    # messages
    "slack bot": _token(lambda p: f"xoxb-{p.digits(12)}-{p.digits(12)}-{p.alnum(24)}"),
    "slack user": _token(lambda p: f"xoxp-{p.digits(12)}-{p.digits(12)}-{p.hex(32)}"),
    "slack workspace": _token(lambda p: f"xoxa-2-{p.digits(12)}-{p.digits(12)}-{p.hex(32)}"),
    "slack app": _token(lambda p: f"xapp-1-A{p.upper(10)}-{p.digits(13)}-{p.hex(64)}"),
    "slack webhook": _in(
        "https://hooks.slack.com/services/T0AB12CD3/B0AB12CD3/@@\n", lambda p: p.alnum(24)
    ),
    "discord bot": _token(lambda p: f"MTIz{p.alnum(20)}.G{p.alnum(5)}.{p.url(38)}"),
    "discord webhook": _in(
        "https://discord.com/api/webhooks/123456789012345678/@@\n", lambda p: p.url(68)
    ),
    "telegram bot": _token(lambda p: f"{p.digits(10)}:AA{p.url(33)}"),
    "telegram address": _in(
        "https://api.telegram.org/bot@@/getMe\n", lambda p: f"{p.digits(10)}:AA{p.url(33)}"
    ),
    "twilio key": _token(lambda p: "SK" + p.hex(32)),
    "twilio auth": _in("TWILIO_AUTH_TOKEN=@@\n", lambda p: p.hex(32)),
    "twilio pair": _in("curl -u AC" + "0" * 24 + "deadbeef:@@ https://h\n", lambda p: p.hex(32)),
    "sendgrid key": _token(lambda p: "SG." + p.url(22) + "." + p.url(43)),
    "mailgun key": _token(lambda p: "key-" + p.hex(32)),
    "mailchimp key": _token(lambda p: p.hex(32) + "-us14"),
    "postmark token": _in("X-Postmark-Server-Token: @@\n", lambda p: p.uuid()),
    "telnyx key": _token(lambda p: "KEY0" + p.of("0123456789ABCDEF", 31) + "_" + p.alnum(22)),
    "brevo key": _token(lambda p: "xkeysib-" + p.hex(64) + "-" + p.alnum(16)),
    # payments, shops, work
    "stripe secret": _token(lambda p: "sk_live_" + p.alnum(24)),
    "stripe restricted": _token(lambda p: "rk_live_" + p.alnum(99)),
    "stripe webhook": _token(lambda p: "whsec_" + p.alnum(32)),
    "square token": _token(lambda p: "EAAA" + p.url(60)),
    "square secret": _token(lambda p: "sq0csp-" + p.url(43)),
    "braintree token": _token(lambda p: "access_token$production$" + p.lower(16) + "$" + p.hex(32)),
    "paypal secret": _in("PAYPAL_CLIENT_SECRET=@@\n", lambda p: "E" + p.url(79)),
    "shopify access": _token(lambda p: "shpat_" + p.hex(32)),
    "shopify shared": _token(lambda p: "shpss_" + p.hex(32)),
    "shopify custom": _token(lambda p: "shpca_" + p.hex(32)),
    "shopify private": _token(lambda p: "shppa_" + p.hex(32)),
    "easypost key": _token(lambda p: "EZAK" + p.alnum(54)),
    "shippo token": _token(lambda p: "shippo_live_" + p.hex(40)),
    "duffel token": _token(lambda p: "duffel_live_" + p.url(43)),
    "plaid token": _token(lambda p: "access-production-" + p.uuid()),
    "linear key": _token(lambda p: "lin_api_" + p.alnum(40)),
    "notion secret": _token(lambda p: "secret_" + p.alnum(43)),
    "notion token": _token(lambda p: "ntn_" + p.digits(11) + p.alnum(35)),
    "airtable token": _token(lambda p: "pat" + p.alnum(14) + "." + p.hex(64)),
    "asana token": _token(lambda p: "1/1" + p.digits(15) + ":" + p.hex(32)),
    "figma token": _token(lambda p: "figd_" + p.url(40)),
    "dropbox token": _token(lambda p: "sl.B" + p.url(134)),
    "typeform token": _token(lambda p: "tfp_" + p.url(44) + "_" + p.alnum(14)),
    "zendesk token": _in("zendesk_api_token: @@\n", lambda p: p.alnum(40)),
    "adobe secret": _token(lambda p: "p8e-" + p.alnum(32)),
    "hubspot token": _token(lambda p: "pat-na1-" + p.uuid()),
    # models
    "openai key": _token(lambda p: "sk-" + p.alnum(20) + "T3BlbkFJ" + p.alnum(20)),
    "openai project key": _token(lambda p: "sk-proj-" + p.url(120)),
    "anthropic key": _token(lambda p: "sk-ant-api03-" + p.url(93) + "AA"),
    "groq key": _token(lambda p: "gsk_" + p.alnum(52)),
    "openrouter key": _token(lambda p: "sk-or-v1-" + p.hex(64)),
    "cohere key": _in("COHERE_API_KEY=@@\n", lambda p: p.alnum(40)),
    "mistral key": _in('export MISTRAL_API_KEY="@@"\n', lambda p: p.alnum(32)),
    "perplexity key": _token(lambda p: "pplx-" + p.alnum(48)),
    "replicate token": _token(lambda p: "r8_" + p.alnum(37)),
    "xai key": _token(lambda p: "xai-" + p.alnum(80)),
    "hugging face token": _token(lambda p: "hf_" + p.of(string.ascii_letters, 34)),
    "langsmith key": _token(lambda p: "lsv2_pt_" + p.hex(32) + "_" + p.hex(10)),
    "pinecone key": _token(lambda p: "pcsk_" + p.alnum(6) + "_" + p.alnum(63)),
    "wandb key": _in("WANDB_API_KEY=@@\n", lambda p: p.hex(40)),
    "elevenlabs key": _token(lambda p: "sk_" + p.hex(48)),
    # keys in blocks
    "rsa key": _block("RSA PRIVATE KEY"),
    "ec key": _block("EC PRIVATE KEY"),
    "pkcs8 key": _block("PRIVATE KEY"),
    "encrypted key": _block("ENCRYPTED PRIVATE KEY"),
    "openssh key": _block("OPENSSH PRIVATE KEY"),
    "pgp key": _block("PGP PRIVATE KEY BLOCK"),
    "putty key": _putty,
    "kubeconfig key": _kube_key,
    "age key": _token(lambda p: "AGE-SECRET-KEY-1" + p.of("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58)),
    "jwt": _token(_jwt),
    # headers, commands
    "bearer header": _in("Authorization: Bearer @@\n", lambda p: p.alnum(32)),
    "basic header": _in("Authorization: Basic @@\n", _pair),
    "basic header in code": _in("headers = {'Authorization': 'Basic @@'}\n", _pair),
    "digest header": _in(
        'Authorization: Digest username="u", nonce="x", response="@@"\n', lambda p: p.hex(32)
    ),
    "cookie": _in("Cookie: theme=dark; session=@@\n", lambda p: p.hex(32)),
    "set-cookie": _in("Set-Cookie: sid=@@; HttpOnly; Path=/\n", lambda p: p.url(40)),
    "java session id": _in("GET /a;jsessionid=@@\n", lambda p: p.of("0123456789ABCDEF", 32)),
    "--password X": _in("$ app login --user bob --password @@\n", _password),
    "--password=X": _in("$ app login --password=@@\n", _word),
    "--token=X": _in("$ app login --token=@@ --verbose\n", lambda p: p.alnum(20)),
    "--api-key X": _in("$ app --api-key @@\n", lambda p: p.hex(24)),
    "docker login -p X": _in("docker login -u bob -p @@ registry.io\n", _strong),
    "PGPASSWORD=X": _in("PGPASSWORD=@@ psql -h db -U app\n", _word),
    "curl -u user:X": _in("curl -s -u bob:@@ https://h/\n", _word),
    "mysql -pX": _in("mysql -h db -u root -p@@ shop\n", _word),
    "sshpass -p X": _in("sshpass -p @@ ssh bob@h\n", _word),
    "redis-cli -a X": _in("redis-cli -h r -a @@ ping\n", _password),
    # connection strings
    "postgres address": _in("postgres://app:@@@db:5432/shop\n", _word),
    "mysql address": _in("mysql+pymysql://app:@@@db/shop\n", _strong),
    "mongodb address": _in("mongodb+srv://app:@@@c0.x.mongodb.net/?w=majority\n", _password),
    "redis address": _in("redis://:@@@cache:6379/0\n", _password),
    "amqp address": _in("amqp://app:@@@mq:5672/%2f\n", _password),
    "jdbc address": _in("jdbc:postgresql://db/shop?user=app&password=@@\n", _password),
    "jdbc sqlserver": _in("jdbc:sqlserver://db;user=sa;password=@@;encrypt=true\n", _word),
    "ado.net password": _in("Server=db;Database=x;User Id=sa;Password=@@;\n", _word),
    "ado.net pwd": _in('"Server=db;Uid=sa;Pwd=@@;"\n', _word),
    "odbc": _in("Driver={ODBC Driver 18};Server=db;UID=sa;PWD=@@\n", _word),
    # values that a name gives away, in the formats of settings
    "short quoted": _in('password = "@@"\n', lambda p: _password(p)[2:]),
    "quoted with signs": _in("db_pass: '@@'\n", _strong),
    "unquoted .env": _in("DB_PASSWORD=@@\n", _word),
    "unquoted .env with export": _in("export SMTP_PASS=@@\n", _password),
    "dotted": _in("spring.datasource.password=@@\n", _password),
    "dotted with words": _in("quarkus.datasource.password = @@\n", _word),
    "dotted yaml": _in("db.password: @@\n", _password),
    "yaml": _in("database:\n  user: app\n  password: @@\n", _password),
    "json": _in('{"user": "app", "password": "@@"}\n', _password),
    "json in json": _in('{"config": "{\\"password\\": \\"@@\\"}"}\n', _password),
    "toml": _in('[db]\npassword = "@@"\n', _strong),
    "ini": _in("[client]\nuser = app\npassword = @@\n", _password),
    "xml element": _in("<server><password>@@</password></server>\n", _word),
    "xml attribute": _in('<user name="app" password="@@"/>\n', _strong),
    "xml property": _in('<property name="db.password" value="@@"/>\n', _word),
    "hcl": _in('resource "db" "x" {\n  master_password = "@@"\n}\n', _password),
    "hcl variable": _in('variable "db_password" {\n  default = "@@"\n}\n', _word),
    "php": _in("define('DB_PASSWORD', '@@');\n", _password),
    "php array": _in("'password' => '@@',\n", _password),
    "dockerfile": _in("ENV DB_PASSWORD @@\n", _password),
    ".netrc": _in("machine api.x.org login bob password @@\n", _word),
    ".netrc on lines": _in("machine api.x.org\n  login bob\n  password @@\n", _word),
    ".pgpass": _in("db.x.org:5432:shop:app:@@\n", _word),
    ".htpasswd": _in("bob:@@\n", _bcrypt),
    "shadow": _in(
        "root:@@:19000:0:99999:7:::\n",
        lambda p: "$6$" + p.alnum(16) + "$" + p.of(_ALNUM + "./", 86),
    ),
    "kubernetes secret": _manifest,
    "told": _in("The password for staging is @@.\n", _password),
}


def make(name: str, seed: str = "1") -> Made:
    """The format of this name with a value of `seed`."""
    return FORMATS[name](Pen(f"{name}/{seed}"))
