import Testing

@testable import SallyportDesktop

struct RequestReaderTests {
  private static let request =
    "GET /cb?state=a&code=b HTTP/1.1\r\nHost: 127.0.0.1:1\r\nX-Long: \(String(repeating: "x", count: 300))\r\n\r\n"

  @Test("a request that arrives in two parts is parsed correctly, wherever it is split")
  func everyCut() {
    let bytes = Array(Self.request.utf8)
    for cut in 0...bytes.count {
      var reader = RequestReader()
      var verdict = reader.read(bytes[..<cut])
      if verdict == .incomplete { verdict = reader.read(bytes[cut...]) }
      guard case .complete(let head) = verdict else {
        Issue.record("cut at \(cut): \(verdict)")
        continue
      }
      #expect(head.method == "GET" && head.path == "/cb" && head.query == "state=a&code=b" && head.host == "127.0.0.1:1")
      #expect(!head.hasBody)
    }
  }

  @Test("if a request with random changes is accepted, its target is a path of visible ASCII characters")
  func alteredInput() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<20_000 {
      var bytes = Array(Self.request.utf8)
      for _ in 0..<Int.random(in: 0...4, using: &generator) {
        let offset = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: bytes[offset] = UInt8.random(in: .min ... .max, using: &generator)
        case 1: bytes.remove(at: offset)
        default: bytes.insert(UInt8.random(in: .min ... .max, using: &generator), at: offset)
        }
      }
      var reader = RequestReader()
      if case .complete(let head) = reader.read(bytes) {
        #expect(head.target.first == "/" && !head.target.contains(" ") && head.target.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
      }
    }
  }

  @Test("the largest head is not rejected as too large, regardless of how it is split", arguments: [1, 7, 1024])
  func largestInPieces(_ size: Int) {
    let line = "GET / HTTP/1.1\r\nX: "
    let bytes = Array((line + String(repeating: "x", count: RequestReader.maximumSize - line.utf8.count) + "\r\n\r\n").utf8)
    var reader = RequestReader()
    var verdict = RequestReader.Verdict.incomplete
    for start in stride(from: 0, to: bytes.count, by: size) where verdict == .incomplete {
      verdict = reader.read(bytes[start..<min(start + size, bytes.count)])
    }
    #expect(verdict != .incomplete && verdict != .rejected(.tooLarge))
  }

  @Test("a method that is not a token (RFC 9110 §5.6.2) is malformed", arguments: ["G\tET", "GET\"", "G(E)T"])
  func method(_ method: String) {
    #expect(RequestHead("\(method) / HTTP/1.1\r\nHost: a".utf8) == nil)
  }

  @Test(
    "only field values other than Host can contain tabs and bytes from 0x80 (RFC 9110 §5.5), as in a cookie of another local server"
  )
  func nonASCII() {
    // Each percent sign is replaced with each of `values` in turn.
    let forms = [
      ("GET /cb HTTP/1.1\r\nHost: a\r\nCookie:%\r\nAccept-Language: de", true), ("G%T /cb HTTP/1.1\r\nHost: a", false),
      ("GET /cb% HTTP/1.1\r\nHost: a", false), ("GET /cb HTTP/1.1%\r\nHost: a", false),
      ("GET /cb HTTP/1.1\r\nHost: a%a", false), ("GET /cb HTTP/1.1\r\nHost: a\r\nCoo%kie: b", false),
    ]
    let values: [[UInt8]] = [
      Array("\u{301}name=J\u{FC}rgen; 名前=\u{1F600}".utf8), Array(0x80...0xFF), [0x80], [0xFF], Array("a\tb".utf8),
    ]
    for (form, isValid) in forms {
      for value in values {
        let head = RequestHead(form.utf8.flatMap { $0 == UInt8(ascii: "%") ? value : [$0] })
        #expect((head != nil) == isValid, "\(form) with \(value)")
        if let head { #expect(head.target == "/cb" && head.host == "a" && head.acceptLanguage == "de") }
      }
    }
  }

  @Test("60 KiB of cookies are accepted, but a target of more than 16 KiB is not")
  func cookies() {
    let cookies = "GET / HTTP/1.1\r\nHost: a\r\nCookie: a=\(String(repeating: "x", count: 60 << 10))\r\n\r\n"
    var reader = RequestReader()
    guard case .complete = reader.read(Array(cookies.utf8)) else {
      Issue.record("the request was not accepted")
      return
    }
    for (size, fits) in [(16 << 10, true), ((16 << 10) + 1, false)] {
      var reader = RequestReader()
      let target = "/\(String(repeating: "x", count: size - 1))"
      let verdict = reader.read(Array("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
      #expect((verdict == .rejected(.tooLarge)) == !fits)
    }
  }

  @Test("a head is rejected as too large only if it exceeds the maximum size")
  func size() {
    let line = "GET / HTTP/1.1\r\nX: "
    for (count, fits) in [(RequestReader.maximumSize, true), (RequestReader.maximumSize + 1, false)] {
      var reader = RequestReader()
      let verdict = reader.read(Array((line + String(repeating: "x", count: count - line.utf8.count) + "\r\n\r\n").utf8))
      #expect((verdict != .rejected(.tooLarge)) == fits)
    }
  }
}
