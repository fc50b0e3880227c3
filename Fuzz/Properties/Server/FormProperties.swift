import SallyportProtocol

/// Form bodies and queries: each parameter at most once, RFC 6749 §3.1 and §3.2.
enum FormProperties {
  static func check(_ input: [UInt8]) throws(Violation) -> Bool {
    guard let text = String(validating: input, as: UTF8.self) else { return false }
    let strict = Result { () throws(FormError) in try FormParameters(parsing: text, repeatable: ["resource"]) }
    let lenient = Result { () throws(FormError) in
      try FormParameters.collectingRepeated(parsing: text, repeatable: ["resource"])
    }
    switch (strict, lenient) {
    case (.success(let form), .success((let other, let repeated))):
      try require(repeated.isEmpty && self.isSame(form, other), "both readings agree")
      try self.checkRead(form, text)
      return true
    case (.failure(.repeated(let name)), .success((_, let repeated))):
      try require(repeated.contains(name) && name != "resource", "what is refused as repeated is repeated")
    case (.failure(.malformed), .failure(.malformed)): break
    default: throw Violation("both readings refuse the same")
    }
    return false
  }

  private static func checkRead(_ form: FormParameters, _ text: String) throws(Violation) {
    let all = form.all
    try require(all.allSatisfy { !$0.value.isEmpty }, "a parameter without a value counts as omitted")
    try require(all.count <= text.utf8.count(where: { $0 == UInt8(ascii: "&") }) + 1, "no parameter comes from nowhere")
    for name in form.names {
      try require(form[name] == form.values(of: name).first, "the first value is the value")
      try require(name == "resource" || form.values(of: name).count == 1, "only resource may stand more than once")
    }
    let written = FormParameters.encode(all)
    let isSafe = written.utf8.allSatisfy { PercentEncoding.isUnreserved($0) || "%=&".utf8.contains($0) }
    try require(isSafe, "what is written has no character that acts on a URL, a header or a page")
    let again = try? FormParameters(parsing: written, repeatable: ["resource"])
    try require(again.map { self.isSame($0, form) } ?? false, "a form that is written again reads the same")
  }

  private static func isSame(_ first: FormParameters, _ second: FormParameters) -> Bool {
    Set(first.names) == Set(second.names) && first.names.allSatisfy { first.values(of: $0) == second.values(of: $0) }
  }
}
