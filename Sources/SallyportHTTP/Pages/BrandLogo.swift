/// The operator's logo. The server serves it from its own address, so that pages load nothing from other hosts.
package struct BrandLogo: Sendable {
  /// The maximum size in bytes.
  package static let maximumSize = 64 << 10

  let asset: Asset

  /// - Throws: ``BrandingError`` if the file is not an SVG or PNG image, is too large, or contains something that could
  ///   run a script or load a resource.
  package init(_ bytes: [UInt8]) throws(BrandingError) {
    guard bytes.count <= Self.maximumSize else { throw BrandingError("is larger than \(Self.maximumSize >> 10) KiB") }
    // The signature of PNG files.
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self.asset = Asset("logo", "png", contentType: "image/png", bytes)
      return
    }
    guard let text = String(validating: bytes, as: UTF8.self), text.contains("<svg") else {
      throw BrandingError("is not an SVG or PNG image")
    }
    try Self.checkSVG(text)
    self.asset = Asset("logo", "svg", contentType: "image/svg+xml", bytes)
  }

  /// Rejects the usual ways to run a script or load a resource. This is a second protection: in the `<img>` elements of
  /// the pages, browsers ignore them, and if a user opens the address of the image, ``contentSecurityPolicy`` blocks
  /// them.
  private static func checkSVG(_ text: String) throws(BrandingError) {
    let lowercase = text.lowercased()
    for part in ["<script", "<foreignobject", "<!doctype", "<!entity", "javascript:", "<iframe", "<use", "@import"] {
      guard !lowercase.contains(part) else { throw BrandingError("contains \"\(part)\", which is not allowed in a logo") }
    }
    guard lowercase.firstMatch(of: /[\s"'\/]on[a-z]+\s*=/) == nil else {
      throw BrandingError("contains an event handler, which is not allowed in a logo")
    }
    guard lowercase.firstMatch(of: /(href|src)\s*=\s*["']?\s*[^#"'\s]/) == nil, !lowercase.contains("url(http") else {
      throw BrandingError("refers to another resource, which is not allowed in a logo")
    }
  }

  /// The content security policy of the image, which applies if a user opens its address.
  static let contentSecurityPolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'"
}

/// Why a file of the operator cannot be used.
package struct BrandingError: Error, Equatable, Sendable {
  /// What is wrong, as a predicate whose subject is the file: `is larger than 64 KiB`. Only errors of
  /// ``BrandOverrides/validate()`` contain a subject.
  package let problem: String

  init(_ problem: String) {
    self.problem = problem
  }
}
