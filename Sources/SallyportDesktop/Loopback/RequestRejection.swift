/// Why the loopback receiver rejects a request. The raw value is the HTTP status.
package enum RequestRejection: Int, Equatable, Sendable, CaseIterable {
  /// The request is not valid HTTP/1, or has a body.
  case malformed = 400
  /// The request comes from a process of another user (rule C-35).
  case otherUser = 403
  /// The request is not for the redirect URI (rule C-18): the path differs, there is no query, or the query doesn't
  /// begin with the redirect URI's query. Or the request is for the redirect URI, but no sign-in waits for this
  /// response (rule C-16).
  case notFound = 404
  /// The method is not GET.
  case wrongMethod = 405
  /// The Host field is missing, or names another host or port, as in a DNS rebinding attack.
  case wrongHost = 421
  case tooLarge = 431

  var phrase: String {
    switch self {
    case .malformed: "Bad Request"
    case .otherUser: "Forbidden"
    case .notFound: "Not Found"
    case .wrongMethod: "Method Not Allowed"
    case .wrongHost: "Misdirected Request"
    case .tooLarge: "Request Header Fields Too Large"
    }
  }

  /// The text that a user sees in a browser.
  var text: String {
    switch self {
    case .otherUser: "This sign-in belongs to another user of this computer."
    case .notFound:
      "This is not the response that the app is waiting for. If you were signing in, go back to the app and start again."
    case .malformed, .wrongMethod, .wrongHost, .tooLarge: "The app cannot process this request."
    }
  }
}
