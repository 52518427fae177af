"""What a route is given by the server: the memory of its caller, and what all routes share."""

from typing import Annotated, TypeAlias

from litestar.di import NamedDependency
from litestar.params import FromPath, QueryParameter

from quipu.memory import Memory
from quipu.serve.http import Options
from quipu.serve.http.caller import Caller, QuestionLog
from quipu.serve.http.memories import Memories
from quipu.serve.http.metrics import ServerMetrics
from quipu.serve.http.runs import Runs

__all__ = [
    "AskedName",
    "Cursor",
    "HowMany",
    "Ref",
    "TheAsked",
    "TheCaller",
    "TheMemories",
    "TheMemory",
    "TheMetrics",
    "TheOptions",
    "TheRuns",
]

TheAsked: TypeAlias = NamedDependency[QuestionLog]
TheMemory: TypeAlias = NamedDependency[Memory]
TheMemories: TypeAlias = NamedDependency[Memories]
TheMetrics: TypeAlias = NamedDependency[ServerMetrics]
TheOptions: TypeAlias = NamedDependency[Options]
TheCaller: TypeAlias = NamedDependency[Caller]
TheRuns: TypeAlias = NamedDependency[Runs]

Ref: TypeAlias = FromPath[str]
Cursor: TypeAlias = Annotated[
    str | None,
    QueryParameter(max_length=2000, description="`next_cursor` of the page before"),
]
HowMany: TypeAlias = Annotated[int, QueryParameter(ge=1, le=500, description="how many at most")]
AskedName: TypeAlias = Annotated[str | None, QueryParameter(max_length=2000)]
