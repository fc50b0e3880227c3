import Sallyport
import SallyportLook

extension LastPage {
  /// The texts of the page as HTML. App names are escaped.
  struct Words {
    let symbol: Symbol
    let heading: String
    let message: String
    let nextStep: String

    init(_ outcome: LastPageOutcome) {
      switch outcome {
      case .signedIn(let appName):
        self.symbol = .check
        self.heading = "You are signed in"
        self.message = "You can close this tab and go back to \(Self.app(appName))."
        self.nextStep = "Continue in the app."
      case .denied:
        self.symbol = .bar
        self.heading = "Sign-in canceled"
        self.message = "The app has no access to your account."
        self.nextStep = "You can close this tab and go back to the app."
      case .failed:
        self.symbol = .cross
        self.heading = "Sign-in failed"
        self.message = "The app could not finish the sign-in. Go back to the app for details, and try again from there."
        self.nextStep = "You can close this tab."
      case .signedOut(let appName):
        self.symbol = .check
        self.heading = "You are signed out"
        self.message = "You can close this tab and go back to \(Self.app(appName))."
        self.nextStep = "To use the app again, sign in from there."
      }
    }

    private static func app(_ name: String?) -> String {
      name.flatMap { DisplayText.clean($0) }.map { "<bdi>\(HTMLText.escape($0))</bdi>" } ?? "the app"
    }
  }

  /// The symbol that shows the outcome. It repeats the text, so it is hidden from screen readers.
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
