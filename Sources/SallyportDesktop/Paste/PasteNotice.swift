public import SallyportProtocol

/// What a person who pastes an address is told.
public enum PasteNotice: Sendable, Equatable {
  /// Now is the time: the address to be pasted begins with this one.
  case ready(RedirectURI)
  /// What was pasted is not the answer; the wait goes on.
  case refused(PasteRefusal, RedirectURI)
}

/// Why a pasted text is not taken.
public enum PasteRefusal: Sendable, Equatable {
  /// Not an address that begins with the redirect URI: another page's, or no address at all.
  case otherAddress
  /// The right address with another sign-in's answer, or with none.
  case otherSignIn
  /// Longer than any answer.
  case tooLong
}
