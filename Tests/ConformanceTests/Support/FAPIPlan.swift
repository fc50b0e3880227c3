/// The two FAPI 2.0 plans, which run the same modules with plain requests and with signed ones.
enum FAPIPlan: CaseIterable, Sendable {
  /// `fapi2-security-profile-final-test-plan`
  case securityProfile
  /// `fapi2-message-signing-final-test-plan`
  case messageSigning
}
