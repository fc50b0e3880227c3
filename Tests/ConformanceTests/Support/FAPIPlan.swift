/// The two FAPI 2.0 plans of the OpenID Foundation's conformance suite. The modules that they share run with plain
/// requests in one plan and with signed requests in the other plan.
enum FAPIPlan: CaseIterable, Sendable {
  /// `fapi2-security-profile-final-test-plan`
  case securityProfile
  /// `fapi2-message-signing-final-test-plan`
  case messageSigning
}
