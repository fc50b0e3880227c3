import Sallyport
import SallyportProtocol
import SallyportRemote

extension CommandFailure {
  /// The server is overloaded or under maintenance.
  /// - Parameter status: The status of the server's response.
  init(unavailable status: Int) {
    self.init(.tryAgain, "The server is temporarily unavailable (status \(status)).", Self.tryAgainLater)
  }

  /// - Parameter party: The server or the API, as the subject of a sentence.
  init(unreachable party: String, _ error: TransportError) {
    let text =
      switch error {
      case .unreachable(let reason): "\(party) cannot be reached: \(reason)."
      case .untrusted(let reason): "\(party) cannot be reached: its certificate is not trusted (\(reason))."
      case .timedOut: "\(party) cannot be reached: it did not respond in time."
      case .bodyTooLarge: "\(party) sent a response that is too large."
      case .cancelled: "\(party) was not reached: the request was canceled."
      }
    let advice: String? =
      switch error {
      case .untrusted(TransportError.otherHostReason):
        "Check the URL, and whether a proxy or another server responds at this address."
      case .untrusted: "If you trust its certificate authority, set SSL_CERT_FILE to a file with the authority's certificate."
      case .bodyTooLarge: "Check the URL."
      default: "Check the URL and the network, and try again."
      }
    let status: ExitStatus =
      switch error {
      // The same command fails again until the user or the operator changes something.
      case .untrusted, .bodyTooLarge: .failed
      default: .tryAgain
      }
    self.init(status, text, advice)
  }

  /// An error response of the server.
  /// - Parameters:
  ///   - errorResponse: The response.
  ///   - account: The account of the request, or `nil` if it is unknown.
  init(_ errorResponse: OAuthErrorResponse, _ account: Account? = nil) {
    let text = "The server returned an error: \(errorResponse.code)" + (errorResponse.description.map { " (\($0))" } ?? "") + "."
    switch errorResponse.code.kind {
    case .temporary: self.init(.tryAgain, text, Self.tryAgainLater, serverError: errorResponse.code)
    case .denied: self.init(.denied, text, serverError: errorResponse.code)
    case .needsUser:
      self.init(.signInNeeded, text, Self.signIn(account), serverError: errorResponse.code)
    case .clientRejected:
      self.init(.failed, text, Self.adviceAboutClient(hasSecret: account?.hasSecret), serverError: errorResponse.code)
    // Google reports a missing client secret as `invalid_request`.
    case _ where errorResponse.code == .invalidRequest && errorResponse.description?.contains("client_secret") == true:
      self.init(.failed, text, Self.adviceAboutClient(hasSecret: account?.hasSecret), serverError: errorResponse.code)
    case _ where Self.rejectsRedirectURI(errorResponse):
      let advice = account.flatMap(Self.adviceAboutRedirectURI) ?? errorResponse.explanation.advice
      self.init(.failed, text, advice, serverError: errorResponse.code)
    default: self.init(.failed, text, errorResponse.explanation.advice, serverError: errorResponse.code)
    }
  }

  /// Whether the server does not accept the redirect URI. Most servers use `invalid_request` for this and for other
  /// errors, so the description, which is free text, decides.
  private static func rejectsRedirectURI(_ errorResponse: OAuthErrorResponse) -> Bool {
    switch errorResponse.code {
    case .invalidRedirectURI, .other("redirect_uri_mismatch"): return true
    case .invalidRequest:
      let description = errorResponse.description?.lowercased() ?? ""
      return description.contains("redirect_uri") || description.contains("redirect uri")
    default: return false
    }
  }

  /// - Parameter hasSecret: Whether the account has a client secret, or `nil` if this is unknown.
  private static func adviceAboutClient(hasSecret: Bool?) -> String {
    switch hasSecret {
    case true?:
      "Compare the client identifier and the client secret with the server's registration. To change the secret, sign in with "
        + "--client-secret-file."
    case false?:
      "No client secret was sent. If the server requires one, sign in with --client-secret-file. Otherwise, compare the client "
        + "identifier and the client type with the server's registration."
    case nil:
      "Compare the client identifier and the client type with the server's registration. If the server requires a client secret, "
        + "sign in with --client-secret-file."
    }
  }

  /// The server's metadata is invalid or could not be read.
  init(_ error: DiscoveryError) {
    switch error {
    case .document(let error): self.init(error)
    case .issuerMismatch(let found):
      self.init(
        .failed,
        "The server's metadata names the issuer \"\(found)\", not the one that you specified. Issuers must match exactly, "
          + "including a trailing slash (RFC 8414 §3.3).",
        "If this is the server that you mean, use `\(ShellWords().adding("--issuer", found))`.")
    default: self.init(.failed, "The server's metadata is invalid", error.explanation)
    }
  }

  /// The server's metadata cannot be read. Temporary problems can be retried; otherwise the issuer is probably wrong.
  private init(_ error: JSONDocumentError) {
    switch error {
    case .transport(.cancelled): self.init(.denied, "Canceled.")
    case .transport(let error): self.init(unreachable: "The server", error)
    case .status(let status) where status >= 500 || status == 429: self.init(unavailable: status)
    default:
      self.init(
        .failed, "No authorization server metadata was found at this issuer: \(error.explanation.finding).", "Check its URL.")
    }
  }
}
