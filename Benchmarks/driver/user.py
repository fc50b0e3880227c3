"""Stands in for the browser and its user: `sallyport login` runs this program with the URL of the authorization request.

The program signs in, consents, and follows the redirect to the loopback receiver of `sallyport login`.
"""

import sys
import urllib.parse
import urllib.request

from browser import Browser

url = urllib.parse.urlsplit(sys.argv[1])
browser = Browser(port=url.port)
location = browser.sign_in(f"{url.path}?{url.query}")
urllib.request.urlopen(location, timeout=10).read()
