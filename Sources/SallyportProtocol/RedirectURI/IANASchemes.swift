/// Schemes registered with IANA that contain a period and would otherwise pass for a reversed domain name.
package enum IANASchemes {
  /// Whether `scheme` is one of them; schemes are compared without regard to case (RFC 3986 §3.1).
  package static func contains(_ scheme: String) -> Bool {
    self.withPeriod.contains(scheme.lowercased())
  }

  private static let withPeriod: Set<String> = [
    "iris.beep", "iris.lwz", "iris.xpc", "iris.xpcs", "soap.beep", "soap.beeps", "xmlrpc.beep", "xmlrpc.beeps", "z39.50",
    "z39.50r", "z39.50s", "vnd.ms.radio",
  ]
}
