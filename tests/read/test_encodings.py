"""Text that is not UTF-8 is read in the encoding that it is in, and the report says in which."""

import hashlib

import pytest

from quipu.errors import InvalidInput
from quipu.read.decode import decode, is_binary

SHORT = {
    "simplified": "翠鸟服务由陈晓负责。",
    "traditional": "翠鳥服務由陳曉負責。",
    "japanese": "鈴木さんは会計係です。",
    "korean": "결제 서비스는 김민수가 맡는다.",
    "russian": "Сервис оплаты ведёт Анна.",
    "polish": "Usługę prowadzi Łukasz Żak.",
    "french": "Le service est géré par Zoé.",
    "greek": "Η υπηρεσία ανήκει στην Ελένη.",
}
LONG = {
    "simplified": "每天晚上它把所有未付的账单再发送一次，如果三次都没有成功，就通知值班的人。",
    "traditional": "每天晚上它把所有未付的帳單再發送一次，如果三次都沒有成功，就通知值班的人。",
    "japanese": "毎晩、支払われていない請求書をもう一度送ります。三回失敗したら、知らせて。",
    "korean": "매일 밤 아직 지급되지 않은 청구서를 다시 보낸다. 실패하면 알린다.",
    "russian": "Каждую ночь он снова отправляет счета. Если они не удались, сообщает дежурному.",
    "polish": "Każdej nocy wysyła niezapłacone rachunki. Jeśli próby się nie powiodą, zawiadamia.",
    "french": "Chaque nuit, il renvoie les factures impayées. Après trois échecs, il prévient Zoé.",
    "greek": "Κάθε νύχτα στέλνει ξανά τους λογαριασμούς. Μετά από τρεις αποτυχίες ειδοποιεί.",
}
ENCODED = [
    ("simplified", "gbk", "GBK"),
    ("traditional", "big5", "Big5"),
    ("japanese", "shift_jis", "Shift-JIS"),
    ("japanese", "euc_jp", "EUC-JP"),
    ("korean", "euc_kr", "EUC-KR"),
    ("russian", "cp1251", "Windows-1251"),
    ("russian", "koi8_r", "KOI8-R"),
    ("polish", "cp1250", "Windows-1250"),
    ("french", "cp1252", "Windows-1252"),
    ("greek", "cp1253", "Windows-1253"),
]
IN_ENGLISH = "# Notes about the service\n\nIt runs on port 8080.\n\n"


def _texts(language: str) -> list[str]:
    short, long = SHORT[language], f"{SHORT[language]} {LONG[language]}"
    return [short, IN_ENGLISH + short, long, IN_ENGLISH + long, "\n".join([long] * 40)]


@pytest.mark.parametrize("size", [2, 3, 4])
@pytest.mark.parametrize(("language", "encoding", "name"), ENCODED)
def test_text_is_read_in_its_encoding(language: str, encoding: str, name: str, size: int) -> None:
    text = _texts(language)[size]
    found, warning = decode(text.encode(encoding))
    assert found == text
    assert warning is not None
    assert f"read as {name}; save it as UTF-8" in warning


@pytest.mark.parametrize(
    "text",
    [
        "It costs £5, or £7 for 3 m³ of it.",
        "¿Quién lo sabe? ¡José, el 3º!",
        "Größe: 5 µm ± 2°",
        "“é”",
    ],
)
def test_signs_of_western_text_are_no_letters_of_another(text: str) -> None:
    assert decode(text.encode("cp1252"))[0] == text


@pytest.mark.parametrize("size", range(5))
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("language", SHORT)
def test_utf_16_needs_no_mark(language: str, encoding: str, size: int) -> None:
    text = f"{_texts(language)[size]}\n"
    data = text.encode(encoding)
    assert not is_binary(data)
    found, warning = decode(data)
    assert found == text
    assert warning is not None
    assert f"read as {encoding.upper()}" in warning


def test_one_wrong_byte_costs_a_text_in_utf_8_that_byte_alone() -> None:
    found, warning = decode(LONG["russian"].encode() + b"\xe9 x")
    assert found == LONG["russian"] + "\ufffd x"
    assert warning is not None
    assert "UTF-8 with bytes replaced" in warning


@pytest.mark.parametrize("size", [3, 16, 600, 20_000])
@pytest.mark.parametrize("seed", range(8))
def test_binary_data_is_refused(seed: int, size: int) -> None:
    noise = hashlib.shake_256(b"%d" % seed).digest(size)
    for data in (noise + b"\0", b"\0" + noise, noise + b"\0\0" + noise):
        with pytest.raises(InvalidInput, match="binary"):
            decode(data if b"\0" in data[:8192] else b"\0" + data)
