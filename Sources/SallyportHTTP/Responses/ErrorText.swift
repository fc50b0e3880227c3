import HTTPTypes
import SallyportServer

/// The text of an error page: what happened, and what to do next.
struct ErrorText: Sendable {
  var status: HTTPResponse.Status
  var title: PageText
  var explanation: PageText
  var advice: PageText

  static let badRequest = ErrorText(
    status: .badRequest, title: .errorInvalidRequest, explanation: .errorInvalidRequestExplanation,
    advice: .errorGoBack)

  static let internalError = ErrorText(
    status: .internalServerError, title: .errorTitle, explanation: .errorExplanation,
    advice: .errorTryAgain)

  init(status: HTTPResponse.Status, title: PageText, explanation: PageText, advice: PageText) {
    self.status = status
    self.title = title
    self.explanation = explanation
    self.advice = advice
  }

  init(_ status: HTTPResponse.Status) {
    switch status {
    case .notFound:
      self.init(
        status: status, title: .errorNotFound, explanation: .errorNotFoundExplanation,
        advice: .errorGoBack)
    case .badRequest: self = .badRequest
    case .methodNotAllowed:
      self.init(status: status, title: .errorInvalidRequest, explanation: .errorMethodExplanation, advice: .errorGoBack)
    case .contentTooLarge:
      self.init(status: status, title: .errorInvalidRequest, explanation: .errorTooLargeExplanation, advice: .errorGoBack)
    default: self = .internalError
    }
    self.status = status
  }

  init(_ reason: AuthorizeError.PageReason) {
    switch reason {
    case .clientMissing, .clientUnknown:
      self.init(
        status: .badRequest, title: .errorUnknownApp, explanation: .errorUnknownAppExplanation,
        advice: .errorContactDeveloper)
    case .redirectURIMissing, .redirectURIInvalid, .redirectURINotRegistered:
      self.init(
        status: .badRequest, title: .errorRedirect,
        explanation: .errorRedirectExplanation,
        advice: .errorContactDeveloper)
    case .pushedRequestInvalid:
      self.init(
        status: .badRequest, title: .errorExpired, explanation: .errorPushedExplanation,
        advice: .errorGoBack)
    case .unverifiedRedirect, .requestObjectInvalid:
      self.init(
        status: .badRequest, title: .errorUnsupported,
        explanation: .errorUnsupportedExplanation,
        advice: .errorUnsupportedAdvice)
    case .interactionExpired:
      self.init(
        status: .badRequest, title: .errorExpired,
        explanation: .errorExpiredExplanation,
        advice: .errorGoBack)
    case .interactionDone:
      self.init(
        status: .badRequest, title: .errorDone,
        explanation: .errorDoneExplanation,
        advice: .errorDoneAdvice)
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
        status: .badRequest, title: .errorSignOut,
        explanation: .errorSignOutExplanation,
        advice: .errorSignOutAdvice)
    case .redirectURINotRegistered:
      self.init(
        status: .badRequest, title: .errorSignOut,
        explanation: .errorSignOutRedirectExplanation,
        advice: .errorSignOutAdvice)
    case .expired:
      self.init(
        status: .badRequest, title: .errorSignOut,
        explanation: .errorExpiredExplanation,
        advice: .errorSignOutAdvice)
    case .malformed: self = .badRequest
    case .keys, .storage:
      self = .internalError
      self.status = .serviceUnavailable
    }
  }
}
