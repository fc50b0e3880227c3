import Hummingbird
import Logging
import SallyportHTTPServer
import SallyportObservability
import SallyportProtocol
import SallyportServer

extension SignInForms {
  enum UpstreamStart: Sendable {
    /// The redirect to the provider.
    case response(Response)
    case failed(SignInFailure)
  }

  /// Redirects the browser to the provider that the user chose. Check the form's origin and CSRF token
  /// before you call this.
  /// - Parameter id: The identifier of the upstream in the form.
  func beginUpstreamSignIn(
    _ id: String, for purpose: UpstreamPurpose, _ hints: UpstreamHints, _ request: Request, _ context: ServerRequestContext
  ) async throws -> UpstreamStart {
    guard let signIn = self.server.upstreamSignIn else { return .failed(.expired) }
    let beginning = try await signIn.begin(
      id, for: purpose, hints, browserCookie: self.cookies.upstream.value(in: request), from: context.address)
    switch beginning {
    // The upstream was disabled or removed after the page was shown.
    case .unknown: return .failed(.expired)
    case .failed(let failure, let name):
      self.note(failure, of: id, context)
      return .failed(.upstream(failure, name: name))
    case .redirect(let url, let browserCookie):
      self.metrics.upstreamSignIn(id, "started")
      var response = Response.redirect(seeOther: url)
      self.cookies.upstream.set(browserCookie, on: &response)
      return .response(response)
    }
  }

  /// Logs and counts a failed sign-in through an upstream.
  /// - Parameter tokenError: What the upstream's token endpoint returned; nil if something else failed.
  func note(
    _ failure: UpstreamFailure, of id: String, tokenError: UpstreamTokenError? = nil, _ context: ServerRequestContext
  ) {
    var metadata: Logger.Metadata = ["upstream": "\(id)", "reason": "\(failure.rawValue)"]
    if let code = tokenError?.code { metadata["error"] = "\(code)" }
    if let status = tokenError?.status { metadata["status"] = "\(status)" }
    context.logger.notice("upstream sign-in failed", metadata: metadata)
    self.metrics.upstreamSignIn(id, failure.rawValue)
  }
}
