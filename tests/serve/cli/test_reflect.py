"""`quipu reflect` and `--mode global`, as a person and as a program see them."""


def test_reflect_says_what_it_made_and_what_it_spent(quipu, project) -> None:
    first = quipu("reflect")
    assert first.code == 0
    assert first.out.splitlines()[0] == "1 report made"
    again = quipu("reflect", "--write")
    assert again.out.splitlines()[0] == "0 reports made  1 kept"
    assert "--write counts for nothing" in again.err


def test_shown_reports_can_be_searched_asked_and_opened(quipu, project) -> None:
    assert "# " in quipu("reflect", "--show").out
    found = quipu("search", "--mode", "global", "payment service")
    assert "report:" in found.out.splitlines()[0]
    assert "[docs/payments.md:3]" in found.out
    ref = quipu("search", "--mode", "global", "--json", "payment").document["hits"][0]["path"]
    opened = quipu("get", ref)
    assert opened.code == 0
    assert "[docs/payments.md:3]" in opened.out
    asked = quipu("ask", "--mode", "global", "what are the main themes?")
    assert "docs/payments.md:3" in asked.out
    planned = quipu("plan", "--mode", "global", "payment service")
    assert "global mode" in planned.out
    assert "Reports (1)" in planned.out
