import Crypto
import SallyportLook
import SallyportProtocol
import SallyportResources

/// A file that pages refer to. Its path contains a hash of its content, so the response may be cached forever.
package struct Asset: Sendable {
  package let path: String
  let contentType: String
  package let bytes: [UInt8]

  init(_ name: String, _ pathExtension: String, contentType: String, _ bytes: [UInt8]) {
    self.path = "/assets/\(name)-\(Base64URL.encode(SHA256.hash(data: bytes).prefix(12))).\(pathExtension)"
    self.contentType = contentType
    self.bytes = bytes
  }

  package static let styleSheet = Asset(
    "style", "css", contentType: "text/css; charset=utf-8", Array((Look.style + EmbeddedFiles.http.text("style.css")).utf8))
  package static let icon = Asset("icon", "svg", contentType: "image/svg+xml", Array(Look.icon.utf8))
}
