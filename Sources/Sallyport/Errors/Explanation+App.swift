public import SallyportProtocol

extension UserAgentError {
  /// What happened and what to do.
  public var explanation: Explanation {
    switch self {
    case .noBrowser(let tried):
      Explanation(
        "no browser was found (tried \(tried.joined(separator: ", ")))",
        "Offer a way to sign in without a browser on this machine.")
    case .failed(let program, let reason):
      Explanation(
        "\(program) did not open the page (\(reason))", "Offer another browser, or a way to sign in without one.")
    }
  }
}

extension RedirectReceiverError {
  /// What happened, which rule was violated, and what to do.
  public var explanation: Explanation {
    switch self {
    case .cannotBind(let reason):
      Explanation(
        "the redirect cannot be received (\(reason))", rule: "RFC 8252 §7", "Offer another redirect option.")
    case .dismissed: Explanation("the user closed the page", Advice.offer)
    case .failed(let reason):
      Explanation("the receiver failed while waiting for the redirect (\(reason))", "Start the sign-in again.")
    }
  }
}

extension TokenStoreError {
  /// What happened and what to do.
  public var explanation: Explanation {
    switch self {
    case .unavailable(let reason):
      Explanation(
        "the token store is unavailable (\(reason))", "Install or unlock it. Nothing was stored anywhere else.")
    case .damaged(let reason):
      Explanation("the token store contains damaged data: \(reason)", "Sign out to remove it, then sign in again.")
    case .unsafePermissions(let path):
      Explanation(
        "other users can read or change \"\(path)\"", "Restrict its permissions: 0700 for folders, 0600 for files.")
    case .failed(let reason): Explanation("the token store failed (\(reason))", Advice.again)
    }
  }
}

extension DPoPKeyError {
  /// What happened and what to do.
  public var explanation: Explanation {
    switch self {
    case .damaged:
      Explanation("the stored DPoP key cannot be restored", rule: "RFC 9449 §5", Advice.signIn)
    case .unavailable(let reason): Explanation("the DPoP key cannot be used (\(reason))", Advice.again)
    }
  }
}

extension SignInOptionsError {
  /// What happened, which rule was violated, and what to do.
  public var explanation: Explanation {
    let rule = "OpenID Connect Core §3.1.2.1"
    return switch self {
    case .promptNoneBesideAnother:
      Explanation("prompt \"none\" is combined with another value", rule: rule, "Use \"none\" alone, or leave it out.")
    case .maxAgeNegative: Explanation("max_age is negative", rule: rule, "Use zero or more seconds.")
    case .redirectPortMissing:
      Explanation(
        "the loopback redirect URI has no port", rule: "RFC 8252 §7.3",
        "Start the sign-in with a receiver, which chooses a free port.")
    }
  }
}

extension RedirectURIError {
  /// What happened, which rule was violated, and what to do.
  public var explanation: Explanation {
    switch self {
    case .malformed:
      Explanation(
        "it is not an absolute URI, or contains characters that are not allowed", rule: "RFC 3986 §4.3",
        "Use URI characters only, and a port from 1 to 65535 or none.")
    case .fragment: Explanation("it contains a fragment", rule: "RFC 6749 §3.1.2", "Remove the fragment.")
    case .userInfo:
      Explanation("it contains user information before the host", rule: "RFC 3986 §7.5", "Remove the user information.")
    case .dotSegment:
      Explanation("its path contains a dot segment", rule: "RFC 8252 §8.4", "Write the path without \".\" and \"..\".")
    case .plainHTTP:
      Explanation(
        "it uses http with a host that is not a loopback address", rule: "RFC 9700 §2.6",
        "Use https, or http with 127.0.0.1 or [::1].")
    case .schemeWithoutPeriod:
      Explanation(
        "its private-use scheme is not a reversed domain name", rule: "RFC 8252 §7.1",
        "Use a scheme based on a domain that you control, such as com.example.app.")
    case .registeredScheme:
      Explanation(
        "its scheme is registered with IANA", rule: "RFC 8252 §7.1",
        "Use a scheme based on a domain that you control, such as com.example.app.")
    case .notSingleSlash:
      Explanation(
        "its scheme is not followed by exactly one slash", rule: "RFC 8252 §7.1", "Write it as in com.example.app:/path.")
    }
  }
}
