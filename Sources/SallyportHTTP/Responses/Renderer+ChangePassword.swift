import HTTPTypes
import Hummingbird

extension Renderer {
  /// The page that asks for a new password. With a failure, the response has the failure's status and says when to try again.
  func changePassword(_ page: ChangePasswordPage, policy: PagePolicy) -> Response {
    var response = self.page(self.pages.changePassword(page), status: page.failure?.status ?? .ok, policy: policy)
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
