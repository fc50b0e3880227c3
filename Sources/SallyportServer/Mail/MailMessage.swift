import SallyportProtocol

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A message with plain text and HTML, in the Internet Message Format (RFC 5322) with MIME (RFC 2045, RFC 2046).
struct MailMessage: Sendable {
  var from: EmailAddress
  var fromName: String
  var to: EmailAddress
  var subject: String
  var sentAt: Timestamp
  /// The part of `Message-ID` before the domain.
  var id: String
  var plainText: String
  var html: String

  /// The message with the line breaks of the sendmail interface (LF). All lines are ASCII, and only lines with long
  /// addresses have more than 78 characters.
  var bytes: [UInt8] {
    let domain = self.from.value.split(separator: "@").last ?? "localhost"
    // Base64 contains no underscore, so the boundary cannot occur in a part.
    let boundary = "=_\(self.id)"
    let header = [
      "From: \(Self.encoded(self.fromName))\n <\(self.from)>", "To: <\(self.to)>", "Subject: \(Self.encoded(self.subject))",
      "Date: \(MailTime(self.sentAt).rfc5322)", "Message-ID:\n <\(self.id)@\(domain)>",
      // RFC 3834 §5: other programs must not respond automatically.
      "Auto-Submitted: auto-generated", "MIME-Version: 1.0", "Content-Type: multipart/alternative;\n boundary=\"\(boundary)\"",
    ]
    // RFC 2046 §5.1.4: the last part is the preferred one.
    let parts = [("plain", self.plainText), ("html", self.html)].map { type, text in
      """
      --\(boundary)
      Content-Type: text/\(type); charset=utf-8
      Content-Transfer-Encoding: base64

      \(Self.base64Lines(text))

      """
    }
    return Array("\(header.joined(separator: "\n"))\n\n\(parts.joined())--\(boundary)--\n".utf8)
  }

  private static func base64Lines(_ text: String) -> String {
    Data(text.utf8).base64EncodedString(options: [.lineLength76Characters, .endLineWithLineFeed])
  }

  /// Returns a text for a header field as encoded words of at most 75 characters, one per line (RFC 2047 §2). A word
  /// contains whole Unicode scalars. Line breaks in the text are encoded too, so the text cannot begin another field.
  static func encoded(_ text: String) -> String {
    var words: [[UInt8]] = [[]]
    for scalar in text.unicodeScalars {
      let bytes = Array(String(scalar).utf8)
      // 39 bytes make a word of 64 characters, so the first line, which begins with "Subject: ", has at most 73. A line
      // with an encoded word can have at most 76.
      if words[words.count - 1].count + bytes.count > 39 { words.append([]) }
      words[words.count - 1] += bytes
    }
    return words.map { "=?utf-8?B?\(Data($0).base64EncodedString())?=" }.joined(separator: "\n ")
  }
}
