"""Bodies read strictly: a number is no text, and 0 is not false. Litestar would convert them."""

import re
from typing import Any

import msgspec
from litestar import Request
from litestar.exceptions import ValidationException

__all__ = ["StrictRequest"]

_UNKNOWN = "Object contains unknown field"
_AT = re.compile(r"(?P<what>.*?)(?: - at `\$\.?(?P<where>[^`]*)`)?", re.DOTALL)


class StrictRequest(Request[Any, Any, Any]):
    """A request whose body is decoded as what its route takes, or refused."""

    async def json(self) -> Any:
        """The body as the type that the route's `data` has. Raises ValidationException."""
        wanted = self.route_handler.parsed_data_field
        body = await self.body()
        try:
            return msgspec.json.decode(body, type=wanted.annotation if wanted else Any)
        except msgspec.ValidationError as error:
            found = _AT.fullmatch(str(error))
            what, where = (found["what"], found["where"]) if found else (str(error), "")
            if what.startswith(_UNKNOWN) and not where and wanted:
                what = f"{what}{_taken(wanted.annotation)}"
            told = {"message": what, "key": where or "data", "source": "body"}
            raise ValidationException("the body cannot be used", extra=[told]) from error
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            said = "there is no body" if not body else f"the body is no JSON: {error}"
            raise ValidationException(f"{said}: send a JSON object") from error


def _taken(wanted: Any) -> str:
    """The fields that a body may have, to be read after what is wrong with it."""
    if not (isinstance(wanted, type) and issubclass(wanted, msgspec.Struct)):
        return ""
    fields = sorted(msgspec.structs.fields(wanted), key=lambda field: not field.required)
    names = [field.encode_name for field in fields]
    return f"; it takes {', '.join(f'`{name}`' for name in names)}"
