"""A browser with a user: opens the URL that `sallyport login` passes to it, signs in, consents, and follows the redirect back."""

import sys
import urllib.parse
import urllib.request

from browser import Browser

url = urllib.parse.urlsplit(sys.argv[1])
browser = Browser(port=url.port)
location = browser.sign_in(f"{url.path}?{url.query}")
urllib.request.urlopen(location, timeout=10).read()
