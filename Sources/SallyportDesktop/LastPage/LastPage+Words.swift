import Sallyport
import SallyportLanguages
import SallyportLook

extension LastPage {
  /// The texts of the page as HTML.
  struct Words {
    let symbol: Symbol
    let heading: String
    let message: String
    let nextStep: String

    init(_ outcome: ReceivedRedirect.Outcome?, _ texts: LastPageTexts) {
      func text(_ key: LastPageText) -> String { texts(key, encodeText: HTMLText.escape) }
      switch outcome {
      case .signedIn(let appName):
        self.symbol = .check
        self.heading = text(.signedIn)
        self.message = Self.wayBack(to: appName, texts)
        self.nextStep = text(.signedInNext)
      case .denied:
        self.symbol = .bar
        self.heading = text(.denied)
        self.message = text(.deniedMessage)
        self.nextStep = text(.returnToUnnamedApp)
      case .failed:
        self.symbol = .cross
        self.heading = text(.failed)
        self.message = text(.failedMessage)
        self.nextStep = text(.failedNext)
      case .signedOut(let appName):
        self.symbol = .check
        self.heading = text(.signedOut)
        self.message = Self.wayBack(to: appName, texts)
        self.nextStep = text(.signedOutNext)
      case nil:
        self.symbol = .dots
        self.heading = text(.received)
        self.message = text(.returnToUnnamedApp)
        self.nextStep = text(.receivedNext)
      }
    }

    private static func wayBack(to appName: String?, _ texts: LastPageTexts) -> String {
      guard let name = appName.flatMap({ DisplayText.clean($0) }) else {
        return texts(.returnToUnnamedApp, encodeText: HTMLText.escape)
      }
      return texts(.returnToApp, ["app": .text(name)], encodeText: HTMLText.escape) { "<bdi>\(HTMLText.escape($0))</bdi>" }
    }
  }

  /// The symbol that shows the outcome. It repeats the text, so it is hidden from screen readers.
  enum Symbol {
    case check, bar, cross, dots

    var svg: String {
      """
      <svg class="\(self.name)" viewBox="0 0 64 64" aria-hidden="true" focusable="false">\
      <path class="gate" d="M6 6h12v9h8V6h12v9h8V6h12v52H6z"/><path class="sign" d="\(self.path)"/></svg>
      """
    }

    private var name: String {
      switch self {
      case .check, .dots: "done"
      case .bar: "denied"
      case .cross: "failed"
      }
    }

    private var path: String {
      switch self {
      case .check: "M20 38l8 8 16-17"
      case .bar: "M20 37h24"
      case .cross: "M23 28l18 18M41 28L23 46"
      // Lines of length zero, which look like dots because the ends of lines are round.
      case .dots: "M20 37h0M32 37h0M44 37h0"
      }
    }
  }
}
