"""What is known of code, asked for in questions: the same of a small crawler in each language."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from quipu.config import Config
from quipu.memory import Memory
from quipu.read.languages import CAPTURES, LANGUAGES, grammar
from quipu.records.reply import Reply
from quipu.testing.fakes import HashEmbedder

CRAWLERS = Path(__file__).parent / "crawlers"
Ask = Callable[[str], Reply]
_BY_ENVIRONMENT = "CRAWLER_TOKEN` (anonymous by default)"

# What stands in `{}` is asked of each; the answer holds the text and cites the line. A language
# has no row for what it cannot say: a parameter has no default in C, SQL has no environment.
CASES: dict[str, dict[str, tuple[str, str]]] = {
    "python": {
        "What parameters does fetch_page take?": ("`timeout: float = 30.0` and `follow", "py:40"),
        "What does fetch_page return?": ("returns `str`", "py:40-41"),
        "What does fetch_page raise?": ("raises `FetchError` and `ValueError`", "py:43-48"),
        "What does Client.send delegate to?": ("`Client.send` delegates to `fetch_page`", "py:26"),
        "Who calls fetch_page?": ("`Client.send` calls `fetch_page`", "py:15-30"),
        "Which function sets proxy_url?": ("`Client.set_proxy` sets `proxy_url`", "py:30"),
        "What is the value of MAX_DEPTH?": ("`MAX_DEPTH` is `5`", "py:8"),
        "What is the default of timeout in fetch_page?": ("is `30.0` by default", "py:40"),
        "Which environment variables are read?": (_BY_ENVIRONMENT, "py:47"),
        "Where is CRAWLER_TOKEN read?": ("`Client.__init__` (`crawler.py:22`)", "py:22"),
        "Which options does main take?": ("`--depth` (3 by default), `--verbose`", "py:58-59"),
        "What overrides Client.send?": ("`CachedClient.send` overrides", "py:36"),
        "What does crawler.py export?": ("exports `CachedClient`, `Client`, `FetchErr", "py:6"),
        "What overrides Client.set_proxy?": ("Nothing that is known here overrides", "py:28"),
        "What does crawler export?": ("exports `CachedClient`, `Client`", "py:6"),
        "Which fields does Client have?": ("`retries: int = 3`", "py:18-19"),
        "What arguments does Client take?": ("takes `token: str | None = None`", "py:21"),
        "default timeout of crawler.fetch_page": ("is `30.0` by default", "py:40"),
    },
    "javascript": {
        "What parameters does fetchPage take?": ("takes `url`, `timeout = 30` and", "js:40-45"),
        "What does fetchPage return?": ("returns `string`", "js:38-40"),
        "What does fetchPage raise?": ("raises `FetchError` and `RangeError`", "js:43-47"),
        "What does Client.send delegate to?": ("delegates to `fetchPage`", "js:21"),
        "Who calls fetchPage?": ("`Client.send` calls `fetchPage`", "js:10-28"),
        "Which function sets proxyUrl?": ("`Client.setProxy` sets `proxyUrl`", "js:26"),
        "What is the value of MAX_DEPTH?": ("`MAX_DEPTH` is `5`", "js:5"),
        "What is the default of timeout in fetchPage?": ("is `30` by default", "js:45"),
        "Which environment variables are read?": (_BY_ENVIRONMENT, "js:47"),
        "Where is CRAWLER_TOKEN read?": ("`Client.constructor` (`crawler.js:16`)", "js:16"),
        "Which options does the command have?": ("`--depth` (3 by default)", "js:56-57"),
        "What overrides Client.send?": ("`CachedClient.send` overrides", "js:32"),
        "What does crawler.js export?": ("exports `Client`, `CachedClient`, `Fetch", "js:59"),
        "What does setProxy do?": ("`setProxy(address)`: Send everything", "js:25"),
    },
    "typescript": {
        "What parameters does fetchPage take?": ("`timeout: number = 30` and `follow?", "ts:39"),
        "What does fetchPage return?": ("returns `string`", "ts:38-39"),
        "What does fetchPage raise?": ("raises `FetchError` and `RangeError`", "ts:40-41"),
        "What does Client.send delegate to?": ("delegates to `fetchPage`", "ts:22"),
        "Which function sets proxyUrl?": ("`Client.setProxy` sets `proxyUrl`", "ts:27"),
        "What is the value of MAX_DEPTH?": ("`MAX_DEPTH` is `5`", "ts:3"),
        "What is the default of timeout in fetchPage?": ("is `30` by default", "ts:39"),
        "Which environment variables are read?": (_BY_ENVIRONMENT, "ts:41"),
        "Which options does the command have?": ("`--depth` (3 by default)", "ts:50-51"),
        "What overrides Client.send?": ("`CachedClient.send` overrides", "ts:33"),
        "What does crawler.ts export?": ("exports `MAX_DEPTH`, `FetchError`, `Sender`", "ts:3"),
    },
    "go": {
        "What parameters does FetchPage take?": ("takes `url string` and `timeout int`", "go:64"),
        "What does FetchPage return?": ("returns `(string, error)`", "go:63-64"),
        "What does FetchPage raise?": ("raises `ErrFetch` and `panic`", "go:66-69"),
        "What does Client.Send delegate to?": ("delegates to `FetchPage`", "go:50"),
        "Which function sets proxyURL?": ("`Client.SetProxy` sets `proxyURL`", "go:55"),
        "What is the value of MaxDepth?": ("`MaxDepth` is `5`", "go:11"),
        "What is the default of timeout in FetchPage?": ("has no default", "go:64"),
        "Which environment variables are read?": ("`CRAWLER_OFFLINE`, `CRAWLER_TOKEN`", "go:68"),
        "Where is CRAWLER_TOKEN read?": ("`NewClient` (`crawler.go:44`)", "go:44"),
        "Which options does the command have?": ("`--depth` (3 by default)", "go:16"),
        "What overrides Client.Send?": ("`CachedClient.Send` overrides", "go:58"),
        "What does crawler.go export?": ("`NewClient` and `FetchPage`", "go:10"),
    },
    "java": {
        "What parameters does fetchPage take?": ("`String url` and `int timeout`", "java:38"),
        "What does fetchPage return?": ("returns `String`", "java:33-38"),
        "What does fetchPage raise?": ("`FetchError` and `IllegalStateException`", "java:38-43"),
        "What does Crawler.send delegate to?": ("delegates to `fetchPage`", "java:24"),
        "Who calls fetchPage?": ("`Crawler.send` calls `Crawler.fetchPage`", "java:22-25"),
        "Which function sets proxyUrl?": ("`Crawler.setProxy` sets `proxyUrl`", "java:29"),
        "What is the value of MAX_DEPTH?": ("`Crawler.MAX_DEPTH` is `5`", "java:7"),
        "Which environment variables are read?": (_BY_ENVIRONMENT, "java:42-45"),
        "Which options does the command have?": ("`--depth` (3 by default)", "java:12-15"),
        "What overrides Crawler.send?": ("`CachedCrawler.send` overrides", "java:6"),
        "What does Crawler.java export?": ("exports `Crawler`", "java:6"),
    },
    "rust": {
        "What parameters does fetch_page take?": ("`url: &str` and `timeout: u32`", "rs:62"),
        "What does fetch_page return?": ("returns `Result<String, FetchError>`", "rs:61-62"),
        "What does fetch_page raise?": ("raises `FetchError.Empty` and `panic`", "rs:67"),
        "What does Client.send delegate to?": ("delegates to `fetch_page`", "rs:57"),
        "Which function sets proxy_url?": ("`Client.set_proxy` sets `proxy_url`", "rs:50"),
        "What is the value of MAX_DEPTH?": ("`MAX_DEPTH` is `5`", "rs:6"),
        "What is the default of timeout in fetch_page?": ("has no default", "rs:62"),
        "Which environment variables are read?": (_BY_ENVIRONMENT, "rs:66"),
        "Which options does the command have?": ("`--depth` (3 by default)", "rs:19-22"),
        "What overrides Sender.send?": ("`Client.send` overrides `Sender.send`", "rs:56"),
        "What does lib.rs export?": ("exports `MAX_DEPTH`, `FetchError`, `Options`", "rs:6"),
    },
    "c": {
        "What parameters does fetch_page take?": ("`const char *url` and `int timeout`", "c:27"),
        "What does fetch_page return?": ("returns `char *`", "c:26-27"),
        "What does fetch_page raise?": ("raises `EINVAL` and `abort`", "c:30-34"),
        "What does send_request delegate to?": ("delegates to `fetch_page`", "c:41"),
        "Which function sets proxy_url?": ("`set_proxy` sets `proxy_url`", "c:47"),
        "What is the value of MAX_DEPTH?": ("`MAX_DEPTH` is `5`", "c:6"),
        "Which environment variables are read?": ("`CRAWLER_OFFLINE`, `CRAWLER_TOKEN`", "c:33"),
        "Which options does the command have?": ("are `--depth`, `--verbose`", "c:10-11"),
        "What does crawler.h export?": ("exports `fetch_page` and `set_proxy`", "h:7"),
        "What does set_proxy do?": ("Send everything through a proxy", "c:45"),
    },
    "cpp": {
        "What parameters does fetch_page take?": ("`int timeout = 30` and `bool", "cpp:17"),
        "What does fetch_page return?": ("returns `std::string`", "cpp:16-17"),
        "What does fetch_page raise?": ("raises `FetchError` and `std.logic_error`", "cpp:18"),
        "What does Client.send delegate to?": ("delegates to `fetch_page`", "cpp:29"),
        "Which function sets proxy_url_?": ("`crawl.Client.set_proxy` sets", "cpp:32"),
        "What is the value of MAX_DEPTH?": ("`crawl.MAX_DEPTH` is `5`", "cpp:8"),
        "What is the default of timeout in fetch_page?": ("is `30` by default", "cpp:17"),
        "Which environment variables are read?": ("`CRAWLER_OFFLINE`, `CRAWLER_TOKEN`", "cpp:19"),
        "Which options does main take?": ("are `--depth`, `--verbose`", "cpp:52-53"),
        "What overrides Client.send?": ("`crawl.CachedClient.send` overrides", "cpp:44"),
        "What does crawler.cpp export?": ("`crawl.CachedClient` and `main`", "cpp:8"),
    },
    "csharp": {
        "What parameters does FetchPage take?": ("`int timeout = 30` and `bool follow", "cs:32"),
        "What does FetchPage return?": ("returns `string`", "cs:32"),
        "What does FetchPage raise?": ("`FetchError` and `InvalidOperationExcepti", "cs:31-36"),
        "What does Client.Send delegate to?": ("delegates to `FetchPage`", "cs:21"),
        "Who calls FetchPage?": ("`Crawl.Client.Send` calls `Crawl.Client.Fetch", "cs:18-22"),
        "Which function sets proxyUrl?": ("`Crawl.Client.SetProxy` sets", "cs:27"),
        "What is the value of MaxDepth?": ("`Crawl.Client.MaxDepth` is `5`", "cs:12"),
        "What is the default of timeout in FetchPage?": ("is `30` by default", "cs:32"),
        "Which environment variables are read?": (_BY_ENVIRONMENT, "cs:35"),
        "Which options does the command have?": ("`--depth` (3 by default)", "cs:51-54"),
        "What overrides Client.Send?": ("`Crawl.CachedClient.Send` overrides", "cs:46"),
        "What does Crawler.cs export?": ("`Crawl.Client` and `Crawl.CachedClient`", "cs:7"),
        "What does SetProxy do?": ("Send everything through a proxy", "cs:25"),
    },
    "ruby": {
        "What parameters does fetch_page take?": ("`timeout = 30` and `follow: true`", "rb:31"),
        "What does fetch_page return?": ("returns `String`", "rb:28-30"),
        "What does fetch_page raise?": ("raises `FetchError` and `ArgumentError`", "rb:32-33"),
        "What does Client.transmit delegate to?": ("delegates to `fetch_page`", "rb:20"),
        "Who calls fetch_page?": ("`Crawl.Client.transmit` calls", "rb:18-21"),
        "Which function sets proxy_url?": ("`Crawl.Client.set_proxy` sets", "rb:25"),
        "What is the value of MAX_DEPTH?": ("`Crawl.MAX_DEPTH` is `5`", "rb:4"),
        "What is the default of follow in fetch_page?": ("is `true` by default", "rb:31"),
        "Which environment variables are read?": (_BY_ENVIRONMENT, "rb:33"),
        "Which options does the command have?": ("are `--depth`, `--verbose`", "rb:53-54"),
        "What overrides Client.transmit?": ("`Crawl.CachedClient.transmit` over", "rb:46"),
        "What does crawler.rb export?": ("`Crawl.Client` and `Crawl.CachedClient`", "rb:4"),
    },
    "php": {
        "What parameters does fetchPage take?": ("`int $timeout = 30` and `bool", "php:41"),
        "What does fetchPage return?": ("returns `string`", "php:37-41"),
        "What does fetchPage raise?": ("`FetchError` and `RuntimeException`", "php:39-47"),
        "What does Client.send delegate to?": ("delegates to `fetchPage`", "php:27"),
        "Who calls fetchPage?": ("`Client.send` calls `Client.fetchPage`", "php:24-28"),
        "Which function sets proxyUrl?": ("`Client.setProxy` sets `proxyUrl`", "php:33"),
        "What is the value of MAX_DEPTH?": ("`MAX_DEPTH` is `5`", "php:7"),
        "What is the default of timeout in fetchPage?": ("is `30` by default", "php:41"),
        "Which environment variables are read?": (_BY_ENVIRONMENT, "php:46"),
        "Which options does the command have?": ("`--depth` (3 by default)", "php:71-72"),
        "What overrides Client.send?": ("`CachedClient.send` overrides", "php:61"),
        "What does Crawler.php export?": ("`MAX_DEPTH`, `FetchError`, `Client`", "php:7"),
    },
    "bash": {
        "What parameters does fetch_page take?": ('`url="$1"` and `timeout=', "sh:12"),
        "What does fetch_page raise?": ("raises `return 2` and `exit 3`", "sh:14-17"),
        "What does send_request delegate to?": ("delegates to `fetch_page`", "sh:28"),
        "Which function sets proxy_url?": ("`set_proxy` sets `proxy_url`", "sh:33"),
        "What is the value of MAX_DEPTH?": ("`MAX_DEPTH` is `5`", "sh:4"),
        "What is the default of timeout in fetch_page?": ("is `30` by default", "sh:12"),
        "Which environment variables are read?": (_BY_ENVIRONMENT, "sh:16"),
        "Where is CRAWLER_TOKEN read?": ("read in `crawler.sh:6`", "sh:6"),
        "Which options does the command have?": ("are `--depth`, `--verbose`", "sh:39-40"),
        "What does crawler.sh export?": ("`http_proxy`, `fetch_page`, `read_body`", "sh:34"),
        "What does set_proxy do?": ("Send everything through a proxy", "sh:32"),
    },
    "sql": {
        "What parameters does fetch_page take?": ("`timeout integer DEFAULT 30`", "sql:15"),
        "What does fetch_page return?": ("returns `text`", "sql:14"),
        "What does send_request delegate to?": ("delegates to `fetch_page`", "sql:26"),
        "What is the default of timeout in fetch_page?": ("is `30` by default", "sql:15"),
        "What is the default of retries in pages?": ("is `3` by default", "sql:6"),
        "Which columns does the table pages have?": ("`id integer PRIMARY KEY`", "sql:3-6"),
        "Which settings are read?": ("reads `crawler.timeout`", "sql:26"),
        "What does crawler.sql export?": ("exports `pages`, `links`, `fetch_page`", "sql:2"),
    },
}


@pytest.fixture(scope="module")
def ask_of(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Ask]]:
    opened: dict[str, Memory] = {}

    def ask_of(language: str) -> Ask:
        if language not in opened:
            home = tmp_path_factory.mktemp(language)
            shutil.copytree(CRAWLERS / language, home, dirs_exist_ok=True)
            opened[language] = Memory.open(
                "memory:",
                home=home,
                config=Config(),
                embedder=HashEmbedder(64),
                clock=lambda: "2026-11-22T01:05:00.000Z",
            )
            opened[language].index([home])
        return opened[language].ask

    yield ask_of
    for memory in opened.values():
        memory.close()


@pytest.mark.parametrize(
    ("language", "question"), [(each, q) for each, asked in CASES.items() for q in asked]
)
def test_what_is_known_of_code_is_told_with_its_line(
    ask_of: Callable[[str], Ask], language: str, question: str
) -> None:
    answer, line = CASES[language][question]
    reply = ask_of(language)(question)
    cited = reply.citations[0]
    last = f"-{cited.end_line}" if cited.end_line != cited.start_line else ""
    assert answer in reply.contract.answer
    assert f"{cited.path.rpartition('.')[2]}:{cited.start_line}{last}" == line


@pytest.mark.parametrize(
    "question",
    [
        "What does fetch_page return when the server is down?",
        "What does fetch_pages take?",
        "Which function sets the weather?",
        "What is the default of colour in fetch_page?",
        "Where is CRAWLER_COLOUR read?",
        "By how much does fetch_page follow pages if I configure nothing?",
    ],
)
def test_what_the_records_do_not_hold_is_not_told(
    ask_of: Callable[[str], Ask], question: str
) -> None:
    answer = ask_of("python")(question).contract.answer
    said = ("takes", "returns", "sets", "is read in", "by default", "has no default")
    assert not [each for each in said if each in answer]


KNOWN = {
    "parameters": {"parameters", "parameter"},
    "return type": {"returns"},
    "fields": {"field"},
    "constants": {"variable"},
    "extends": {"base"},
    "errors": {"raise"},
    "sets": {"set"},
    "delegates": {"delegate"},
    "environment": {"environment"},
    "settings": {"setting"},
    "options": {"options", "flags"},
}


def test_the_page_says_what_is_known_of_each_language() -> None:
    page = Path("docs/reference/code.md").read_text("utf-8").partition("## By language")[2]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in page.split("\n")
        if line.startswith("| ")
    ]
    head, told = rows[0][1:], {row[0]: row[1:] for row in rows[1:]}
    spelled = {"C++": "cpp", "C#": "csharp"}
    assert head == [*KNOWN]
    assert len(told) == len(CASES) == 13
    for name, cells in told.items():
        captures = grammar(spelled.get(name, name.lower())).captures
        known = {column for column, any_of in KNOWN.items() if any_of & captures}
        assert {c for c, cell in zip(head, cells, strict=True) if cell == "yes"} == known, name


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_every_query_speaks_of_the_same_things(language: str) -> None:
    named = {each for each in grammar(language).captures if not each.startswith("_")}
    assert {"function", "name", "call"} <= named <= CAPTURES


def test_what_a_function_returns_is_told_with_what_its_documentation_says(
    ask_of: Callable[[str], Ask],
) -> None:
    answer = ask_of("python")("What does fetch_page return?").contract.answer
    assert answer.startswith("`fetch_page` returns `str`: ")


def test_what_two_functions_of_a_name_return_alike_is_told_once(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.py").write_text("def rate(day: str) -> float:\n    return 1.0\n")
    with Memory.open("memory:", home=tmp_path, embedder=HashEmbedder(64)) as memory:
        memory.index([tmp_path])
        reply = memory.ask("What does rate return?")
    assert reply.contract.answer == "`rate` returns `float` [1,2]."
    assert {cited.path for cited in reply.citations} == {"one.py", "two.py"}


def test_constants_of_a_class_are_all_fields_of_it(tmp_path: Path) -> None:
    (tmp_path / "oven.py").write_text('class Oven:\n    LOW = 1\n    HIGH = 2\n    door = "shut"\n')
    with Memory.open("memory:", home=tmp_path, embedder=HashEmbedder(64)) as memory:
        memory.index([tmp_path])
        answer = memory.ask("Which fields does Oven have?").contract.answer
    assert answer.startswith('`Oven` has `LOW = 1`, `HIGH = 2` and `door = "shut"`')


def test_members_are_the_constants_that_a_type_begins_or_its_methods(tmp_path: Path) -> None:
    (tmp_path / "oven.go").write_text(
        "package oven\n\n// Heat of an oven.\ntype Heat int\n\nconst (\n"
        "\tHeatOff Heat = iota\n\tHeatLow\n\tHeatHigh\n)\n\n"
        "// Rise makes it hotter.\nfunc (h Heat) Rise() Heat { return h + 1 }\n"
    )
    with Memory.open("memory:", home=tmp_path, embedder=HashEmbedder(64)) as memory:
        memory.index([tmp_path])
        values = memory.ask("all Heat values").contract.answer
        methods = memory.ask("Which methods does Heat have?").contract.answer
    assert values.startswith("`Heat` has `HeatOff`, `HeatLow` and `HeatHigh`")
    assert methods.startswith("`Heat` has `Rise`")
