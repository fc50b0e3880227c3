import Sallyport
import SallyportLook

extension LastPage {
  /// What the page says; all of it is markup, with outside text escaped.
  struct Words {
    let symbol: Symbol
    let heading: String
    let what: String
    let next: String

    init(_ outcome: LastPageOutcome) {
      switch outcome {
      case .signedIn(let appName):
        self.symbol = .check
        self.heading = "You are signed in"
        self.what = "You can close this tab and go back to \(Self.app(appName))."
        self.next = "Everything else happens there."
      case .denied:
        self.symbol = .bar
        self.heading = "Nothing was allowed"
        self.what = "The sign-in was cancelled, so the app has no access to your account."
        self.next = "You can close this tab and go back to the app."
      case .failed:
        self.symbol = .cross
        self.heading = "The sign-in did not work"
        self.what = "The app could not finish it. Go back to the app, which says why, and try again from there."
        self.next = "You can close this tab."
      case .signedOut(let appName):
        self.symbol = .check
        self.heading = "You are signed out"
        self.what = "You can close this tab and go back to \(Self.app(appName))."
        self.next = "To use the app again, sign in from there."
      }
    }

    private static func app(_ name: String?) -> String {
      name.flatMap { DisplayText.clean($0) }.map { "<bdi>\(HTMLText.escape($0))</bdi>" } ?? "the app"
    }
  }

  /// The sign in the gate: how it went, told without words. The words say the same, so it is hidden from screen readers.
  enum Symbol {
    case check, bar, cross

    var svg: String {
      """
      <svg class="\(self.name)" viewBox="0 0 64 64" aria-hidden="true" focusable="false">\
      <path class="gate" d="M6 6h12v9h8V6h12v9h8V6h12v52H6z"/><path class="sign" d="\(self.path)"/></svg>
      """
    }

    private var name: String {
      switch self {
      case .check: "done"
      case .bar: "denied"
      case .cross: "failed"
      }
    }

    private var path: String {
      switch self {
      case .check: "M20 38l8 8 16-17"
      case .bar: "M20 37h24"
      case .cross: "M23 28l18 18M41 28L23 46"
      }
    }
  }
}
