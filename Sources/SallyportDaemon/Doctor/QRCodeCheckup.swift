import SallyportHTTP

/// Checks whether QR codes can be drawn. Without them, users type the key of an authenticator app.
struct QRCodeCheckup {
  /// Why QR codes cannot be drawn; nil if they can.
  var unavailability = QRCode.unavailability

  func findings() -> [Finding] {
    guard let unavailability else { return [.ok("qr-codes", "libqrencode is installed")] }
    return [.warning("qr-codes", "users must type the keys of authenticator apps, because \(unavailability)")]
  }
}
