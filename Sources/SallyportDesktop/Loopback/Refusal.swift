/// Why a request is turned away, and with which status.
package enum Refusal: Int, Equatable, Sendable, CaseIterable {
  /// Not HTTP/1, or with a body.
  case malformed = 400
  /// From a process of another user (rule C-35).
  case stranger = 403
  /// Another path, or a response that nobody waits for (rules C-16 and C-18).
  case notTheAnswer = 404
  /// Anything but GET.
  case wrongMethod = 405
  /// Another name for this address, as in a DNS rebinding attack.
  case wrongHost = 421
  case tooLarge = 431

  var phrase: String {
    switch self {
    case .malformed: "Bad Request"
    case .stranger: "Forbidden"
    case .notTheAnswer: "Not Found"
    case .wrongMethod: "Method Not Allowed"
    case .wrongHost: "Misdirected Request"
    case .tooLarge: "Request Header Fields Too Large"
    }
  }

  /// For a person who sees it in a browser.
  var text: String {
    switch self {
    case .stranger: "This sign-in belongs to another user of this computer."
    case .notTheAnswer: "This is not what the app waits for. If you were signing in, go back to the app and start again."
    case .malformed, .wrongMethod, .wrongHost, .tooLarge: "The app that waits here cannot answer this request."
    }
  }
}
