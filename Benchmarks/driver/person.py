"""A browser with a person: opens the URL that `sallyport login` gives it, signs in, agrees, and brings the answer back."""

import sys
import urllib.parse
import urllib.request

from browser import Browser

url = urllib.parse.urlsplit(sys.argv[1])
browser = Browser(port=url.port)
location = browser.sign_in(f"{url.path}?{url.query}")
urllib.request.urlopen(location, timeout=10).read()
