"""The panel in a real browser, against the real daemon, on memories learned from the samples.

One browser and one daemon serve all of these tests. Every one of them also fails when a page breaks its
Content-Security-Policy, asks another machine for something, or logs an error.
"""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from samples import stage

from factories import sized

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SHELLS = ("chromium-headless-shell", "chromium", "google-chrome")
SHELL = next((found for name in SHELLS if (found := shutil.which(name))), None)
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(SHELL is None, reason="no browser here: install Debian's chromium-headless-shell"),
]
AXE = (Path(__file__).parent / "axe.min.js").read_text("utf-8")
WATCH = "addEventListener('securitypolicyviolation', (e) => console.error('CSP', e.violatedDirective, e.blockedURI))"
SESSION = "2297dc1e-647b-4b36-984d-f0d9280aee94"
PAGES = {
    "start": "What your next session sees",
    "health": "Health",
    "memories": "Memories",
    "memories/1": "Memories",
    "memories?q=tests": "Memories",
    "review": "Review",
    "sessions": "Sessions",
    f"sessions/{SESSION}": "Session of",
    "time": "Time",
    "time?mode=compare&from=2026-11-03": "Time",
    "graph": "Graph",
    "graph/depot%20service": "Graph",
    "ask?q=tests": "Ask",
    "teach": "Teach",
    "settings": "Settings",
    "nowhere": "There is no such page",
}


class Server:
    """The daemon of one filled memory, and its API without a browser."""

    def __init__(self, root: Path):
        self.root = root
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        self.environ = stage.environment(root) | {"NOUS_HTTP_PORT": str(port)}
        self.nous("up")
        said = json.loads((root / "data" / "http.json").read_text("utf-8"))
        self.url, self.pid = said["url"], said["pid"]
        self.token = (root / "data" / "http.token").read_text("utf-8").strip()

    def nous(self, *arguments: str) -> str:
        command = [sys.executable, "-m", "nous", *arguments]
        done = subprocess.run(command, env=self.environ, cwd=self.root, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        data = json.dumps(body).encode() if body is not None else None
        with urlopen(Request(f"{self.url}{path}", data, headers, method=method), timeout=10) as answer:
            return json.load(answer)

    def remember(self, text: str, project: str = "depot", **more: Any) -> int:
        where = str(self.root / "home" / project)
        said = self.ask("POST", "/v1/memories", {"text": text, "project": where, **more})
        return int(said["memories"][0]["id"])

    def memory(self, number: int) -> dict[str, Any]:
        found: dict[str, Any] = self.ask("GET", f"/v1/memories/{number}")["memory"]
        return found


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    root = tmp_path_factory.mktemp("panel")
    stage.fill(root)
    made = Server(root)
    yield made
    made.nous("down")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    sync_api = pytest.importorskip("playwright.sync_api", reason="no Playwright here: make setup installs it")
    with sync_api.sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=SHELL)
        yield launched
        launched.close()


Open = Callable[..., "Page"]


@pytest.fixture
def opened(browser: Browser, server: Server) -> Iterator[Open]:
    """Opens the panel with a one-time code, as `nous panel` does; at the end nothing may have gone wrong."""
    contexts, wrong = [], []

    def open_page(
        where: str = "start", *, width: int = 1280, scheme: Any = "light", locked: bool = False, without: str = "!"
    ) -> Page:
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, locale="en-GB")
        contexts.append(context)
        context.set_default_timeout(8000)
        context.add_init_script(WATCH)
        page = context.new_page()
        page.on("pageerror", lambda problem: wrong.append(f"error: {problem}"))
        page.on(
            "console",
            lambda said: wrong.append(said.text) if said.type == "error" and without not in said.text else None,
        )
        page.on("request", lambda asked: wrong.append(asked.url) if not asked.url.startswith(server.url) else None)
        if locked:
            page.goto(f"{server.url}/panel/")
            return page
        code = server.ask("POST", "/v1/auth/codes", {})["code"]
        page.goto(f"{server.url}/panel/#code={code}")
        page.locator("h1").wait_for()
        settle(page)
        if where != "start":
            go(page, where)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert wrong == []


def go(page: Page, where: str) -> None:
    """Go to a page of the panel, and wait until it has its data."""
    page.evaluate("(where) => { location.hash = `#/${where}` }", where)
    settle(page)


def settle(page: Page) -> None:
    page.locator("main h1").first.wait_for()
    while (left := page.locator(".busy")).count():
        left.first.wait_for(state="hidden")


def violations(page: Page) -> list[str]:
    """What axe finds, one line each."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(AXE)
    found = page.evaluate("async () => (await axe.run(document, {resultTypes: ['violations']})).violations")
    return [f"{rule['id']}: {node['html'][:160]}" for rule in found for node in rule["nodes"]]


# -- every page ------------------------------------------------------------------------------------------------------


MODES = [(1280, "light"), (390, "dark"), (1280, "dark"), (390, "light")]


@pytest.mark.parametrize(("width", "scheme"), MODES[: sized(2, 4)])
def test_every_page_renders_fits_and_is_accessible(opened: Open, width: int, scheme: str) -> None:
    page = opened(width=width, scheme=scheme)
    for where, title in PAGES.items():
        go(page, where)
        page.locator("main h1, main h2").filter(has_text=title).first.wait_for()
        page.wait_for_timeout(60)
        assert page.locator("main .note.bad").count() == 0, where
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"), f"{where} is too wide"
        assert violations(page) == [], where


def test_a_browser_without_a_key_is_told_how_to_get_one(opened: Open) -> None:
    page = opened(locked=True)
    page.get_by_text("nous panel").wait_for()
    assert violations(page) == []


def test_a_code_leaves_no_trace_in_the_address_and_works_once(opened: Open, server: Server) -> None:
    printed = json.loads(server.nous("panel", "--no-browser", "--json"))["url"]
    page = opened(locked=True)
    page.goto(f"{printed.replace('/panel/#', '/panel/?#')}")
    page.get_by_role("heading", name="What your next session sees").wait_for()
    assert "code" not in page.url
    page.reload()
    page.get_by_role("heading", name="What your next session sees").wait_for()
    other = opened(locked=True, without="401")
    with other.expect_response(lambda answer: answer.url.endswith("/v1/auth/exchange")) as said:
        other.evaluate(
            "(code) => fetch('/v1/auth/exchange', {method: 'POST', body: JSON.stringify({code})})",
            printed.split("code=")[1],
        )
    assert said.value.status == 401


def test_a_small_screen_has_a_menu(opened: Open) -> None:
    page = opened(width=390)
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("link", name="Teach").click()
    page.get_by_role("heading", name="Teach").wait_for()
    assert not page.get_by_role("link", name="Sessions").is_visible()


# -- what the next session sees --------------------------------------------------------------------------------------


class Yard:
    """A project of its own with three rules, and its page."""

    def __init__(self, opened: Open, server: Server, name: str):
        self.server, self.root = server, server.root / "home" / name
        self.root.mkdir(exist_ok=True)
        rules = (f"Weigh {name} crates twice.", f"Log {name} arrivals in UTC.", f"Never stack {name} glass.")
        for text in reversed(rules):
            server.remember(text, project=name, type="requirement")
        self.id = server.memory(server.ask("GET", f"/v1/memories?words=Weigh+{name}")["items"][0]["id"])["project_id"]
        self.page = opened(f"start?project={self.id}")
        self.rows.nth(2).wait_for()
        self.rules = self.shown()

    @property
    def rows(self) -> Any:
        return self.page.locator(".brief > li")

    def shown(self) -> list[str]:
        """What the page lists, and what `nous preview` says: the same."""
        listed = [row.locator("p").inner_text() for row in self.rows.all()]
        told = json.loads(self.server.nous("preview", "--json", "--project", str(self.root)))["start"]
        assert [one["text"].rpartition(" [Memory")[0] for one in told] == listed
        return listed

    def acts(self, button: str, said: str) -> None:
        self.page.get_by_role("button", name=button, exact=True).click()
        self.page.locator(".toast", has_text=said).last.wait_for()
        self.page.wait_for_timeout(400)


def test_a_line_is_kept_edited_deleted_and_pinned(opened: Open, server: Server) -> None:
    yard = Yard(opened, server, "quay")
    first, second, third = yard.rules
    yard.acts("Pin line 3", "Pinned")
    assert yard.shown() == [third, first, second]
    yard.acts("Delete line 2", "Deleted")
    assert yard.shown() == [third, second]
    yard.page.get_by_role("button", name="Edit line 2").click()
    yard.page.get_by_label("What sessions should read").fill("Quay rules are on the wall.")
    assert violations(yard.page) == []
    yard.page.get_by_role("button", name="Save").click()
    yard.page.locator(".tag", has_text="your words").wait_for()
    assert yard.shown() == [third, "Quay rules are on the wall."]
    yard.page.get_by_text("1 line you deleted").click()
    yard.page.get_by_role("button", name=f"Bring back: {first}").click()
    yard.rows.nth(2).wait_for()
    assert set(yard.shown()) == {third, first, "Quay rules are on the wall."}
    yard.page.get_by_role("button", name=re.compile("^Keep line")).first.click()
    yard.page.locator(".tag", has_text="kept").wait_for()
    yard.acts("Unpin line 1", "Unpinned")
    assert violations(yard.page) == []


def test_lines_are_moved_by_keyboard_and_by_mouse(opened: Open, server: Server) -> None:
    yard = Yard(opened, server, "dock")
    first, second, third = yard.rules
    yard.page.get_by_role("button", name="Move line 3 of 3: arrow keys").focus()
    yard.page.keyboard.press("ArrowUp")
    yard.page.locator(".toast", has_text="Moved to place 2").wait_for()
    yard.page.wait_for_timeout(600)
    assert yard.shown() == [first, third, second]
    assert yard.page.evaluate("() => document.activeElement.getAttribute('aria-label')").startswith("Move line 2")
    yard.page.locator(".grip").nth(2).drag_to(yard.rows.nth(0))
    yard.page.locator(".toast", has_text="Moved to place 1").wait_for()
    yard.page.wait_for_timeout(400)
    assert yard.shown() == [second, first, third]


def test_a_prompt_can_be_tried_and_gives_what_the_command_gives(opened: Open, server: Server) -> None:
    rows = server.ask("GET", "/v1/projects")["items"]
    [api] = [row["project_id"] for row in rows if row["root"].endswith("/parcel-api")]
    page = opened(f"start?project={api}")
    asked = "where do delayed jobs live and how are they locked"
    page.get_by_label("A first prompt").fill(asked)
    page.get_by_role("button", name="Try").click()
    page.locator(".brought li, [role=status] p.soft").first.wait_for()
    told = json.loads(server.nous("preview", asked, "--json", "--project", api))["prompt"]
    assert page.locator(".brought li").count() == len(told)


def test_hostile_words_stay_words_in_the_brief(opened: Open, server: Server) -> None:
    yard = Yard(opened, server, "hostile")
    yard.page.get_by_role("button", name="Edit line 1").click()
    yard.page.get_by_label("What sessions should read").fill("<img src=x onerror='window.hacked = 9'> \u202eno\u202c")
    yard.page.get_by_role("button", name="Save").click()
    yard.page.locator(".tag", has_text="your words").wait_for()
    assert "<img" in yard.rows.first.inner_text()
    assert yard.page.evaluate("() => window.hacked === undefined")
    assert yard.page.locator("#panel img").count() == 0


def test_the_panel_opens_on_the_project_it_was_called_from(opened: Open, server: Server) -> None:
    root = server.root / "home" / "harbour"
    root.mkdir()
    server.remember("Harbour cranes are oiled on Fridays.", project="harbour", type="requirement")
    server.remember("The depot opens at five.", project="depot")
    printed = json.loads(server.nous("panel", "--no-browser", "--json", "--project", str(root)))["url"]
    page = opened(locked=True)
    page.goto(printed.replace("/panel/#", "/panel/?#"))
    page.locator(".brief li", has_text="Harbour cranes").wait_for()
    assert page.get_by_label("Project").evaluate("(box) => box.selectedOptions[0].text").startswith("harbour")


# -- memories --------------------------------------------------------------------------------------------------------


def test_one_memory_is_confirmed_pinned_doubted_corrected_forgotten_and_brought_back(
    opened: Open, server: Server
) -> None:
    number = server.remember("The belt counter wraps around at 65 536 parcels.")
    page = opened(f"memories/{number}")
    card = page.get_by_role("article")

    def acts(name: str, said: str) -> dict[str, Any]:
        card.get_by_role("button", name=name).first.click()
        page.locator(".toast", has_text=said).first.wait_for()
        return server.memory(number)

    assert acts("Keep", "Kept")["confirmed"]
    assert acts("Pin", "Pinned")["pinned"]
    assert not acts("Unpin", "no longer pinned")["pinned"]
    assert acts("Doubt", "in doubt")["disputed"]
    assert acts("Delete", "Deleted")["status"] == "archived"
    assert acts("Restore", "back in use")["status"] == "active"
    card.get_by_role("button", name="Edit").click()
    page.get_by_label("One fact or rule, in one sentence").fill("The belt counter wraps around at 32 768 parcels.")
    page.get_by_role("button", name="Save").click()
    card.get_by_text(re.compile("^Replaced by")).wait_for()
    assert server.memory(number)["status"] == "superseded"


def test_what_was_done_can_be_undone_on_the_message(opened: Open, server: Server) -> None:
    number = server.remember("Scanner firmware is updated on the first Tuesday.")
    page = opened(f"memories/{number}")
    page.get_by_role("article").get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Restore").wait_for()
    page.locator(".toast", has_text="Deleted").get_by_role("button", name="Undo").click()
    page.locator(".toast", has_text="Taken back").wait_for()
    page.get_by_role("article").get_by_role("button", name="Delete").wait_for()
    assert server.memory(number)["status"] == "active"


def test_a_memory_shows_where_it_comes_from_down_to_the_words_said(opened: Open, server: Server) -> None:
    found = server.ask("GET", "/v1/search?q=make+check+instead+of+pytest&limit=1")["items"][0]
    page = opened(f"memories/{found['id']}")
    page.locator(".quote").first.wait_for()
    page.get_by_role("link", name="open the session").first.click()
    settle(page)
    line = page.locator(".turn.learned", has_text="make check").first
    line.wait_for()
    assert line.get_by_role("link", name=re.compile(r"^#\d+$")).count() >= 1
    page.get_by_role("heading", name=re.compile("^Learned")).wait_for()


def test_search_explains_each_answer(opened: Open) -> None:
    page = opened("memories")
    page.get_by_label("Search memories").fill("pnpm")
    first = page.locator(".item").first
    first.get_by_text("why this").click()
    first.get_by_text("Found by").wait_for()
    assert "pnpm" in first.locator(".words").first.inner_text()
    assert first.locator("mark").first.inner_text() == "pnpm"


def test_many_are_forgotten_by_filter_after_a_question_and_come_back_with_one_undo(
    opened: Open, server: Server
) -> None:
    said = ("Glass is packed in blue crates.", "The forklift sleeps in hall two.", "Ramp three is closed at night.")
    numbers = [server.remember(text, tags=["crate"]) for text in said]
    page = opened("memories?tag=crate")
    page.get_by_label(f"Select memory {numbers[0]}").check()
    page.get_by_label("all 3 that pass the filters").check()
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("dialog").get_by_text("Delete 3 memories?").wait_for()
    assert violations(page) == []
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    page.get_by_text("No match").wait_for()
    assert [server.memory(number)["status"] for number in numbers] == ["archived"] * 3
    page.locator(".toast", has_text="Deleted 3").get_by_role("button", name="Undo").click()
    page.locator(".toast", has_text="Taken back").wait_for()
    assert [server.memory(number)["status"] for number in numbers] == ["active"] * 3


def test_filters_narrow_the_list_and_page_it(opened: Open, server: Server) -> None:
    for at in range(55):
        server.remember(f"Pallet {at} belongs to lane {at % 7}.", tags=["pallet"])
    page = opened("memories?tag=pallet")
    page.get_by_text("55 memories").wait_for()
    assert page.locator(".item").count() == 50
    page.get_by_role("button", name="Show more").click()
    page.locator(".item").nth(54).wait_for()
    page.get_by_label("Type").select_option("decision")
    page.get_by_text("No match").wait_for()
    page.get_by_role("button", name="Clear search and filters").click()
    page.locator(".item").nth(49).wait_for()


def test_another_client_writes_and_the_page_follows(opened: Open, server: Server) -> None:
    page = opened("memories")
    server.remember("Gate 9 is closed while the roof is mended.")
    page.locator(".item", has_text="Gate 9 is closed").wait_for(timeout=5000)


# -- hostile words ---------------------------------------------------------------------------------------------------

HOSTILE = (
    "<script>window.hacked = 1</script> in a memory",
    "</textarea><img src=x onerror='window.hacked = 2'> breaks out",
    "</title></style><svg onload=window.hacked=3> too",
    "Click [here](javascript:window.hacked=4) or javascript:window.hacked=5",
    "The sign says \u202egnorw si siht\u202c and a \u200bzero-width space",
    "{{constructor.constructor('window.hacked = 6')()}} `${window.hacked = 7}`",
)


def test_hostile_words_stay_words_on_every_page(opened: Open, server: Server) -> None:
    numbers = [server.remember(text, project="parcel-web", tags=["hostile"]) for text in HOSTILE]
    server.ask("POST", f"/v1/memories/{numbers[0]}/dispute", {})
    page = opened("memories?tag=hostile")
    page.locator(".item").nth(len(HOSTILE) - 1).wait_for()
    shown = page.locator(".list").inner_text()
    assert "<script>window.hacked = 1</script>" in shown
    assert "U+202E" in shown and "\u202e" not in shown
    for where in (
        *(f"memories/{number}" for number in numbers),
        "review",
        "time",
        "graph",
        "start",
        "sessions",
        "ask?q=hacked+textarea+script",
    ):
        go(page, where)
        page.wait_for_timeout(40)
        assert page.evaluate("() => window.hacked === undefined"), where
        assert page.locator("#panel :is(script, img, iframe, object)").count() == 0
        assert page.locator("#panel a[href^='javascript' i]").count() == 0
    go(page, f"memories/{numbers[1]}")
    page.get_by_role("button", name="Edit").click()
    assert page.get_by_label("One fact or rule, in one sentence").input_value() == HOSTILE[1]
    page.keyboard.press("Escape")
    page.locator("dialog").wait_for(state="detached")
    page.get_by_role("article").get_by_role("button", name="Delete").click()
    page.locator(".toast", has_text="</textarea>").wait_for()
    assert page.evaluate("() => window.hacked === undefined")
    server.ask("POST", "/v1/memories/bulk", {"action": "forget", "ids": numbers})


# -- by keyboard -----------------------------------------------------------------------------------------------------


def test_a_dialog_is_open_as_soon_as_it_is_there(opened: Open, server: Server) -> None:
    """Else a quick Escape would close the card behind it."""
    number = server.remember("The label printer needs a fresh ribbon on Mondays.")
    page = opened(f"memories/{number}")
    page.get_by_role("button", name="Edit").wait_for()
    page.evaluate(
        """() => new MutationObserver((_, watch) => {
            const box = document.querySelector("dialog");
            if (box) { window.wasOpen = box.open; watch.disconnect(); }
        }).observe(document.body, { childList: true, subtree: true })"""
    )
    page.get_by_role("button", name="Edit").click()
    page.locator("dialog").wait_for()
    assert page.evaluate("() => window.wasOpen")
    page.keyboard.press("Escape")
    page.locator("dialog").wait_for(state="detached")
    page.get_by_role("article").get_by_role("button", name="Delete").wait_for()


def test_everything_can_be_reached_and_done_by_keyboard(opened: Open, server: Server) -> None:
    number = server.remember("Forklift keys hang behind the counter of lane 3.", tags=["forklift"])
    page = opened()
    press = page.keyboard.press
    press("?")
    page.get_by_role("dialog", name="Keys").wait_for()
    assert violations(page) == []
    press("Escape")
    page.locator("dialog").wait_for(state="detached")
    press("g")
    press("m")
    page.get_by_role("heading", name="Memories").wait_for()
    press("/")
    page.locator("input[type=search]:focus").wait_for()
    page.keyboard.type("forklift keys counter")
    page.locator("[role=status][data-for='forklift keys counter']").wait_for()
    page.locator(".item", has_text="Forklift").first.wait_for()
    press("Escape")
    press("j")
    press("Enter")
    page.get_by_role("article", name=f"Memory {number}").wait_for()
    press("c")
    page.locator(".toast", has_text=f"Kept #{number}").wait_for()
    press("f")
    page.locator(".toast", has_text="Deleted").wait_for()
    assert server.memory(number)["status"] == "archived"
    page.get_by_role("button", name="Restore").wait_for()
    press("z")
    page.locator(".toast", has_text="Taken back").wait_for()
    assert server.memory(number)["status"] == "active"
    press("Escape")
    page.get_by_role("article").wait_for(state="detached")


def test_single_keys_can_be_switched_off(opened: Open) -> None:
    page = opened()
    page.keyboard.press("?")
    page.get_by_label("Single keys act").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    page.keyboard.press("m")
    page.wait_for_timeout(100)
    assert page.get_by_role("heading", name="What your next session sees").is_visible()


def test_the_first_tab_skips_to_the_page(opened: Open) -> None:
    page = opened()
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.textContent") == "Skip to the page"
    page.keyboard.press("Enter")
    assert page.evaluate("() => document.activeElement.tagName") == "H1"


# -- the other pages -------------------------------------------------------------------------------------------------


def test_review_takes_one_key_per_decision_and_one_to_undo(opened: Open, server: Server) -> None:
    number = server.remember("Lane 5 is swept at noon.", project="depot")
    server.ask("POST", f"/v1/memories/{number}/dispute", {"reason": "nobody saw it"})
    page = opened("review?kind=disputed")
    asked = page.locator(".question .words").first.inner_text()
    page.keyboard.press("k")
    page.locator(".toast", has_text="Kept.").wait_for()
    decided = server.ask("GET", "/v1/log?limit=5")["items"]
    assert any(event["type"] == "LearningReviewed" for event in decided)
    page.keyboard.press("u")
    page.locator(".toast", has_text="Taken back").wait_for()
    page.locator(".question .words", has_text=asked[:30]).first.wait_for()


def test_what_a_session_taught_is_kept_edited_or_deleted(opened: Open, server: Server) -> None:
    page = opened(f"sessions/{SESSION}")
    [done] = server.ask("GET", f"/v1/sessions/{SESSION}")["episodes"]
    page.get_by_role("heading", name="What was done").wait_for()
    page.locator("li", has_text=done["goal"][:60]).first.wait_for()
    learned = page.locator(".item", has=page.get_by_role("button", name=re.compile("^Keep memory")))
    learned.first.wait_for()
    first = int(
        str(learned.first.get_by_role("button", name=re.compile("^Keep")).get_attribute("aria-label")).split()[-1]
    )
    learned.first.get_by_role("button", name=re.compile("^Keep")).click()
    page.locator(".toast", has_text=f"Kept #{first}").wait_for()
    assert server.memory(first)["confirmed"]
    page.get_by_role("button", name=f"Delete memory {first}").click()
    page.get_by_role("button", name=f"Restore memory {first}").wait_for()
    page.keyboard.press("z")
    page.get_by_role("button", name=f"Delete memory {first}").wait_for()
    page.get_by_label("tools and thinking too").check()
    page.locator(".turn.tool").first.wait_for()


def test_the_slider_goes_back_to_what_was_true(opened: Open) -> None:
    page = opened("time?on=2026-10-10")
    page.get_by_text("memories true on 10 Oct 2026").wait_for()
    assert page.locator(".item").count() == 5
    page.locator("#slide-on").focus()
    page.keyboard.press("ArrowLeft")
    page.get_by_text("memories true on 9 Oct 2026").wait_for()
    page.keyboard.press("Home")
    page.locator("p", has_text="2 memories true on 5 Oct 2026").wait_for()
    page.locator(".item").nth(2).wait_for(state="detached")
    assert page.locator(".item").count() == 2


def test_two_moments_are_compared(opened: Open) -> None:
    page = opened("time?mode=compare&from=2026-11-13&on=2026-11-14")
    ended = page.locator(".change", has_text="no longer")
    ended.first.wait_for()
    assert "four minutes" in " ".join(ended.all_inner_texts())
    assert page.locator(".change", has_text="two minutes").count() == 1


def test_the_graph_has_named_things_and_a_table_that_says_the_same(opened: Open, server: Server) -> None:
    said = {
        "content": "The depot service writes to the ledger.",
        "extractor_version": "read@1/test",
        "type": "architecture",
        "concepts": [],
        "edges": [],
        "entities": ["depot service", "ledger"],
        "relations": [{"subject": "depot service", "predicate": "writes_to", "object": "ledger"}],
    }
    project = server.ask("GET", "/v1/projects")["items"][0]["project_id"]
    body = {"event_type": "LearningExtracted", "payload": said, "project": project, "idempotency_key": "graph-1"}
    server.ask("POST", "/v1/events", body | {"learning_id": "11111111-1111-4111-8111-111111111111"})
    page = opened("graph")
    page.locator("canvas[data-drawn]").wait_for()
    row = page.locator("tbody tr", has_text="writes to")
    assert "depot service" in row.inner_text() and "ledger" in row.inner_text()
    painted = page.locator("canvas").evaluate(
        "(canvas) => new Set(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data).size"
    )
    assert painted > 3
    row.get_by_role("link", name="ledger").click()
    page.get_by_role("link", name="memories about it").wait_for()
    assert violations(page) == []


def test_an_answer_cites_its_memories(opened: Open) -> None:
    page = opened("ask")
    page.get_by_label("Your question").fill("where do delayed jobs live")
    page.keyboard.press("Enter")
    page.locator("li.sheet").first.wait_for()
    assert "Postgres" in page.locator("li.sheet").first.inner_text()
    said = page.locator(".list .item", has_text="delayed jobs").first
    said.wait_for()
    assert "sessions/" in str(said.locator("a").get_attribute("href"))
    page.locator(".cite").first.click()
    page.get_by_role("article").wait_for()


def test_a_sentence_is_taught(opened: Open, server: Server) -> None:
    page = opened("teach")
    page.get_by_label("A plain sentence").fill("Night shift ends at six.")
    page.get_by_label("What it is").select_option("fact")
    page.get_by_role("button", name="Remember").click()
    page.locator(".toast", has_text="Remembered as").wait_for()
    assert server.ask("GET", "/v1/memories?words=Night+shift+ends+at+six.")["total"] == 1


def test_settings_say_where_they_come_from(opened: Open) -> None:
    page = opened("settings")
    page.get_by_label("Find a setting").fill("data_dir")
    row = page.locator(".setting", has_text="data_dir").first
    assert "environment" in row.inner_text()


def test_what_a_model_may_cost_is_changed_and_where_words_go_is_not(opened: Open, server: Server) -> None:
    page = opened("settings")
    page.get_by_role("button", name="Change daily_usd").click()
    page.get_by_role("dialog").get_by_role("textbox").fill("0.4")
    assert violations(page) == []
    page.get_by_role("button", name="Save").click()
    row = page.locator(".setting", has_text="daily_usd")
    row.get_by_text("config file").wait_for()
    assert "0.4" in row.inner_text() and "instead of 0.15" in row.inner_text()
    assert page.get_by_role("button", name="Change llm_base_url").count() == 0
    with pytest.raises(HTTPError) as refused:
        server.ask("POST", "/v1/settings", {"name": "llm_base_url", "value": "https://else.example"})
    assert refused.value.code == 400
    refused.value.close()
    server.ask("POST", "/v1/settings", {"name": "daily_usd", "value": None})


def test_a_page_says_so_when_the_daemon_is_gone_and_goes_on_when_it_is_back(opened: Open, server: Server) -> None:
    page = opened(without="Failed to load resource")
    page.get_by_text("up to date", exact=True).wait_for()
    server.nous("down")
    page.get_by_text("not connected").wait_for()
    server.nous("up")
    page.get_by_text("up to date", exact=True).wait_for()
    page.locator(".brief").first.wait_for()
