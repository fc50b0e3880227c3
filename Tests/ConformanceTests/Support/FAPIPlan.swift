/// The two FAPI 2.0 plans of the OpenID Foundation's conformance suite. They run the same modules, one with plain
/// requests and the other with signed requests.
enum FAPIPlan: CaseIterable, Sendable {
  /// `fapi2-security-profile-final-test-plan`
  case securityProfile
  /// `fapi2-message-signing-final-test-plan`
  case messageSigning
}
