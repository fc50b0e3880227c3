public import SallyportProtocol

/// A message for a user who pastes a redirect URL.
public enum PastePrompt: Sendable, Equatable {
  /// The user can now paste the URL, which starts with this redirect URI.
  case ready(RedirectURI)
  /// The pasted text is not the response. The wait continues.
  case rejected(PasteRejection, RedirectURI)
}

/// Why a pasted text is rejected.
public enum PasteRejection: Sendable, Equatable {
  /// The text is not the redirect URI followed by a query.
  case otherAddress
  /// The URL contains no response, or a response for another sign-in.
  case otherSignIn
  /// The text is too long for a response.
  case tooLong
}
