"""What is asked of code that its records hold: what a function takes, gives, raises, sets …

A question is one of these only when all of it says so: its words are those of the pattern, and the
names of what is asked about. A condition besides ("… when the file is missing") is another
question, which the records do not answer.
"""

import re
from typing import Literal, NamedTuple, TypeAlias

__all__ = ["Aspect", "OfCode", "read_of_code"]

Aspect: TypeAlias = Literal[
    "takes",
    "returns",
    "raises",
    "fields",
    "members",
    "delegates",
    "calls",
    "sets",
    "exports",
    "value",
    "default",
    "environment",
    "settings",
    "options",
    "read",
    "overrides",
    "overridden",
    "does",
]
"""What is asked of a name: the property of a symbol that holds it, or what a setting is."""


class OfCode(NamedTuple):
    """What is asked, of the `name` as it is written ("" for all there are), perhaps as far as it is
    one `of` another: the default of a parameter of a function."""

    aspect: Aspect
    name: str = ""
    of: str = ""


_KIND = (
    r"(?:function|method|class|struct|trait|interface|type|module|file|package|script|command"
    r"|table|view|constructor|procedure|macro|program|tool)"
)
_TICKS = "[`'\"\u201c\u201d]?"
_CALL = r"(?:\((?:\.{2,3}|…)?\))?"
_NAME = rf"(?:the )?(?:{_KIND} )?{_TICKS}(?P<name>[\w$@.:#/\\>~-]*\w{_CALL}){_TICKS}(?: {_KIND})?"
_OF = _NAME.replace("?P<name>", "?P<of>")
_BY = _NAME.replace("?P<name>", "?P<by>")
_HOLDER = (
    "parameter|argument|option|flag|setting|constant|field|attribute|column|environment variable"
)
_VALUED = (
    rf"(?:the )?(?:(?:{_HOLDER}) )?{_TICKS}(?P<name>-{{0,2}}[\w$.:-]*\w){_TICKS}"
    rf"(?: (?:{_HOLDER}|value))?"
)
# Words that an identifier is made of: "the default session cookie name".
_WORDED = _VALUED.replace(r"[\w$.:-]*\w)", r"[\w$.:-]*\w(?: [\w-]+){0,3}?)")
_WITHIN = rf"(?: (?:of|in|for|by) {_OF})?"
_CAN = r"(?:does|do|did|can|could|may|might|will|would)"
_IS = r"(?:'s| is| are)"
_ANY = r"(?:does (?:it|this|the \w+)|do (?:we|they|you)|are there|exist|can be set)"
_ERRORS = r"(?:exceptions?|errors?)"
_MEMBERS = "(?:fields|attributes|members|columns|properties|variants)"
_READ = r"(?:read|used?|looked at|looked up|consulted|respected|recogni[sz]ed|supported|understood)"


def _asks(aspect: Aspect, pattern: str) -> tuple[Aspect, re.Pattern[str]]:
    return aspect, re.compile(pattern, re.IGNORECASE)


_QUESTIONS = (
    _asks(
        "takes",
        rf"(?:what|which) (?:(?:keyword|named|optional|positional)(?:[- ]only)? )*"
        rf"(?:parameters?|arguments?|args|inputs?) {_CAN} {_NAME} "
        r"(?:take|accept|expect|have|get|need)",
    ),
    _asks(
        "takes",
        rf"(?:what|which) (?:keyword|named|optional) options {_CAN} {_NAME} (?:take|accept|have)",
    ),
    _asks(
        "takes",
        rf"what {_CAN} {_NAME} (?:take|accept|expect)(?: as (?:an )?(?:arguments?|inputs?"
        r"|parameters?))?",
    ),
    _asks("takes", rf"what{_IS} the (?:signature|parameters|arguments) (?:of|to|for) {_NAME}"),
    _asks("returns", rf"what (?:type |value )?{_CAN} {_NAME} (?:return|give back|yield)"),
    _asks("returns", rf"what{_IS} the (?:return|result) (?:type|value) of {_NAME}"),
    _asks(
        "raises",
        rf"(?:what|which) (?:(?:kinds? of )?{_ERRORS} )?{_CAN} {_NAME} "
        r"(?:raise|throw|panic with)",
    ),
    _asks(
        "raises",
        rf"(?:what|which) {_ERRORS} (?:is|are|can be) (?:raised|thrown) by {_NAME}",
    ),
    _asks(
        "fields",
        rf"(?:what|which) {_MEMBERS} {_CAN} {_NAME} (?:have|hold|define|contain)",
    ),
    _asks(
        "fields",
        rf"what{_IS} the {_MEMBERS} of {_NAME}",
    ),
    _asks(
        "members",
        rf"(?:(?:what|which|list|show)(?:{_IS})?(?: all)?|all)(?: (?:of )?the)? {_NAME} "
        r"(?:values|constants|variants|members|methods)(?: (?:are|exist)(?: there)?)?",
    ),
    _asks("members", rf"(?:what|which) (?:methods|values|constants) {_CAN} {_NAME} have"),
    _asks(
        "delegates",
        rf"(?:(?:what|who|whom|where|which \w+) {_CAN} {_NAME} (?:delegate|forward"
        r"|defer|hand(?: over| off)?|pass on)(?: \w+){0,2}? ?to)",
    ),
    _asks("delegates", rf"to (?:what|which \w+|whom) {_CAN} {_NAME} (?:delegate|forward|defer)"),
    _asks(
        "sets",
        r"(?:(?:what|which) )?(?:functions?|methods?|code|procedures?|who|what) "
        rf"(?:sets?|assigns?|changes?|updates?|writes?) {_VALUED}",
    ),
    _asks("sets", rf"where is {_VALUED} (?:set|assigned|updated|changed|written)"),
    _asks("overrides", rf"what {_CAN} {_NAME} override"),
    _asks(
        "overridden",
        rf"(?:what|who|which (?:methods?|(?:sub-?)?class(?:es)?|types?)) "
        rf"(?:overrides?|redefines?|reimplements?) {_NAME}",
    ),
    _asks("overridden", rf"where is {_NAME} overridden"),
    _asks("does", rf"what {_CAN} {_NAME} do"),
    _asks("does", rf"what{_IS} {_NAME} for"),
    _asks("exports", rf"what {_CAN} {_NAME} export"),
    _asks(
        "exports",
        r"(?:what|which) (?:names|symbols|functions|classes|things|types) "
        rf"{_CAN} {_NAME} (?:export|make public|expose)",
    ),
    _asks(
        "exports",
        rf"what{_IS} (?:the exports|exported|the public (?:api|names|interface)) "
        rf"(?:of|by|from) {_NAME}",
    ),
    _asks(
        "default", rf"(?:what{_IS} )?(?:the )?default(?: value)?(?: of| for)? {_WORDED}{_WITHIN}"
    ),
    _asks("default", rf"what{_IS} {_OF}'s default (?P<name>[\w-]+(?: [\w-]+){{0,3}})"),
    _asks("default", rf"what {_CAN} {_WORDED}{_WITHIN} default to"),
    _asks("default", rf"what{_IS} {_WORDED}{_WITHIN}(?: set to)? by default"),
    _asks("value", rf"what{_IS} the value of {_VALUED}{_WITHIN}"),
    _asks("value", rf"what{_IS} {_VALUED} set to"),
    _asks("read", rf"where{_IS} {_VALUED} {_READ}"),
    _asks(
        "read", rf"(?:what|who|which (?:code|file|function|module|method|class)) reads {_VALUED}"
    ),
    _asks(
        "environment",
        rf"(?:what|which) (?:environment|env)[ -]?(?:variables?|vars?)"
        rf"(?: (?:{_ANY}|is|are|{_CAN} {_OF}))?(?: {_READ})?(?: (?:by|in) "
        rf"(?:the (?:code|project|program|application|app|library)|{_BY}))?",
    ),
    _asks(
        "settings",
        rf"(?:what|which) settings(?: (?:are|is|{_CAN} {_OF}))? {_READ}(?: (?:by|in) "
        rf"(?:the (?:code|project|program)|{_BY}))?",
    ),
    _asks(
        "options",
        r"(?:what|which) (?:command[- ]?line |cli )?(?:options|flags|switches)"
        rf"(?: (?:{_ANY}|{_CAN} {_OF}))?(?: (?:have|take|accept|support|understand|know"
        r"|offer|provide))?",
    ),
)
_LONGEST = 300
_CALLED = re.compile(rf"{_CALL}$")
_POLITE = re.compile(r"^(?:(?:can|could) you )?(?:please |tell me |and |so )*", re.IGNORECASE)
_NO_NAME = frozenset("it this that we they you code program project tool command app".split())


def read_of_code(question: str) -> OfCode | None:
    """What `question` asks of code; None where it asks for something else, or for more."""
    text = " ".join(question[: _LONGEST + 1].split())
    if len(text) > _LONGEST:
        return None
    bare = _POLITE.sub("", text).rstrip(" ?.!")
    for aspect, pattern in _QUESTIONS:
        if found := pattern.fullmatch(bare):
            groups = found.groupdict()
            name = groups.get("name") or ""
            of = groups.get("of") or groups.get("by") or ""
            of = "" if of.lower() in _NO_NAME else of
            return OfCode(aspect, _CALLED.sub("", name), _CALLED.sub("", of))
    return None
