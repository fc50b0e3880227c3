"""Signs a user in with Firefox and prints the last page's address and text as JSON.

Reads one JSON object from standard input:

    url       the page to open
    popUp     whether a button on that page opens the sign-in in a window of its own; the last page is then the page at `url`, not the pop-up
    username, password
    until     what the last page shows when the sign-in is done

The argument is an existing folder for Firefox's profile. Firefox joins this process's group, so it ends with the group.
"""

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import time

from marionette_driver.by import By
from marionette_driver.errors import MarionetteException
from marionette_driver.marionette import Marionette
from marionette_driver.wait import Wait

PREFERENCES = {
    "marionette.port": 0,
    # Nothing leaves this machine: a proxy that does not exist, which loopback addresses do not use.
    "network.proxy.type": 1,
    "network.proxy.socks": "127.0.0.1",
    "network.proxy.socks_port": 1,
    "network.proxy.socks_remote_dns": True,
}


@contextlib.contextmanager
def firefox(folder):
    profile = pathlib.Path(folder, "profile")
    profile.mkdir()
    lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in PREFERENCES.items()]
    (profile / "user.js").write_text("\n".join(lines))
    process = subprocess.Popen(
        ["/usr/bin/firefox-esr", "--headless", "--marionette", "--no-remote", "--profile", str(profile)],
        env={"PATH": os.environ["PATH"], "HOME": folder, "TMPDIR": folder}, stdout=sys.stderr)
    try:
        marionette = Marionette(host="127.0.0.1", port=port(process, profile / "MarionetteActivePort"))
        marionette.start_session()
        yield marionette
    finally:
        process.kill()
        process.wait()


def port(process, file):
    """The port that Firefox writes down when it accepts connections."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if process.poll() is not None:
            sys.exit(f"Firefox ended with {process.returncode}")
        if file.exists() and (text := file.read_text()):
            return int(text)
        time.sleep(0.05)
    sys.exit("Firefox did not accept connections in 120 seconds")


def wait(marionette, what, condition):
    """Waits for a true value. An element that is missing or stale belongs to a page that is changing."""
    waiting = Wait(marionette, timeout=30, interval=0.05, ignored_exceptions=(MarionetteException,))
    return waiting.until(condition, message=f"waiting for {what}")


def find(selector):
    return lambda marionette: marionette.find_element(By.CSS_SELECTOR, selector)


def text(marionette):
    return find("body")(marionette).text


def sign_in(marionette, task):
    marionette.navigate(task["url"])
    app = marionette.current_window_handle
    if task["popUp"]:
        find("button")(marionette).click()
        windows = wait(marionette, "the pop-up", lambda m: len(m.window_handles) == 2 and m.window_handles)
        marionette.switch_to_window(next(window for window in windows if window != app))
    wait(marionette, "the sign-in page", find("input[name=username]")).send_keys(task["username"])
    find("input[name=password]")(marionette).send_keys(task["password"])
    find("button[type=submit]")(marionette).click()
    wait(marionette, "the consent page", find("button[name=decision][value=allow]")).click()
    marionette.switch_to_window(app)
    wait(marionette, "the last page", lambda m: task["until"] in text(m))
    return {"url": marionette.get_url(), "text": text(marionette)}


with firefox(sys.argv[1]) as marionette:
    task = json.load(sys.stdin)
    try:
        print(json.dumps(sign_in(marionette, task)))
    except MarionetteException as error:
        pages = []
        for window in marionette.window_handles:
            marionette.switch_to_window(window)
            pages.append(f"{marionette.get_url().split('?')[0]}: {text(marionette)}")
        sys.exit("\n-- ".join([str(error), *pages]))
