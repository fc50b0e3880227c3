import SallyportProtocol

/// Properties of the parser of form bodies and queries (RFC 6749 §3.1 and §3.2).
enum FormProperties {
  static func check(_ input: [UInt8]) throws(Violation) -> Bool {
    guard let text = String(validating: input, as: UTF8.self) else { return false }
    let strict = Result { () throws(FormError) in try FormParameters(parsing: text, repeatable: ["resource"]) }
    let lenient = Result { () throws(FormError) in
      try FormParameters.collectingRepeated(parsing: text, repeatable: ["resource"])
    }
    switch (strict, lenient) {
    case (.success(let form), .success((let other, let repeated))):
      try require(repeated.isEmpty && self.haveSameParameters(form, other), "both parsers return the same parameters")
      try self.checkRead(form, text)
      return true
    case (.failure(.repeated(let name)), .success((_, let repeated))):
      try require(
        repeated.contains(name) && name != "resource", "both parsers report the same repeated parameter, which is never resource")
    case (.failure(.malformed), .failure(.malformed)): break
    default: throw Violation(of: "both parsers reject the same malformed input")
    }
    return false
  }

  private static func checkRead(_ form: FormParameters, _ text: String) throws(Violation) {
    let all = form.all
    try require(all.allSatisfy { !$0.value.isEmpty }, "a parameter without a value counts as omitted")
    try require(
      all.count <= text.utf8.count(where: { $0 == UInt8(ascii: "&") }) + 1, "a form has no more parameters than the input")
    for name in form.names {
      try require(form[name] == form.values(of: name).first, "a parameter's value is its first value")
      try require(name == "resource" || form.values(of: name).count == 1, "only resource can occur more than once")
    }
    let encoded = FormParameters.encode(all)
    let hasOnlyAllowedBytes = encoded.utf8.allSatisfy { PercentEncoding.isUnreserved($0) || "%=&".utf8.contains($0) }
    try require(hasOnlyAllowedBytes, "an encoded form has only unreserved characters, percent signs, and its separators = and &")
    let reparsed = try? FormParameters(parsing: encoded, repeatable: ["resource"])
    try require(reparsed.map { self.haveSameParameters($0, form) } ?? false, "an encoded form decodes to the same value")
  }

  private static func haveSameParameters(_ first: FormParameters, _ second: FormParameters) -> Bool {
    Set(first.names) == Set(second.names) && first.names.allSatisfy { first.values(of: $0) == second.values(of: $0) }
  }
}
