public import SallyportProtocol
public import SallyportRemote

extension UserAgentError {
  /// What happened and what to do.
  public var explanation: ErrorExplanation {
    switch self {
    case .noBrowser(let tried):
      ErrorExplanation(
        "no browser was found (tried \(tried.joined(separator: ", ")))",
        "Offer a way to sign in without a browser on this machine.")
    case .failed(let program, let reason):
      ErrorExplanation(
        "the program \"\(program)\" did not open the page (\(reason))", "Offer another browser, or a way to sign in without one.")
    }
  }
}

extension RedirectReceiverError {
  /// What happened, which rule was violated, and what to do.
  public var explanation: ErrorExplanation {
    switch self {
    case .cannotBind(let reason):
      ErrorExplanation(
        "the redirect cannot be received (\(reason))", rule: "RFC 8252 §7", "Offer another redirect option.")
    case .dismissed: ErrorExplanation("the user closed the page", Advice.onlyOnRequest)
    case .failed(let reason):
      ErrorExplanation("the receiver failed while waiting for the redirect (\(reason))", "Start the sign-in again.")
    }
  }
}

extension TokenStoreError {
  /// What happened and what to do.
  public var explanation: ErrorExplanation {
    switch self {
    case .unavailable(let reason):
      ErrorExplanation(
        "the token store is unavailable (\(reason))", "Install or unlock it. Nothing was stored anywhere else.")
    case .damaged(let reason):
      ErrorExplanation("the token store contains damaged data: \(reason)", "Sign out to remove it, then sign in again.")
    case .unsafePermissions(let path):
      ErrorExplanation(
        "\"\(path)\" belongs to another user, is accessible to other users, or is not an ordinary folder or file",
        "Use a folder or file of your own, with the permissions 0700 for folders and 0600 for files.")
    case .failed(let reason): ErrorExplanation("the token store failed (\(reason))", Advice.tryAgainLater)
    }
  }
}

extension DPoPKeyError {
  /// What happened and what to do.
  public var explanation: ErrorExplanation {
    switch self {
    case .damaged:
      ErrorExplanation("the stored DPoP key cannot be restored", rule: "RFC 9449 §5", Advice.signIn)
    case .unavailable(let reason): ErrorExplanation("the DPoP key cannot be used (\(reason))", Advice.tryAgainLater)
    }
  }
}

extension ClientSecretError {
  /// What happened and what to do.
  public var explanation: ErrorExplanation {
    switch self {
    case .keyMalformed:
      ErrorExplanation(
        "the key of the client secret is not a P-256 private key in PEM", rule: "RFC 7468 §10",
        "Use the key file as the server issued it, including its first and last line.")
    case .notSigned: ErrorExplanation("the client secret could not be signed", Advice.tryAgainLater)
    case .notProvided(let reason):
      ErrorExplanation("the app could not get the client secret (\(reason))", "Check the function that provides the secret.")
    }
  }
}

extension RedirectURIError: CustomStringConvertible {
  public var description: String { self.explanation.description }

  /// What happened, which rule was violated, and what to do. In these texts, "it" is the redirect URI.
  public var explanation: ErrorExplanation {
    switch self {
    case .malformed:
      ErrorExplanation(
        "it is not an absolute URI, or contains characters that are not allowed", rule: "RFC 3986 §4.3",
        "Use URI characters only, and a port from 1 to 65535 or none.")
    case .fragment: ErrorExplanation("it contains a fragment", rule: "RFC 6749 §3.1.2", "Remove the fragment.")
    case .userInfo:
      ErrorExplanation("it contains user information before the host", rule: "RFC 3986 §7.5", "Remove the user information.")
    case .dotSegment:
      ErrorExplanation("its path contains a dot segment", rule: "RFC 8252 §8.4", "Write the path without \".\" and \"..\".")
    case .plainHTTP:
      ErrorExplanation(
        "it uses http with a host that is not a loopback address", rule: "RFC 9700 §2.6",
        "Use https, or http with 127.0.0.1 or [::1].")
    case .schemeWithoutPeriod:
      ErrorExplanation(
        "its private-use scheme is not a reversed domain name", rule: "RFC 8252 §7.1",
        "Use a scheme based on a domain that you control, such as com.example.app. If this URI is already in use, see "
          + "RedirectURI(insecureLegacyRedirect:).")
    case .registeredScheme:
      ErrorExplanation(
        "its scheme is registered with IANA or handled by the system", rule: "RFC 8252 §7.1",
        "Use a scheme based on a domain that you control, such as com.example.app.")
    case .notSingleSlash:
      ErrorExplanation(
        "its scheme is not followed by exactly one slash", rule: "RFC 8252 §7.1", "Write it as in com.example.app:/path.")
    }
  }
}
