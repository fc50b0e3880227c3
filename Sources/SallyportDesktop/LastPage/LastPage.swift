import Crypto
package import Sallyport
import SallyportLook

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The page that a sign-in, or a sign-out, leaves behind in the browser: how it went, and that the person can go back to the app (C-27).
///
/// It is one self-contained document without script, links or images from elsewhere, so that nothing of its URL, which carries
/// the code, can go anywhere (RFC 8252 §8.12). It brings its icon along: a browser would ask for one at a port that is closed by
/// then, or somebody else's.
package enum LastPage {
  /// The source expression for the page's one style element in a Content-Security-Policy, quotes included.
  package static let styleHash = "'sha256-\(Data(SHA256.hash(data: Data(style.utf8))).base64EncodedString())'"

  private static let icon = "data:image/svg+xml;base64,\(Data(Look.icon).base64EncodedString())"

  package static func html(_ outcome: LastPageOutcome) -> String {
    let words = Words(outcome)
    return """
      <!DOCTYPE html>
      <html lang="en" dir="ltr">
      <head>
      <meta charset="utf-8">
      <title>\(words.heading)</title>
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <link rel="icon" href="\(Self.icon)">
      <style>\(Self.style)</style>
      </head>
      <body>
      <main>
      \(words.symbol.svg)
      <h1>\(words.heading)</h1>
      <p>\(words.what)</p>
      <p class="quiet">\(words.next)</p>
      </main>
      </body>
      </html>

      """
  }
}
