extension RedirectOption {
  /// A redirect option that was skipped, and why.
  public struct Fallback: Error, Equatable, Sendable {
    /// Why an option was skipped.
    public enum Reason: Equatable, Sendable {
      /// The option is unavailable, because of the platform or the user's settings.
      case obstacle(String)
      /// The redirect cannot be received.
      case receiver(RedirectReceiverError)
      /// No browser could be opened.
      case userAgent(UserAgentError)
    }

    /// The kind of the skipped option.
    public let kind: Kind
    /// Why it was skipped.
    public let reason: Reason

    init(_ kind: Kind, _ reason: Reason) {
      self.kind = kind
      self.reason = reason
    }

    /// Creates a value for an error that occurs before the user has seen anything. Returns `nil` for any other error,
    /// which ends the sign-in.
    init?(_ kind: Kind, _ error: SignInError) {
      switch error {
      case .receiver(.cannotBind(let reason)): self.init(kind, Reason.receiver(.cannotBind(reason: reason)))
      case .userAgent(let error): self.init(kind, Reason.userAgent(error))
      default: return nil
      }
    }
  }
}
