import SallyportProtocol
import Testing

struct ScopeTests {
  @Test("RFC 6749 §3.3: a scope is a set that keeps the order of the first occurrences")
  func set() throws {
    // With a literal instead of a constant, Swift would call the initializer for literals, which cannot return `nil`.
    let (text, empty) = ("openid  email openid profile ", "")
    let scope = try #require(Scope(text))
    #expect(scope.tokens == ["openid", "email", "profile"])
    #expect(scope.description == "openid email profile")
    #expect(scope == "profile email openid")
    #expect(scope != "openid email")
    #expect(Set([scope, "email profile openid"]).count == 1)
    #expect(Scope(empty)?.isEmpty == true)
    #expect(scope.contains("email"))
    // Every scope contains the empty scope.
    #expect(scope.contains(""))
    #expect(!scope.contains("email offline_access"))
    #expect(!scope.contains("Email"))
    #expect(scope.intersection("offline_access profile openid").tokens == ["openid", "profile"])
    #expect(Scope([.openID, .email, .openID]).tokens == ["openid", "email"])
  }

  @Test(
    "RFC 6749 §3.3: a scope with a quotation mark, a backslash, or a character that is not visible ASCII is invalid",
    arguments: [
      "a\"b", "a\\b", "a\tb", "a\nb", "a\u{0}", "a\u{7F}", "é", "a\u{A0}b", "openid\r\nx",
    ])
  func refused(text: String) {
    #expect(Scope(text) == nil)
  }

  @Test("a scope literal with a character that is not allowed stops the program")
  func invalidLiteral() async {
    await #expect(processExitsWith: .failure) {
      let scope: Scope = "notes:read\tnotes:write"
      _ = scope
    }
  }

  @Test(
    "RFC 6749 §3.3: duplicate values and extra spaces are removed",
    arguments: ["a b c", "a  b c", " a b c", "a b c ", "a b a c", "a b c a", "a a b b c c", "a b c  "])
  func canonical(text: String) throws {
    let scope = try #require(Scope(text))
    #expect(scope.tokens == ["a", "b", "c"] && scope.description == "a b c")
    #expect(scope == "c b a" && scope.hashValue == Scope("c b a" as Substring)?.hashValue)
    #expect(scope.subtracting("b").description == "a c")
    #expect(scope.intersection("c a").description == "a c")
    #expect(scope.intersection("d").description == "" && scope.subtracting("a b c d").isEmpty)
  }

  /// The parser compares up to 16 values with one another. If there are more, or if it finds a duplicate, it uses a
  /// set.
  @Test("RFC 6749 §3.3: a scope with many values is also a set", arguments: [15, 16, 17, 40])
  func long(count: Int) throws {
    let tokens = (0..<count).map { "t\($0)" }
    let scope = try #require(Scope((tokens + tokens.reversed()).joined(separator: " ")))
    #expect(scope.tokens == tokens)
    #expect(scope == Scope(tokens.reversed().joined(separator: " ")))
    #expect(scope != Scope((tokens.dropLast() + ["other"]).joined(separator: " ")))
  }

  @Test(
    "RFC 6749 §3.3: a scope with 100,000 values is parsed within the time limit",
    .timeLimit(.minutes(1)))
  func hostile() throws {
    let scope = try #require(Scope((0..<100_000).map(String.init).joined(separator: " ")))
    #expect(scope.tokens.count == 100_000 && scope.contains("99999"))
  }

  @Test("RFC 6749 §3.3: all visible ASCII characters except quotation marks and backslashes are allowed")
  func allowed() {
    for byte in UInt8(0x21)...0x7E where byte != 0x22 && byte != 0x5C {
      let text = String(UnicodeScalar(byte))
      #expect(Scope(text)?.tokens == [text])
    }
  }
}
