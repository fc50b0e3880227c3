import SallyportDesktop
import SallyportProtocol

/// Properties of the loopback receiver's request parser, and of the comparison of requests with the redirect URI (rule
/// C-18).
enum HTTPRequestProperties {
  private static let redirects = [
    "http://127.0.0.1:4000/oauth2redirect/as.example", "http://[::1]:80/cb?tenant=1", "http://localhost:80/",
  ].compactMap { try? RedirectURI($0) }

  static func check(_ input: [UInt8]) throws(Violation) -> Bool {
    let verdict = self.verdict(input, pieceSize: max(input.count, 1))
    for size in [1, 3, 1024] {
      try require(self.verdict(input, pieceSize: size) == verdict, "the result does not depend on how the request is split")
    }
    guard case .complete(let head) = verdict else { return false }
    try self.checkHead(head)
    var isAccepted = false
    for redirect in self.redirects {
      guard case .success(let url) = RedirectTarget(redirect).callbackURL(of: head) else { continue }
      try self.checkAccepted(url, head, redirect)
      isAccepted = true
    }
    return isAccepted
  }

  private static func verdict(_ input: [UInt8], pieceSize: Int) -> RequestReader.Verdict {
    var reader = RequestReader()
    for start in stride(from: 0, to: input.count, by: pieceSize) {
      let verdict = reader.read(input[start..<min(start + pieceSize, input.count)])
      if verdict != .incomplete { return verdict }
    }
    return .incomplete
  }

  private static func checkHead(_ head: RequestHead) throws(Violation) {
    try require(!head.method.isEmpty && head.target.hasPrefix("/"), "a request has a method and a target in origin form")
    let visible = (head.method + head.target).utf8.allSatisfy { (0x21...0x7E).contains($0) }
    try require(visible, "the method and target are visible ASCII")
    let host = head.host.map { "Host: \($0)\r\n" } ?? ""
    let length = head.hasBody ? "Content-Length: 1\r\n" : ""
    let encoded = "\(head.method) \(head.target) HTTP/1.1\r\n\(host)\(length)\r\n"
    try require(
      self.verdict(Array(encoded.utf8), pieceSize: 7) == .complete(head), "an encoded request head decodes to the same value")
  }

  private static func checkAccepted(_ url: String, _ head: RequestHead, _ redirect: RedirectURI) throws(Violation) {
    try require(head.method == "GET" && !head.hasBody, "only a GET request without a body is accepted as the response")
    let authority = redirect.value.dropFirst("http://".count).prefix { $0 != "/" }
    let host = head.host ?? ""
    try require(
      host == authority || (authority.hasSuffix(":80") && host == authority.dropLast(3)),
      "C-18: the Host field contains the host and port of the redirect URI, and may omit port 80")
    let query = redirect.value.split(separator: "?", maxSplits: 1).dropFirst().first.map { "\($0)&" } ?? ""
    let base = redirect.value.prefix { $0 != "?" }
    try require(url.utf8.starts(with: "\(base)?\(query)".utf8), "C-18: a response arrives at exactly the redirect URI")
    try require(url.hasSuffix(head.target.drop { $0 != "?" }), "the response's query is passed on unchanged")
  }
}
