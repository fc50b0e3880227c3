import Sallyport
import SallyportProtocol

extension Fault {
  /// Faults in the authorization response (RFC 6749 §4.1.2).
  static let authorizationResponse: [Fault] = [
    response("A different state", "RFC 8252 §8.9", .ignored) { set(&$0, "state", "guess") },
    response("No state", "RFC 8252 §8.9", .ignored) { $0.removeAll { $0.name == "state" } },
    response("An error without a state", "RFC 8252 §8.9", .ignored) { $0 = [(name: "error", value: "access_denied")] },
    response("A repeated state", "RFC 6749 §3.1", .ignored) { $0.append((name: "state", value: "guess")) },
    response("Another server's iss", "RFC 9207 §2.4", .refused(.response(.issuerMismatch))) {
      set(&$0, "iss", "https://evil.example")
    },
    response("No iss although the server announces it", "RFC 9207 §2.4", .refused(.response(.issuerMissing))) {
      $0.removeAll { $0.name == "iss" }
    },
    response("Neither a code nor an error", "RFC 6749 §4.1.2", .refused(.response(.codeMissing))) {
      $0.removeAll { $0.name == "code" }
    },
    response("An error description that contains control characters", "RFC 6749 §4.1.2.1", cleanedError) {
      $0.removeAll { $0.name == "code" }
      $0 += [(name: "error", value: "server_error"), (name: "error_description", value: "\u{1B}[31mred\nline <b>")]
    },
  ]

  private static let cleanedError = Outcome.refusedMatching("the server's error description, without control characters") {
    error in
    guard case .refused(let errorResponse) = error else { return false }
    return errorResponse.code == .serverError && !"\(errorResponse)".unicodeScalars.contains { $0.value < 0x20 }
  }

  /// Returns a fault in which the server changes the parameters of the authorization response.
  private static func response(
    _ summary: String, _ rule: String, _ outcome: Outcome,
    _ change: @escaping @Sendable (inout [(name: String, value: String)]) -> Void
  ) -> Fault {
    Fault(summary, rule, outcome) { $0.authorizationResponse = change }
  }

  private static func set(_ parameters: inout [(name: String, value: String)], _ name: String, _ value: String) {
    parameters.removeAll { $0.name == name }
    parameters.append((name: name, value: value))
  }
}
