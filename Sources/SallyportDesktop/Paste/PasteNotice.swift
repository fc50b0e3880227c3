public import SallyportProtocol

/// What to tell a user who pastes a redirect URL.
public enum PasteNotice: Sendable, Equatable {
  /// The user can now paste the URL, which starts with this redirect URI.
  case ready(RedirectURI)
  /// The pasted text is not the response. The wait continues.
  case refused(PasteRefusal, RedirectURI)
}

/// Why a pasted text is rejected.
public enum PasteRefusal: Sendable, Equatable {
  /// The text is not a URL that starts with the redirect URI.
  case otherAddress
  /// The URL has no response, or one that belongs to another sign-in.
  case otherSignIn
  /// The text is longer than any response.
  case tooLong
}
