/// A message with placeholders: the subject in the first line, then paragraphs separated by empty lines.
///
/// `{name}` is replaced by a value. The paragraph `{link: Text}` is the link of the message: a button with this text in
/// HTML, and the address in plain text. Both versions of the message come from the same template, so they cannot
/// differ.
struct MailTemplate: Sendable {
  private enum Paragraph {
    case text(String)
    case link(label: String)
  }

  private let subject: String
  private let paragraphs: [Paragraph]

  init(_ text: String) {
    let blocks = text.split(separator: "\n\n").map { $0.split(separator: "\n").joined(separator: " ") }
    self.subject = blocks.first ?? ""
    self.paragraphs = blocks.dropFirst().map { block in
      guard block.hasPrefix("{link: "), block.hasSuffix("}") else { return .text(block) }
      return .link(label: String(block.dropFirst(7).dropLast()))
    }
  }

  func subject(_ values: [String: String]) -> String { Self.replacing(self.subject, values) { $0 } }

  func plainText(_ values: [String: String], link: String?) -> String {
    self.paragraphs.compactMap { paragraph -> String? in
      switch paragraph {
      case .text(let text): Self.replacing(text, values) { $0 }
      case .link: link
      }
    }
    .joined(separator: "\n\n") + "\n"
  }

  /// - Parameter hint: The sentence before the address of the link, for readers whose mail program shows no button.
  func html(_ values: [String: String], link: String?, hint: String, language: MailLanguage) -> String {
    let body = self.paragraphs.compactMap { paragraph -> String? in
      switch paragraph {
      case .text(let text): "<p>\(Self.replacing(Self.escaped(text), values) { "<bdi>\(Self.escaped($0))</bdi>" })</p>"
      case .link(let label): link.map { Self.button($0, Self.escaped(label), hint: Self.escaped(hint)) }
      }
    }
    return """
      <!DOCTYPE html>
      <html lang="\(language.tag)" dir="ltr">
      <head><meta charset="utf-8"><title>\(Self.escaped(self.subject(values)))</title></head>
      <body style="font-family:sans-serif;line-height:1.5;max-width:36em;margin:0 auto;padding:1em">
      \(body.joined(separator: "\n"))
      </body>
      </html>

      """
  }

  private static func button(_ link: String, _ label: String, hint: String) -> String {
    let address = self.escaped(link)
    let style = "display:inline-block;padding:.6em 1.2em;border-radius:.4em;background:#1a4fa3;color:#fff;text-decoration:none"
    return """
      <p><a href="\(address)" style="\(style)">\(label)</a></p>
      <p style="font-size:.85em">\(hint)<br><a href="\(address)" style="word-break:break-all">\(address)</a></p>
      """
  }

  private static func replacing(_ text: String, _ values: [String: String], _ encode: (String) -> String) -> String {
    // One pass, so that a value with braces is not replaced again.
    var (result, rest) = ("", text[...])
    while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
      result += rest[..<open]
      let name = String(rest[rest.index(after: open)..<close])
      result += values[name].map(encode) ?? "{\(name)}"
      rest = rest[rest.index(after: close)...]
    }
    return result + rest
  }

  static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;").replacing("\"", with: "&quot;")
  }
}
