import HTTPTypes
import SallyportServer

/// The text of an error page: what happened, and what to do next.
struct ErrorText: Sendable {
  var status: HTTPResponse.Status
  var title: String
  var explanation: String
  var advice: String

  static let badRequest = ErrorText(
    status: .badRequest, title: "Invalid request", explanation: "The request is incomplete or was changed.",
    advice: "Go back to the app and start again.")

  static let internalError = ErrorText(
    status: .internalServerError, title: "Something went wrong", explanation: "The server could not complete your request.",
    advice: "Try again in a moment.")

  init(status: HTTPResponse.Status, title: String, explanation: String, advice: String) {
    self.status = status
    self.title = title
    self.explanation = explanation
    self.advice = advice
  }

  init(_ status: HTTPResponse.Status) {
    switch status {
    case .notFound:
      self.init(
        status: status, title: "Page not found", explanation: "This server has no page at this address.",
        advice: "Go back to the app and start again.")
    case .contentTooLarge, .badRequest, .methodNotAllowed: self = .badRequest
    default: self = .internalError
    }
    self.status = status
  }

  init(_ reason: AuthorizeError.PageReason) {
    switch reason {
    case .clientMissing, .clientUnknown:
      self.init(
        status: .badRequest, title: "Unknown app", explanation: "The app that sent you here is not registered with this server.",
        advice: "Close this page and contact the app's developer.")
    case .redirectURIMissing, .redirectURIInvalid, .redirectURINotRegistered:
      self.init(
        status: .badRequest, title: "Invalid redirect address",
        explanation:
          "The app asked this server to send you to an address that is not registered for it, so you were not redirected.",
        advice: "Close this page and contact the app's developer.")
    case .pushedRequestInvalid:
      self.init(
        status: .badRequest, title: "This sign-in has expired", explanation: "The app's request has expired or was already used.",
        advice: "Go back to the app and start again.")
    case .unverifiedRedirect, .requestObjectInvalid:
      self.init(
        status: .badRequest, title: "Unsupported request",
        explanation: "The app asked for something that this server does not support.",
        advice: "Close this page and go back to the app.")
    case .interactionExpired:
      self.init(
        status: .badRequest, title: "This sign-in has expired",
        explanation: "Too much time has passed since the app sent you here.",
        advice: "Go back to the app and start again.")
    case .interactionDone:
      self.init(
        status: .badRequest, title: "This sign-in is already complete",
        explanation: "You have already responded to this request.",
        advice: "Go back to the app, or start again there.")
    case .keys, .storage:
      self = .internalError
      self.status = .serviceUnavailable
    case .malformedRequest, .repeatedParameter, .interactionInvalid: self = .badRequest
    }
  }

  init(_ error: LogoutError) {
    switch error {
    case .clientUnknown, .clientMissing, .hintInvalid:
      self.init(
        status: .badRequest, title: "You were not signed out",
        explanation: "The app that sent you here is unknown, or its request is invalid.",
        advice: "To sign out anyway, open this server's home page.")
    case .redirectURINotRegistered:
      self.init(
        status: .badRequest, title: "You were not signed out",
        explanation: "The app asked this server to send you to an address that is not registered for it.",
        advice: "To sign out anyway, open this server's home page.")
    case .expired:
      self.init(
        status: .badRequest, title: "You were not signed out",
        explanation: "Too much time has passed since the app sent you here.",
        advice: "To sign out anyway, open this server's home page.")
    case .malformed: self = .badRequest
    case .keys, .storage:
      self = .internalError
      self.status = .serviceUnavailable
    }
  }
}
