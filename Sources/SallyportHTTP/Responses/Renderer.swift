import HTTPTypes
import Hummingbird
import Logging
import SallyportHTTPServer
import SallyportObservability
import SallyportProtocol
import SallyportServer

/// Turns pages and refusals into answers.
struct Renderer: Sendable {
  let pages: Pages
  let issuer: Issuer
  let metrics: ServerMetrics

  /// A page with the headers that fit it.
  func page(_ html: String, status: HTTPResponse.Status = .ok, policy: PagePolicy = .standalone) -> Response {
    var headers: HTTPFields = [
      .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
      .contentSecurityPolicy: policy.contentSecurityPolicy, .crossOriginResourcePolicy: "same-origin",
      .permissionsPolicy: "camera=(), geolocation=(), microphone=(), payment=()",
    ]
    headers[.crossOriginOpenerPolicy] = policy.openerPolicy
    return Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(string: html)))
  }

  /// The sign-in page, and with a failure its status and when to try again (RFC 6585 §4, RFC 9110 §10.2.3).
  func signIn(_ page: SignInPage, policy: PagePolicy) -> Response {
    var response = self.page(self.pages.signIn(page), status: page.failure?.status ?? .ok, policy: policy)
    if let seconds = page.failure?.retryAfter { response.headers[.retryAfter] = "\(seconds)" }
    return response
  }

  /// Sends an answer to its app: by a redirect, or by a form that the browser posts.
  func answer(_ answer: AuthorizationAnswer) -> Response {
    switch answer.redirect.mode {
    case .query: return .redirect(seeOther: answer.location.reveal())
    case .formPost:
      let redirect = answer.redirect
      let html = self.pages.formPost(to: redirect.redirectURI.value, appName: redirect.client.name, answer.parameters)
      var response = self.page(html, policy: .interaction)
      response.headers[.contentSecurityPolicy]?.append("; script-src \(Pages.formPostScript)")
      return response
    }
  }

  /// The answer to whatever went wrong on the way of an authorization request.
  func refusal(_ error: any Error, _ context: ServerRequestContext) -> Response {
    switch error {
    case AuthorizeError.redirect(let redirect, let code, let reason):
      context.logger.notice(
        "authorization refused",
        metadata: ["client": "\(redirect.client.id.rawValue)", "error": "\(code)", "reason": "\(reason.rawValue)"])
      self.metrics.refused(.authorization, code)
      return self.answer(redirect.answer(error: code, reason: reason, issuer: self.issuer))
    case AuthorizeError.page(let reason):
      context.logger.notice("authorization refused", metadata: ["reason": "\(reason.label)"])
      self.metrics.refused(.authorization, reason.code)
      return self.errorPage(RefusalText(reason), context)
    case is FormError:
      return self.errorPage(.badRequest, context)
    case let error as HTTPError:
      return self.errorPage(RefusalText(error.status), context)
    default:
      context.logger.error("request failed", metadata: ["error": "\(error)"])
      return self.errorPage(.internalError, context)
    }
  }

  func errorPage(_ text: RefusalText, _ context: ServerRequestContext) -> Response {
    let page = ErrorPage(
      title: text.title, what: text.what, next: text.next, requestID: context.id, status: Int(text.status.code))
    return self.page(self.pages.error(page), status: text.status, policy: .final)
  }
}
