"""Jobs are drawn before the first result is waited for."""

from collections.abc import Iterator, Sequence

from quipu.write.workers import Workers


def test_as_many_jobs_are_drawn_as_the_caller_is_long_busy_for() -> None:
    drawn: list[int] = []

    def jobs() -> Iterator[Sequence[str]]:
        for number in range(12):
            drawn.append(number)
            yield ["x" * number]

    with Workers(len, 1, ahead=8) as workers:
        results = workers.map(jobs())
        assert next(results) == ("", 0)
        assert len(drawn) == 8
        assert [length for _, length in results] == list(range(1, 12))
