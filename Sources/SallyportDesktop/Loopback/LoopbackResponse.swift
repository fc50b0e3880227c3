import Sallyport

/// The receiver's HTTP responses as bytes. A response must not be cached, and is the last response on its connection.
enum LoopbackResponse {
  static func rejection(_ rejection: RequestRejection) -> [UInt8] {
    let allow = rejection == .wrongMethod ? ["Allow: GET"] : []
    return self.message("\(rejection.rawValue) \(rejection.phrase)", "text/plain; charset=utf-8", rejection.text + "\n", allow)
  }

  /// The last page, whose Content-Security-Policy allows its style element and its embedded icon. Nothing else may load
  /// or run.
  /// - Parameters:
  ///   - outcome: The outcome of the sign-in or sign-out. Nil for a neutral page, which the browser gets when it has
  ///     waited for the maximum time, or when the sign-in ends and no other page was sent.
  ///   - uiLocales: The language tags that the app set in the options of the sign-in or sign-out, in order of
  ///     preference.
  ///   - acceptLanguage: The browser's `Accept-Language` field, or `nil` if it sent none.
  static func lastPage(_ outcome: ReceivedRedirect.Outcome?, uiLocales: [String] = [], acceptLanguage: String?) -> [UInt8] {
    let language = LastPage.language(uiLocales: uiLocales, acceptLanguage: acceptLanguage)
    let html = LastPage.html(outcome, in: language)
    return self.message("200 OK", "text/html; charset=utf-8", html, style: LastPage.styleHash, images: "data:")
  }

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
