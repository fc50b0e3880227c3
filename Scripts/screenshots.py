"""Takes screenshots of the pages in FOLDER/pages with chromedriver, and makes one sheet per language and setting; see Scripts/screenshots.

Also reports layout mistakes: a page that is wider than the window, a control that is smaller than 24 pixels and is not a link in a sentence
(WCAG 2.5.8), or the text of a button that does not fit. Exits with 1 if there are any.
"""

import base64
import functools
import glob
import http.server
import itertools
import json
import os
import subprocess
import sys
import threading
import urllib.request

# The name, the width and height of the window, the color scheme, whether colors are forced, and the size of the text
# relative to the default.
SETTINGS = [
    ("phone-light", 390, 844, "light", False, 1), ("phone-dark", 390, 844, "dark", False, 1),
    ("desktop-light", 1280, 800, "light", False, 1), ("desktop-dark", 1280, 800, "dark", False, 1),
    ("phone-forced", 390, 844, "dark", True, 1), ("desktop-forced", 1280, 800, "light", True, 1),
    ("small-text-200", 320, 640, "light", False, 2),
]
MEASURE = """
const found = [];
const width = document.documentElement.scrollWidth;
if (width > innerWidth) found.push(`${width} pixels wide in a window of ${innerWidth}`);
for (const e of document.querySelectorAll("a, button, input:not([type=hidden]), summary")) {
  const r = e.getBoundingClientRect();
  const isInline = getComputedStyle(e).display == "inline";
  if ((r.height < 24 || r.width < 24) && !isInline) found.push(`<${e.localName}> of ${r.width} x ${r.height}`);
  if (e.scrollWidth > e.clientWidth + 1 && e.localName == "button") found.push(`<${e.localName}> is cut`);
}
return found;
"""


def call(base, path, body=None, method="POST"):
    data = None if method == "DELETE" else json.dumps(body or {}).encode()
    request = urllib.request.Request(base + path, data, {"Content-Type": "application/json"}, method=method)
    return json.load(urllib.request.urlopen(request, timeout=60))["value"]


def photograph(base, session, address, setting):
    _, width, height, scheme, forced, text = setting

    def devtools(command, **parameters):
        return call(base, f"/session/{session}/goog/cdp/execute", {"cmd": command, "params": parameters})

    devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
    devtools("Emulation.setEmulatedMedia", features=[
        {"name": "prefers-color-scheme", "value": scheme}, {"name": "forced-colors", "value": "active" if forced else "none"},
        {"name": "prefers-reduced-motion", "value": "reduce"}])
    call(base, f"/session/{session}/url", {"url": address})
    if text != 1:
        script = f"document.documentElement.style.fontSize = '{text * 100}%'"
        call(base, f"/session/{session}/execute/sync", {"script": script, "args": []})
    found = call(base, f"/session/{session}/execute/sync", {"script": MEASURE, "args": []})
    # When Chromium captures more than the viewport, it shifts right-to-left pages that fit into the window. Therefore,
    # only pages that are taller than the window are captured in this way.
    content = devtools("Page.getLayoutMetrics")["cssContentSize"]["height"]
    # ImageMagick cannot read pictures that are taller than 16,000 pixels, including the label that is added below.
    clip = {"clip": {"x": 0, "y": 0, "width": width, "height": 15000, "scale": 1}} if content > 15000 else {}
    picture = devtools("Page.captureScreenshot", captureBeyondViewport=content > height, **clip)["data"]
    return base64.b64decode(picture), found


def photograph_all(base, session, folder, port, chosen):
    faults = 0
    pages = sorted(glob.glob(f"{folder}/pages/*.html"))
    # The name of a file begins with the language.
    languages = chosen or sorted({os.path.basename(page).split("-")[0] for page in pages})
    for language, setting in itertools.product(languages, SETTINGS):
        label, width, _, _, _, text = setting
        pictures = []
        for page in (page for page in pages if os.path.basename(page).startswith(language + "-")):
            name = os.path.basename(page)
            picture, found = photograph(base, session, f"http://127.0.0.1:{port}/{name}", setting)
            pictures.append(f"{folder}/pages/{label}-{name[:-5]}.png")
            with open(pictures[-1], "wb") as file:
                file.write(picture)
            for fault in found:
                print(f"{label}, {name}: {fault}")
            faults += len(found)
        # ImageMagick limits the size of a sheet. Pages with large text are tall, so they are scaled to a width of 160
        # pixels.
        columns, rows, size = (16, 1, "160x") if text != 1 else (8, 6, "") if width < 800 else (4, 6, "")
        for number, first in enumerate(range(0, len(pictures), columns * rows), start=1):
            some = pictures[first:first + columns * rows]
            sheet = f"{folder}/{language}-{label}-{number}.png"
            subprocess.run(["montage", "-font", "DejaVu-Sans", "-label", "%t", *some, "-tile", f"{columns}x", "-geometry",
                            f"{size}+8+8", "-background", "#888888", sheet], check=True)
    return faults


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def main(folder, *languages):
    handler = functools.partial(Quiet, directory=f"{folder}/pages")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True)
    try:
        line = next(line for line in driver.stdout if "successfully on port" in line)
        base = "http://127.0.0.1:" + line.rsplit(" ", 1)[1].strip(" .\n")
        arguments = ["--headless", "--hide-scrollbars", f"--user-data-dir={folder}/profile"]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")
        capabilities = {"alwaysMatch": {"goog:chromeOptions": {"args": arguments}}}
        session = call(base, "/session", {"capabilities": capabilities})["sessionId"]
        try:
            return photograph_all(base, session, folder, server.server_address[1], languages)
        finally:
            call(base, f"/session/{session}", method="DELETE")
    finally:
        driver.terminate()
        driver.wait()


if __name__ == "__main__":
    sys.exit(1 if main(*sys.argv[1:]) else 0)
