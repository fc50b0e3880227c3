import HTTPTypes
import Hummingbird
import Logging
import SallyportHTTPServer
import SallyportLanguages
import SallyportObservability
import SallyportProtocol
import SallyportServer

/// Turns pages, authorization responses, and errors into HTTP responses.
struct Renderer: Sendable {
  private(set) var pages: Pages
  let issuer: Issuer
  let metrics: ServerMetrics
  let languages: RequestLanguage
  /// Finds the account of the signed-in user, whose language setting applies to error pages.
  let account: @Sendable (Request) async throws -> AccountRecord?

  /// Returns a renderer in the language of a request (``RequestLanguage``). The copy shares the compiled templates.
  /// - Parameters:
  ///   - uiLocales: The `ui_locales` of the interaction to which the request belongs; nil to read them from the URL of
  ///     the request.
  ///   - account: The account whose language setting applies; nil for none.
  func localized(for request: Request, uiLocales: String? = nil, account: AccountRecord? = nil) -> Renderer {
    let language = self.languages.language(of: request, uiLocales: uiLocales, setting: account?.chosenLanguage)
    guard language != self.pages.language else { return self }
    var copy = self
    copy.pages = self.pages.localized(in: language)
    return copy
  }

  /// Returns a page with the headers of its policy.
  /// - Parameters:
  ///   - script: The hash of the page's own script; nil if it has none. Pages with forms also have ``SubmitScript``.
  ///   - retryAfter: The number of seconds after which the user may try again; nil for no `Retry-After` header (RFC
  ///     6585 §4, RFC 9110 §10.2.3).
  func page(
    _ html: String, status: HTTPResponse.Status = .ok, policy: PagePolicy = .standalone, script: String? = nil,
    retryAfter: Int? = nil
  ) -> Response {
    let scripts = [policy == .final ? nil : SubmitScript.hash, script].compactMap(\.self)
    let contentSecurityPolicy =
      policy.contentSecurityPolicy + (scripts.isEmpty ? "" : "; script-src \(scripts.joined(separator: " "))")
    var headers: HTTPFields = [
      .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
      .contentSecurityPolicy: contentSecurityPolicy, .crossOriginResourcePolicy: "same-origin",
      .contentLanguage: self.pages.language.tag, .vary: "Accept-Language",
      .permissionsPolicy: "camera=(), geolocation=(), microphone=(), payment=()",
    ]
    headers[.crossOriginOpenerPolicy] = policy.openerPolicy
    headers[.retryAfter] = retryAfter.map(String.init)
    return Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(string: html)))
  }

  /// Returns the sign-in page. With a failure, the response has the failure's status and, if the user must wait, says
  /// when to try again.
  func signIn(_ page: SignInPage, policy: PagePolicy) -> Response {
    var page = page
    page.webView = WebViewWarning.current
    // The form for an upstream leads to another origin, which the policy `.standalone` does not allow.
    return self.page(
      self.pages.signIn(page), status: page.failure?.status ?? .ok,
      policy: policy == .standalone && !page.upstreams.isEmpty ? .leaving : policy,
      script: page.passkey == nil ? nil : PasskeyPrompt.scriptHash, retryAfter: page.failure?.retryAfter)
  }

  /// Returns the page that asks for a new password. With a failure, the response has the failure's status and, if the
  /// user must wait, says when to try again.
  func changePassword(_ page: ChangePasswordPage, policy: PagePolicy) -> Response {
    self.page(
      self.pages.changePassword(page), status: page.failure?.status ?? .ok, policy: policy,
      retryAfter: page.failure?.retryAfter)
  }

  /// Returns the page that asks for a code. With a failure, the response has the failure's status and, if the user must
  /// wait, says when to try again.
  func secondFactor(_ page: SecondFactorPage, policy: PagePolicy) -> Response {
    self.page(
      self.pages.secondFactor(page), status: page.failure?.status ?? .ok, policy: policy,
      retryAfter: page.failure?.retryAfter)
  }

  /// Sends an authorization response to the app, by a redirect or by a form that the browser posts.
  func authorizationResponse(_ response: AuthorizationResponse, to request: Request, uiLocales: String? = nil) -> Response {
    switch response.redirect.mode {
    case .query: return .redirect(seeOther: response.location.reveal())
    case .formPost:
      let redirect = response.redirect
      let render = self.localized(for: request, uiLocales: uiLocales)
      let html = render.pages.formPost(to: redirect.redirectURI.value, appName: redirect.client.name, response.parameters)
      return render.page(html, policy: .interaction, script: Pages.formPostScriptHash)
    }
  }

  /// Returns the response to a failed request: an error response to the app for some errors of an authorization
  /// request, and otherwise an error page.
  func errorResponse(_ error: any Error, _ request: Request, _ context: ServerRequestContext) async -> Response {
    switch error {
    case AuthorizeError.redirect(let redirect, let code, let reason):
      context.logger.notice(
        "authorization request rejected",
        metadata: ["client": "\(redirect.client.id.rawValue)", "error": "\(code)", "reason": "\(reason.rawValue)"])
      self.metrics.rejected(.authorization, code)
      return self.authorizationResponse(redirect.response(error: code, reason: reason, issuer: self.issuer), to: request)
    case AuthorizeError.page(let reason):
      context.logger.notice("authorization request rejected", metadata: ["reason": "\(reason.label)"])
      self.metrics.rejected(.authorization, reason.code)
      return await self.errorPage(ErrorText(reason), request, context)
    case is FormError:
      return await self.errorPage(.badRequest, request, context)
    case let error as HTTPError:
      return await self.errorPage(ErrorText(error.status), request, context)
    default:
      context.logger.error("request failed", metadata: ["error": "\(error)"])
      var text = ErrorText.internalError
      if Self.isTemporary(error) { text.status = .serviceUnavailable }
      return await self.errorPage(text, request, context)
    }
  }

  /// Whether the store is unavailable, so that the request may succeed when it is repeated.
  private static func isTemporary(_ error: any Error) -> Bool {
    switch error {
    case KeyRingError.storage(let error): self.isTemporary(error)
    case StoreError.unavailable, StoreError.outcomeUnknown, StoreError.unusable: true
    default: false
    }
  }

  /// Returns an error page in the language of the request.
  func errorPage(_ text: ErrorText, _ request: Request, _ context: ServerRequestContext) async -> Response {
    // While the store is unavailable, the user should not wait for it a second time.
    let account = text.status == .serviceUnavailable ? nil : try? await self.account(request)
    let render = self.localized(for: request, account: account)
    let texts = render.pages.texts
    let values = ["server": Message.Argument.text(render.pages.name), "issuer": .text(self.issuer.value)]
    let page = ErrorPage(
      title: texts[text.title], explanation: texts(text.explanation, values), advice: texts(text.advice, values),
      requestID: context.id, status: Int(text.status.code))
    return render.page(render.pages.error(page), status: text.status, policy: .final)
  }
}

extension SignInFailure {
  /// The status of the sign-in page after a failure. If the sign-in itself succeeded, and only a stronger one is
  /// needed, the status is 200. Otherwise, it is an error status, so that browsers do not treat the page as a success.
  /// The status is never 401, which requires a challenge (RFC 9110 §15.5.2).
  fileprivate var status: HTTPResponse.Status {
    switch self {
    case .wrongCredentials, .wrongPasskey, .otherUser: .forbidden
    case .throttled: .tooManyRequests
    case .busy: .serviceUnavailable
    case .expired: .badRequest
    case .passkeyRequired, .attestedPasskeyRequired, .secondFactorRequired, .cookiesNeeded: .ok
    case .passkeyForNewPassword: .forbidden
    case .upstream(.unavailable, _): .serviceUnavailable
    case .upstream(.throttled, _): .tooManyRequests
    case .upstream: .forbidden
    }
  }
}

extension SecondFactorPage.Failure {
  fileprivate var status: HTTPResponse.Status {
    switch self {
    case .wrongCode: .forbidden
    case .throttled: .tooManyRequests
    }
  }
}

extension ChangePasswordPage.Failure {
  fileprivate var status: HTTPResponse.Status {
    switch self {
    case .entriesDiffer, .notAccepted: .badRequest
    case .throttled: .tooManyRequests
    case .busy: .serviceUnavailable
    }
  }
}
