/// The receiver's HTTP responses as bytes. A response must not be cached, and is the last one on its connection.
enum LoopbackResponse {
  static func rejection(_ rejection: RequestRejection) -> [UInt8] {
    let allow = rejection == .wrongMethod ? ["Allow: GET"] : []
    return self.message("\(rejection.rawValue) \(rejection.phrase)", "text/plain; charset=utf-8", rejection.text + "\n", allow)
  }

  /// A page with one style element, which `styleHash` allows in the Content-Security-Policy, and an embedded icon.
  /// Nothing else may load or run.
  static func page(_ html: String, styleHash: String) -> [UInt8] {
    self.message("200 OK", "text/html; charset=utf-8", html, style: styleHash, images: "data:")
  }

  /// The page for a browser that has waited for the maximum time, or whose sign-in ended before another page was sent.
  /// It states neither success nor failure.
  static let neutral = Self.message(
    "200 OK", "text/plain; charset=utf-8",
    "The app has received the response. You can close this tab and go back to the app.\n")

  private static func message(
    _ status: String, _ type: String, _ body: String, _ moreFields: [String] = [], style: String = "'none'",
    images: String = "'none'"
  ) -> [UInt8] {
    let policy = """
      default-src 'none'; style-src \(style); img-src \(images); base-uri 'none'; form-action 'none'; frame-ancestors 'none'
      """
    let head =
      [
        "HTTP/1.1 \(status)", "Content-Type: \(type)", "Content-Length: \(body.utf8.count)", "Connection: close",
        "Cache-Control: no-store", "Content-Security-Policy: \(policy)", "Referrer-Policy: no-referrer",
        "X-Content-Type-Options: nosniff",
      ] + moreFields
    return Array((head.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
  }
}
