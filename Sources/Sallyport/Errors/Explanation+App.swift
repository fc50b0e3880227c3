public import SallyportProtocol

extension UserAgentError {
  /// What happened, and what to do.
  public var explanation: Explanation {
    switch self {
    case .noBrowser(let tried):
      Explanation(
        "no browser was found (tried \(tried.joined(separator: ", ")))", "Offer a way without a browser on this machine.")
    case .failed(let program, let reason):
      Explanation("\(program) did not open the page (\(reason))", "Offer another browser, or a way without one.")
    }
  }
}

extension RedirectReceiverError {
  /// What happened, which rule was broken, and what to do.
  public var explanation: Explanation {
    switch self {
    case .cannotBind(let reason):
      Explanation(
        "the redirect cannot be received (\(reason))", rule: "RFC 8252 §7", "Offer another redirect, by its order of assurance.")
    case .dismissed: Explanation("the person closed the page", Advice.offer)
    case .failed(let reason): Explanation("the receiver broke while it waited (\(reason))", "Begin the sign-in anew.")
    }
  }
}

extension TokenStoreError {
  /// What happened, and what to do.
  public var explanation: Explanation {
    switch self {
    case .unavailable(let reason):
      Explanation(
        "the token store is not available (\(reason))", "Unlock or install it; nothing was stored elsewhere in its place.")
    case .damaged(let reason): Explanation("the token store holds \(reason)", "Sign out, which removes it, and sign in again.")
    case .unsafePermissions(let path):
      Explanation("others can read or change \(path)", "Give it to this user alone: mode 0700 for folders, 0600 for files.")
    case .failed(let reason): Explanation("the token store failed (\(reason))", Advice.again)
    }
  }
}

extension DPoPKeyError {
  /// What happened, and what to do.
  public var explanation: Explanation {
    switch self {
    case .damaged: Explanation("the stored key is none of this source's", rule: "RFC 9449 §5", Advice.signIn)
    case .unavailable(let reason): Explanation("what holds the key does not answer (\(reason))", Advice.again)
    }
  }
}

extension SignInOptionsError {
  /// What happened, which rule was broken, and what to do.
  public var explanation: Explanation {
    let rule = "OpenID Connect Core §3.1.2.1"
    return switch self {
    case .promptNoneBesideAnother: Explanation("prompt none beside another", rule: rule, "Give none alone, or leave it out.")
    case .maxAgeNegative: Explanation("max_age is negative", rule: rule, "Give zero or more seconds.")
    case .redirectPortMissing:
      Explanation(
        "a loopback redirect URI without a port", rule: "RFC 8252 §7.3", "Begin with a receiver, which takes a port that is free."
      )
    }
  }
}

extension RedirectURIError {
  /// What happened, which rule was broken, and what to do.
  public var explanation: Explanation {
    switch self {
    case .malformed:
      Explanation("no absolute URI", rule: "RFC 3986 §4.3", "Write it in URI characters, with a port of 1 to 65535 or none.")
    case .fragment: Explanation("a fragment", rule: "RFC 6749 §3.1.2", "Leave it out.")
    case .userInfo: Explanation("user information before the host", rule: "RFC 3986 §7.5", "Leave it out.")
    case .dotSegment: Explanation("a dot segment in the path", rule: "RFC 8252 §8.4", "Write the path that is meant.")
    case .plainHTTP:
      Explanation("http to another machine", rule: "RFC 9700 §2.6", "Use https, or http with 127.0.0.1 or [::1].")
    case .schemeWithoutPeriod:
      Explanation(
        "a private-use scheme that is no reversed domain name", rule: "RFC 8252 §7.1",
        "Use one of your own, like com.example.app.")
    case .registeredScheme: Explanation("a scheme that is registered with IANA", rule: "RFC 8252 §7.1", "Use one of your own.")
    case .notSingleSlash:
      Explanation("not one slash after the scheme", rule: "RFC 8252 §7.1", "Write com.example.app:/path.")
    }
  }
}
