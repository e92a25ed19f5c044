"""Which language a text has."""

import pytest

from ealm.text.language import is_foreign, language_name, language_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The council voted to close the ferry terminal.", "en"),
        ("Council votes to close ferry terminal", "en"),
        ("japan 's nikkei ends ### percent higher", "en"),
        ("Ferrari Bugatti Milano Roma Juventus won", "en"),
        ("U.S. Treasury Secretary Timothy Geithner meets Angela Merkel Berlin", "en"),
        ("Hola", "en"),  # too short to tell
        ("1234 ... !", "en"),
        ("", "en"),
        ("Der Stadtrat hat beschlossen, den alten Hafen zu schließen.", "de"),
        ("Le conseil a décidé de fermer le terminal des ferries.", "fr"),
        ("El concejo votó cerrar la terminal de transbordadores.", "es"),
        ("市議会はフェリーターミナルの閉鎖を決議した。", "ja"),
        ("صوت مجلس المدينة مساء الثلاثاء لإغلاق محطة العبارات", "ar"),
        ("Городской совет проголосовал за закрытие старого порта.", "ru"),
    ],
)
def test_language_of(text: str, expected: str) -> None:
    assert language_of(text) == expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("The mayor of Los Angeles met La Salle and the others.", False),
        ("Nobody knew.", False),
        ("Der Stadtrat hat am Dienstag beschlossen, den Hafen zu schließen.", True),
        ("Городской совет закрыл порт.", True),
        ("12:30!", False),
    ],
)
def test_a_sentence_of_another_language(sentence: str, expected: bool) -> None:
    assert is_foreign(sentence, ["en"]) is expected


def test_names() -> None:
    assert (language_name("de"), language_name("xx")) == ("German", "xx")
