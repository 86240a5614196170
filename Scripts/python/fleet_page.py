"""The steps of Scripts/console --fleet: the page of a back office, as a manager and then a clerk use it."""
import json
import os
import time

from chromium import fail

LOST = "document.querySelector('#lost')"
WHO = "document.querySelector('#who').textContent"
LANES = "[...document.querySelectorAll('#lanes tr')]"
UNKNOWN = "[...document.querySelectorAll('#unknown tr')]"
MAIN = "document.querySelector('main').innerText"


def text(selector):
    return f"document.querySelector({selector!r}).textContent"


def lane(name, shop="harbor"):
    """The cells of a lane, as texts."""
    return (f"[...({LANES}.find(row => row.cells[0].textContent === {shop!r} && row.cells[1].textContent === {name!r})"
            "?.cells || [])].map(cell => cell.textContent)")


def act(browser, do, what, expression, note):
    """Does something until it has an effect: on a busy machine, an answer can be later than the page waits for it, and
    people try again then."""
    silence = f"{note}.includes('does not answer')"
    for _ in range(5):
        do()
        browser.until(what + ", or no answer", f"({expression}) || {silence}")
        if browser.value(expression):
            return
    fail(f"not seen: {what}: the server does not answer")


def enter(browser, token, what, expression):
    """Types a token with the keyboard alone."""
    def type_it():
        browser.write("#token", token)
        browser.value("document.querySelector('#token').focus()")
        browser.type("Enter")
    act(browser, type_it, what, expression, LOST + ".textContent")


def add_up(browser, what, expression):
    act(browser, lambda: browser.click("#add"), what, expression, text("#totalsnote"))


def choose_file(browser, name, content, folder):
    """Chooses a file, as the dialog of the browser does."""
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(content)
    node = browser.call("Runtime.evaluate", expression="document.querySelector('#file')")["result"]["objectId"]
    browser.call("DOM.setFileInputFiles", files=[path], objectId=node)


def check_entry(browser, states, office):
    """Without a token that works, nothing is shown."""
    browser.until("the page asks for a token", f"{WHO}.startsWith('A token shows')")
    states.look("fleet-start", isCompared=False)
    enter(browser, "cpf_" + "0" * 48, "a token that is refused",
          f"!{LOST}.hidden && {LOST}.textContent.includes('does not know this token')")
    browser.until("nothing is shown", f"{LANES}.length === 0")
    states.look("fleet-refused", isCompared=False)
    enter(browser, office.manager, "whose token it is", f"{WHO} === 'manager_m: manager of all shops'")
    browser.until("no complaint", f"{LOST}.hidden")
    browser.until("the lanes of all shops", f"{LANES}.length === 3")
    states.look("fleet", isCompared=False)


def check_lanes(browser, states, office):
    """The lanes follow what is shipped, and a shop can be chosen."""
    browser.until("how many lanes there are", text("#lanesnote") + " === '3 lanes, 0 entries wait'")
    add_up(browser, "the totals", "document.querySelectorAll('#totals tr').length > 0")
    browser.until("a lane with an unknown payment", lane("till 1") + "[6] === '1'")
    browser.until("when it was heard", f"/^[0-9.]+ s ago$/.test({lane('till 1')}[4])")
    browser.value("document.querySelector('#unknown button').focus()")
    office.pay("harbor", "till 2", 2)
    browser.until("what a lane ships appears by itself", lane("till 2") + "[5] === '2'")
    browser.until("the focus stays where it is", "document.activeElement.closest('#unknown') !== null")
    office.sql("UPDATE fleet.lane SET refused = 'restored' WHERE shop = 'harbor' AND name = 'till 2'")
    browser.until("a lane that is refused", lane("till 2") + "[9] === 'refused: restored'")
    browser.until("how many are", text("#lanesnote") + ".endsWith(', 1 refused')")
    states.look("fleet-lane-refused", isCompared=False)
    office.sql("UPDATE fleet.lane SET refused = NULL")
    browser.choose("#shop", "hill")
    browser.until("one shop alone", f"{LANES}.length === 1 && {lane('till 1', 'hill')}.length === 10")
    browser.until("nothing is unknown there", text("#unknownnote") + " === 'No payment is unknown.'")
    browser.choose("#shop", "")
    browser.until("all shops again", f"{LANES}.length === 3 && {UNKNOWN}.length === 1")


def check_payment(browser, states, office):
    """An unknown payment opens with its attempts, and many come in pages."""
    button = "document.querySelector('#unknown button')"
    browser.until("its name for those who don't see it", f"{button}.ariaLabel === 'Show payment P000002 of till 1'")

    def open_it():
        browser.value(f"{button}.focus()")
        browser.type("Enter")
    act(browser, open_it, "the focus goes to the payment", "document.activeElement.id === 'h-payment'",
        text("#unknownnote"))
    browser.until("which one it is", text("#h-payment") + " === 'Payment P000002 of till 1'")
    browser.until("its amount and state", f"/^3\\.00 [A-Z]+, unknown, began /.test({text('#paymentnote')})")
    browser.until("its attempt", "document.querySelectorAll('#attempts tr').length === 1")
    browser.until("its receipts", f"/^(Receipts: |No receipt)/.test({text('#receipts')})")
    states.look("fleet-payment", isCompared=False)
    browser.click("#closepayment")
    browser.until("the payment is closed", "document.querySelector('#payment').hidden")
    browser.until("the focus is back", "document.activeElement.closest('#unknown') !== null")
    office.sql("INSERT INTO fleet.payment SELECT (jsonb_populate_record(p, jsonb_build_object("
               "'name', to_char(n, 'FM\"P\"000000'), 'number', n))).* FROM fleet.payment p, generate_series(1001, 1060) n"
               " WHERE p.state = 'unknown'")
    browser.until("a page of many", f"{UNKNOWN}.length === 50 && !document.querySelector('#more').hidden")
    browser.click("#more")
    browser.until("the rest", f"{UNKNOWN}.length === 61 && document.querySelector('#more').hidden")
    office.sql("DELETE FROM fleet.payment WHERE number > 1000")
    browser.until("the one that is left", f"{UNKNOWN}.length === 1")


def check_totals(browser, folder):
    """The totals of some days; returns the text of the file that the page saves."""
    net = "[...document.querySelectorAll('#totals tr')].reduce((sum, row) => sum + parseFloat(row.cells[7].textContent), 0)"
    add_up(browser, "all that was captured", f"Math.abs({net} - 29.5) < 0.001")
    # The answer to the earlier request comes last, and is not shown.
    browser.value("""(ask => { let isHeld = false; window.fetch = (...request) => {
        if (isHeld || !String(request[0]).includes('/v1/report')) return ask(...request);
        isHeld = true;
        return new Promise(done => {
            window.answer = () => { ask(...request).then(done); setTimeout(() => { window.isLate = true; }, 500); };
        });
    }; })(window.fetch)""")
    browser.click("#add")
    browser.until("a request without an answer", "window.answer !== undefined")
    browser.write("#since", "2099-01-01")
    add_up(browser, "days without a payment", text("#totalsnote") + " === 'Nothing was captured.'")
    browser.value("window.answer()")
    browser.until("the late answer", "window.isLate === true")
    browser.until("what was asked for last", text("#totalsnote") + " === 'Nothing was captured.'", limit=0)
    browser.write("#until", "2098-01-01")
    add_up(browser, "days that are turned round", text("#totalsnote") + ".startsWith('Failed: ') && !"
           + text("#totalsnote") + ".includes('does not answer')")
    browser.write("#since", "")
    browser.write("#until", "")
    add_up(browser, "all days again", f"Math.abs({net} - 29.5) < 0.001")
    path, deadline = os.path.join(folder, "report.csv"), time.monotonic() + 60
    browser.click("#csv")
    while not os.path.exists(path):
        if time.monotonic() > deadline:
            fail(f"the browser saves no {path}")
        if browser.value(text("#totalsnote") + ".includes('does not answer')"):
            add_up(browser, "all days once more", f"Math.abs({net} - 29.5) < 0.001")
            browser.click("#csv")
        time.sleep(0.05)
    with open(path, encoding="utf-8", newline="") as file:
        report = file.read()
    if not report.replace('"', "").startswith("shop,lane,day,brand,") or len(report.splitlines()) < 4:
        fail("the totals as a file:\n" + report)
    print("seen: the totals as a file", flush=True)
    return report


def check_settlement(browser, states, report, folder):
    """A settlement is compared, and each difference has its name."""
    note, rows = text("#settlementnote"), "[...document.querySelectorAll('#differences tr')]"
    choose_file(browser, "same.csv", report, folder)
    browser.until("a settlement that agrees", f"{note}.includes('totals compared, no difference; 1 payment is unknown')")
    choose_file(browser, "other.csv", report.replace("15.50", "15.40"), folder)
    browser.until("a settlement that does not", f"{note}.startsWith('other.csv: ') && {note}.includes(', 1 differs')")
    browser.until("what differs", f"{rows}.length === 1 && /differs.*15\\.50.*15\\.40/s.test({rows}[0].innerText)")
    states.look("fleet-settlement", isCompared=False)
    lines = report.splitlines(keepends=True)
    # Each line has a lane of its own unless the day has ended meanwhile.
    choose_file(browser, "short.csv", "".join(lines[:1] + lines[2:]), folder)
    browser.until("what the acquirer lacks", f"{rows}.some(row => row.innerText.includes('not settled'))")
    choose_file(browser, "long.csv", report + lines[1].replace("till 1", "till 9").replace("till 2", "till 9"), folder)
    browser.until("what no lane has", f"{rows}.length === 1 && {rows}[0].innerText.includes('not taken by a lane')")
    choose_file(browser, "broken.csv", "what is this?", folder)
    browser.until("a file that is no settlement", f"{note}.startsWith('Failed: ') && {rows}.length === 0")


def check_loss(browser, states, office):
    """A database that is away, and a server that is, are noticed; what was known stays to be seen."""
    office.halt()
    browser.until("the database is away", f"!{LOST}.hidden && {LOST}.textContent.endsWith('shows the last known state.')")
    browser.until("what was known", f"{LANES}.length === 3")
    states.look("fleet-lost", isCompared=False)
    office.restart()
    browser.until("the database is back", f"{LOST}.hidden")
    port = int(office.address.rsplit(":", 1)[1])
    office.process.kill()
    office.process.wait()
    browser.until("the server is away", f"{LOST}.textContent.startsWith('the server does not answer.')")
    office.serve(port)
    browser.until("the server is back", f"{LOST}.hidden")


# Holds the next answer with lanes until the page is told to release it.
HOLD = """(() => {
    const fetching = window.fetch;
    window.held = false;
    window.fetch = async (path, options) => {
        if (!String(path).startsWith("/v1/lanes")) return fetching(path, options);
        window.fetch = fetching;
        const answer = await fetching(path, { ...options, signal: undefined });
        window.held = true;
        await new Promise(done => { window.release = done; });
        return answer;
    };
})()"""


def check_next_login(browser, states, office):
    """What one login sees is not for the next one, also when its answer comes late."""
    browser.value(HOLD)
    browser.until("an answer for the manager is on its way", "window.held === true")
    enter(browser, office.clerk, "the clerk", f"{WHO} === 'clerk_c: clerk of hill'")
    browser.until("the clerk's lane", f"{LANES}.length === 1")
    browser.value("window.release()")
    # The page has taken or dropped it when what comes behind it is there.
    browser.value("fetch('/healthz').then(() => new Promise(done => setTimeout(done, 100)))")
    if browser.value(f"{MAIN}.includes('harbor') || {LANES}.length !== 1 || {text('#shop')}.includes('harbor')"):
        fail("the clerk sees another shop:\n" + browser.value(MAIN))
    print("seen: nothing of another shop", flush=True)
    browser.until("no settlement of the manager", text("#settlementnote") + " === ''")
    states.look("fleet-clerk", isCompared=False)
    tokens = json.loads(office.fleet("token", "list", "--json"))
    token = next(token["id"] for token in tokens if token["login"] == "clerk_c")
    office.fleet("token", "revoke", token)
    browser.until("a token that was revoked", f"!{LOST}.hidden && {LOST}.textContent.includes('revoked')")


def check(browser, states, office, folder, check_controls):
    """Uses the page; `check_controls` looks for controls without a name, and for what is too wide."""
    browser.screen(1280, 900)
    browser.call("Page.navigate", url=office.address + "/")
    browser.until("the page", "document.readyState === 'complete' && !!document.querySelector('#tokenform')")
    browser.download(folder)
    check_entry(browser, states, office)
    check_lanes(browser, states, office)
    check_payment(browser, states, office)
    report = check_totals(browser, folder)
    check_settlement(browser, states, report, folder)
    check_controls(browser)
    check_loss(browser, states, office)
    check_next_login(browser, states, office)
    if browser.problems:
        fail(f"the page failed: {browser.problems}")
    states.end()
