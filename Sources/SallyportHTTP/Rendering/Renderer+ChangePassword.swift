import HTTPTypes
import Hummingbird
import SallyportProtocol

extension Renderer {
  /// The page that asks for a new password, and with a failure its status and when to try again.
  /// - Parameter formAction: where the form leads on to in the end, as on the sign-in page.
  func changePassword(_ page: ChangePasswordPage, formAction: RedirectURI? = nil) -> Response {
    var response = self.page(self.pages.changePassword(page), status: page.failure?.status ?? .ok, formAction: formAction)
    if let seconds = page.failure?.retryAfter { response.headers[.retryAfter] = "\(seconds)" }
    return response
  }
}

extension ChangePasswordPage.Failure {
  fileprivate var status: HTTPResponse.Status {
    switch self {
    case .different, .notAccepted: .badRequest
    case .slowed: .tooManyRequests
    case .busy: .serviceUnavailable
    }
  }
}
