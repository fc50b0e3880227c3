"""Runs a list of steps in Firefox, and then prints the URL and the text of the page as JSON.

Reads a JSON array of steps from standard input. Each step is an object with an `action` and, where the action needs them, a `selector` and a
`value`:

    open               opens the page at the URL `value`
    type               types the text `value` into an element
    click              clicks an element as soon as it is visible
    wait               waits until the page shows the text `value`
    newWindow          continues in the window that the page has opened
    firstWindow        continues in the first window
    addAuthenticator   adds an authenticator that lets the user create and use passkeys without a prompt

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
    # No request leaves this machine: all addresses except loopback addresses use a proxy that does not exist.
    "network.proxy.type": 1,
    "network.proxy.socks": "127.0.0.1",
    "network.proxy.socks_port": 1,
    "network.proxy.socks_remote_dns": True,
    # Passkeys come from the virtual authenticator, not from a security key.
    "security.webauth.webauthn_enable_softtoken": True,
    "security.webauth.webauthn_enable_usbtoken": False,
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
    """The port that Firefox writes to a file when it accepts connections."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if process.poll() is not None:
            sys.exit(f"Firefox ended with {process.returncode}")
        if file.exists() and (text := file.read_text()):
            return int(text)
        time.sleep(0.05)
    sys.exit("Firefox did not accept connections in 120 seconds")


def wait(marionette, what, condition):
    """Waits until a condition is true. Errors count as false, because an element can be missing or stale while a page changes."""
    waiting = Wait(marionette, timeout=30, interval=0.05, ignored_exceptions=(MarionetteException,))
    return waiting.until(condition, message=f"waiting for {what}")


def find(selector):
    return lambda marionette: marionette.find_element(By.CSS_SELECTOR, selector)


def text(marionette):
    return find("body")(marionette).text


def visible(selector):
    def condition(marionette):
        element = find(selector)(marionette)
        return element.is_displayed() and element

    return condition


def switch_to_new_window(marionette):
    wait(marionette, "a new window", lambda m: len(m.window_handles) == 2)
    marionette.switch_to_window(next(window for window in marionette.window_handles if window != marionette.current_window_handle))


def add_authenticator(marionette):
    marionette._send_message("WebAuthn:AddVirtualAuthenticator", {
        "protocol": "ctap2_1", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True, "isUserConsenting": True,
        "isUserVerified": True})


def perform(marionette, action, selector="", value=""):
    if action == "open":
        marionette.navigate(value)
    elif action == "type":
        wait(marionette, selector, visible(selector)).send_keys(value)
    elif action == "click":
        wait(marionette, selector, visible(selector)).click()
    elif action == "wait":
        wait(marionette, repr(value), lambda m: value in text(m))
    elif action == "newWindow":
        switch_to_new_window(marionette)
    elif action == "firstWindow":
        marionette.switch_to_window(marionette.window_handles[0])
    elif action == "addAuthenticator":
        add_authenticator(marionette)
    else:
        sys.exit(f"unknown action {action!r}")


with firefox(sys.argv[1]) as marionette:
    try:
        for step in json.load(sys.stdin):
            perform(marionette, **step)
        print(json.dumps({"url": marionette.get_url(), "text": text(marionette)}))
    except MarionetteException as error:
        pages = []
        for window in marionette.window_handles:
            marionette.switch_to_window(window)
            pages.append(f"{marionette.get_url().split('?')[0]}: {text(marionette)}")
        sys.exit("\n-- ".join([str(error), *pages]))
