import SallyportProtocol
import Testing

struct FormParametersTests {
  @Test("S-39: names and values are decoded, empty values count as absent, and unknown names are kept")
  func parsing() throws {
    let form = try FormParameters(parsing: "a=1&b=x+y%2B%C3%A9&c=&d&e=1=2&&=nameless&%66=%20&scope=openid%20email")
    #expect(form["a"] == "1")
    #expect(form["b"] == "x y+é")
    #expect(form["c"] == nil)
    #expect(form["d"] == nil)
    #expect(form["e"] == "1=2")
    #expect(form["f"] == " ")
    #expect(form["scope"] == "openid email")
    #expect(form["missing"] == nil)
    #expect(form["A"] == nil)
    #expect(Set(form.names) == ["a", "b", "e", "f", "", "scope"])
    #expect(try FormParameters(parsing: "").names.isEmpty)
    #expect(FormParameters().names.isEmpty)
  }

  @Test(
    "S-39: a repeated parameter is rejected, in every encoding of its name",
    arguments: [
      "a=1&a=2", "a=1&a=1", "a=1&b=2&a=3", "a=1&a=", "a=&a=1", "a&a", "a=1&%61=2", "%61=1&a=2", "a=1&a",
    ])
  func repeated(text: String) {
    #expect(throws: FormError.repeated("a")) { try FormParameters(parsing: text) }
  }

  @Test(
    "invalid percent-encoding is rejected in names and values",
    arguments: [
      "a=%", "a=%2", "a=%zz", "a=%2x", "a=%-1", "%=1", "%f=1", "a=%FF", "a=%C3", "a=%C0%80", "a=%ED%A0%80", "a=%F5%80%80%80",
      "%E9=1",
      "a=1&b=%", "a=%u0041",
    ])
  func malformed(text: String) {
    #expect(throws: FormError.malformed) { try FormParameters(parsing: text) }
  }

  @Test("only & separates parameters", arguments: ["a=1;b=2", "a=1?b=2", "a=1\nb=2"])
  func separators(text: String) throws {
    let form = try FormParameters(parsing: text)
    #expect(form["b"] == nil)
    #expect(form["a"] == String(text.dropFirst(2)))
  }

  /// The parser compares the first 16 names one by one, and looks up later names in a set.
  @Test(
    "S-39: regardless of the number of names, every value is found, and a repeated name is reported",
    arguments: [2, 15, 16, 17, 100])
  func many(count: Int) throws {
    let names = (0..<count).map { "n\($0)" }
    let text = names.map { "\($0)=\($0)" }.joined(separator: "&")
    let form = try FormParameters(parsing: text)
    #expect(form.all.map(\.name) == names && form.all.map(\.value) == names)
    #expect(names.allSatisfy { form[$0] == $0 })
    for name in [names[0], names[count - 1]] {
      #expect(throws: FormError.repeated(name)) { try FormParameters(parsing: "\(text)&\(name)=") }
      #expect(throws: FormError.repeated(name)) { try FormParameters(parsing: "\(name)=&\(text)") }
      let several = try FormParameters(parsing: "\(text)&\(name)=again", repeatable: [name])
      #expect(several.values(of: name) == [name, "again"] && several[name] == name)
    }
  }

  @Test(
    "a form with 100,000 parameters is parsed within the time limit",
    .timeLimit(.minutes(1)))
  func hostile() throws {
    let form = try FormParameters(parsing: (0..<100_000).map { "\($0)=1" }.joined(separator: "&"))
    #expect(form["99999"] == "1" && form.all.count == 100_000)
  }

  @Test(
    "percent-encoded characters are decoded at every position, and rejected if they are truncated",
    arguments: 0...3, 0...3)
  func escapes(before: Int, after: Int) throws {
    let (before, after) = (String(repeating: "x", count: before), String(repeating: "y", count: after))
    for (encoded, plain) in [("%20", " "), ("+", " "), ("%2B", "+"), ("%c3%A9", "é"), ("%26%3D", "&=")] {
      #expect(try FormParameters(parsing: "a=\(before)\(encoded)\(after)")["a"] == before + plain + after)
      #expect(PercentEncoding.decodeForm((before + encoded + after).utf8) == before + plain + after)
    }
    for broken in ["%", "%2", "%2+", "%%20"] where after.isEmpty {
      #expect(throws: FormError.malformed) { try FormParameters(parsing: "a=\(before)\(broken)") }
      #expect(throws: FormError.malformed) { try FormParameters(parsing: "\(before)\(broken)=1&b=20") }
    }
  }

  @Test("a null character is rejected, because no parameter may contain one", arguments: ["%00", "x%00y", "\u{0}"])
  func null(_ text: String) {
    #expect(throws: FormError.malformed) { try FormParameters(parsing: "a=\(text)") }
    #expect(throws: FormError.malformed) { try FormParameters(parsing: "\(text)=a") }
  }

  @Test("encoded parameters are decoded to the same values")
  func roundTrip() throws {
    let value = String(decoding: (1...0x7F).map { UInt8($0) }, as: UTF8.self) + "é😀"
    let encoded = FormParameters.encode([(name: "a b", value: value), (name: "&=+", value: "&=+")])
    let form = try FormParameters(parsing: encoded)
    #expect(form["a b"].map { Array($0.utf8) } == Array(value.utf8))
    #expect(form["&=+"] == "&=+")
    let isSafe = encoded.utf8.allSatisfy { PercentEncoding.isUnreserved($0) || "%&=".utf8.contains($0) }
    #expect(isSafe)
  }
}

@Suite("Parameters that may be repeated, RFC 8707 §2")
struct RepeatableParametersTests {
  @Test("S-39: only repeatable parameters can occur more than once, and all of their values are available")
  func repeatable() throws {
    let form = try FormParameters(parsing: "resource=a&x=1&resource=&resource=b", repeatable: ["resource"])
    #expect(form.values(of: "resource") == ["a", "b"])
    #expect(form["resource"] == "a")
    #expect(form.values(of: "x") == ["1"])
    #expect(form.values(of: "y").isEmpty)
    #expect(Set(form.names) == ["resource", "x"])
    #expect(throws: FormError.repeated("x")) { try FormParameters(parsing: "x=1&x=2", repeatable: ["resource"]) }
    #expect(throws: FormError.repeated("resource")) { try FormParameters(parsing: "resource=a&resource=b") }
    #expect(try FormParameters(parsing: "resource=&resource=b", repeatable: ["resource"])["resource"] == "b")
    #expect(try FormParameters(parsing: "resource=", repeatable: ["resource"])["resource"] == nil)
  }
}
