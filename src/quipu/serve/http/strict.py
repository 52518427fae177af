"""Bodies read strictly: a number is no text, and 0 is not false. Litestar would convert them."""

import re
from typing import Any

import msgspec
from litestar import Request
from litestar.exceptions import ValidationException

__all__ = ["StrictRequest"]

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
            told = {"message": what, "key": where or "data", "source": "body"}
            raise ValidationException("the body cannot be used", extra=[told]) from error
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            said = "there is no body" if not body else f"the body is no JSON: {error}"
            raise ValidationException(f"{said}: send a JSON object") from error
