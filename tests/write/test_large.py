"""Much at once: a huge message is said to be too long, many messages are all there."""

from quipu.memory import Memory

MESSAGE = "The quarterly plan is due on Friday. "


def test_a_message_of_ten_megabytes_is_an_error_and_the_others_are_kept(memory: Memory) -> None:
    huge: dict[str, object] = {"role": "user", "content": MESSAGE * 280_000}
    small: dict[str, object] = {"role": "user", "content": "Small one."}
    job = memory.add([small, huge, small], session_id="s")
    assert (job.status, job.added) == ("done", 2)
    (error,) = job.errors
    assert error.path == "session:s#2"
    assert "10,359,999 characters" in error.error
    assert "quipu add" in error.error
