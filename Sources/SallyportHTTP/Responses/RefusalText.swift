import HTTPTypes
import SallyportServer

/// What a person reads when a request ends on our page: what happened, and one next step.
struct RefusalText: Sendable {
  var status: HTTPResponse.Status
  var title: String
  var what: String
  var next: String

  static let badRequest = RefusalText(
    status: .badRequest, title: "This request is not right", what: "The address is incomplete or was changed on its way.",
    next: "Go back to the app and start again.")

  static let internalError = RefusalText(
    status: .internalServerError, title: "Something went wrong", what: "The server could not finish this.",
    next: "Try again in a moment.")

  init(status: HTTPResponse.Status, title: String, what: String, next: String) {
    self.status = status
    self.title = title
    self.what = what
    self.next = next
  }

  init(_ status: HTTPResponse.Status) {
    switch status {
    case .notFound:
      self.init(
        status: status, title: "There is nothing here", what: "No page has this address.",
        next: "Go back to the app and start again.")
    case .contentTooLarge, .badRequest, .methodNotAllowed: self = .badRequest
    default: self = .internalError
    }
    self.status = status
  }

  init(_ reason: AuthorizeError.PageReason) {
    switch reason {
    case .clientMissing, .clientUnknown:
      self.init(
        status: .badRequest, title: "This app is not known here",
        what: "The app that sent you is not registered with this server.", next: "Tell the app's maker, or check its settings.")
    case .redirectURIMissing, .redirectURIInvalid, .redirectURINotRegistered:
      self.init(
        status: .badRequest, title: "This app asks for a wrong return address",
        what: "The address to which the app wants you back is not one that is registered for it, so you were not sent there.",
        next: "Close this page and tell the app's maker.")
    case .pushedRequestInvalid:
      self.init(
        status: .badRequest, title: "This sign-in has expired",
        what: "The app's request is no longer kept here, or was answered already.", next: "Go back to the app and start again.")
    case .unvouchedRedirect, .requestObjectInvalid, .keyMismatch:
      self.init(
        status: .badRequest, title: "This app's request is not right",
        what: "The app asked for something that this server does not offer.", next: "Close this page and go back to the app.")
    case .interactionExpired:
      self.init(
        status: .badRequest, title: "This sign-in has expired", what: "Too much time has passed since the app sent you here.",
        next: "Go back to the app and start again.")
    case .interactionDone:
      self.init(
        status: .badRequest, title: "This sign-in is finished", what: "You have already answered this request.",
        next: "Go back to the app, or start again there.")
    case .storage:
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
        what: "The app that sent you here is not known, or its request is not right.",
        next: "To sign out all the same, open this server's front page.")
    case .redirectURINotRegistered:
      self.init(
        status: .badRequest, title: "This app asks for a wrong return address",
        what: "The address to which the app wants you after signing out is not one that is registered for it.",
        next: "To sign out all the same, open this server's front page.")
    case .expired: self = RefusalText(.interactionExpired)
    case .malformed: self = .badRequest
    case .storage:
      self = .internalError
      self.status = .serviceUnavailable
    }
  }
}
