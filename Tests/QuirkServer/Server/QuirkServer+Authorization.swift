import HTTPTypes
import SallyportProtocol
import SallyportRemote
import Synchronization
import TestSupport

extension QuirkServer {
  /// Redirects to the app with a code, as if the user had signed in and allowed the request, or with an error. If the
  /// client or the redirect URI is wrong, the user sees an error page instead.
  func authorize(_ request: FormParameters) -> TransportResponse {
    let client = self.provider.client
    self.state.withLock { $0.authorizations.append(request) }
    guard request["client_id"] == client.id else { return self.errorPage("unknown client") }
    guard let redirectURI = request["redirect_uri"], client.accepts(redirectURI: redirectURI) else {
      return self.errorPage("redirect_uri_mismatch: \(request["redirect_uri"] ?? "")")
    }
    if let error = self.error(in: request) {
      return self.redirect(to: redirectURI, request, [("error", error.code), ("error_description", error.description)])
    }
    let code = self.unique("code")
    self.state.withLock { $0.codes[code] = request }
    return self.redirect(to: redirectURI, request, [("code", code)])
  }

  /// Returns the error of an authorization request with a valid client and redirect URI; `nil` if the request succeeds.
  private func error(in request: FormParameters) -> (code: String, description: String)? {
    guard request["response_type"] == "code" else { return ("unsupported_response_type", "response_type must be code") }
    guard request["state"] != nil else { return ("invalid_request", "state is missing") }
    if request["code_challenge"] == nil, self.provider.pkce == .required {
      return ("invalid_request", "code_challenge is missing")
    }
    if request["code_challenge"] != nil, request["code_challenge_method"] != "S256" {
      return ("invalid_request", "code_challenge_method must be S256")
    }
    for (name, value) in self.provider.requiredParameters where request[name] != value {
      return ("invalid_request", "\(name) must be \(value)")
    }
    for scope in self.provider.rejectedScopes where request.hasScope(scope[...]) {
      return ("invalid_scope", "Some requested scopes were invalid: \(scope)")
    }
    if self.simulatedFailure == .userDenies { return ("access_denied", "The user denied the request") }
    if let problem = self.provider.checkAuthorization(request) { return ("invalid_request", problem) }
    return nil
  }

  private func redirect(
    to redirectURI: String, _ request: FormParameters, _ parameters: [(name: String, value: String)]
  ) -> TransportResponse {
    let all = parameters + [("state", request["state"] ?? "")]
    return .redirect(to: "\(redirectURI)?\(FormParameters.encode(all))")
  }

  private func errorPage(_ text: String) -> TransportResponse {
    .body(Array("<html>\(text)</html>".utf8), type: "text/html", status: .badRequest)
  }
}
