import SallyportProtocol
import SallyportServer
import Testing

@Suite("The password policy")
struct PasswordPolicyTests {
  /// Returns why the policy rejects a password of the user Alice Liddell; nil if the password is accepted.
  private func violation(_ password: String, _ policy: PasswordPolicy = PasswordPolicy()) -> PasswordPolicy.Violation? {
    do throws(PasswordPolicy.Violation) {
      try policy.check(Secret(password), names: ["alice", "alice.liddell@example.com", "Alice Liddell"])
      return nil
    } catch { return error }
  }

  @Test(
    "a password of a few very common words, names, sequences, or repetitions is rejected, although it is long enough",
    arguments: [
      "passwordpassword", "123456789012345", "aaaaaaaaaaaaaaa", "alice-alice-alice", "qwertyuiopasdfgh", "password12345678",
      "PASSWORD12345678", "P@$$w0rdP@$$w0rd", "alice.liddell@example.com", "aliceliddell1234", "iloveyou iloveyou",
      "abcdefghijklmnopqrstuvwxyz", "zyxwvutsrqponml", "1qaz2wsx3edc4rfv", "abcabcabcabcabc", "monkeydragon1987",
      "xkcdxkcdxkcdxkcd",
      "sallyport.example", "welcome to sallyport", "qwertzuiopqwertzuiop", "111111111111111111111111", "               ",
    ])
  func easyToGuess(password: String) {
    let policy = PasswordPolicy(serverNames: ["Sallyport", "sallyport.example"])
    #expect(self.violation(password, policy) == .tooEasyToGuess)
  }

  @Test(
    "random words and random characters are accepted, without rules about the kinds of characters",
    arguments: [
      "correct horse battery staple", "correct horse battery staple alice", "another horse without a battery",
      "vkqzjwpmxhtbngr", "730284619305827", "Zo\u{EB} kauft fünf Gänse", "密码密钥猫狗山水火风云雨雪花月", "x8#Lp2!vQz9@Tm4",
      "fluss-tasse-mond-kiste",
    ])
  func accepted(password: String) {
    #expect(self.violation(password) == nil)
  }

  @Test("random letters are not mistaken for words")
  func random() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      let letters = (0..<15).compactMap { _ in "abcdefghijklmnopqrstuvwxyz".randomElement(using: &generator) }
      #expect(self.violation(String(letters)) == nil, "\(String(letters))")
    }
  }

  @Test("the length counts code points in NFC, not bytes, and not grapheme clusters")
  func length() {
    let tooShort = PasswordPolicy.Violation.tooShort(minimumLength: 15)
    #expect(self.violation("vkqzjwpmxhtbng") == tooShort)
    #expect(self.violation("vkqzjwpmxhtbng\u{EB}") == nil)
    // This password has 14 code points in NFC, and 15 as typed.
    #expect(self.violation("vkqzjwpmxhtbne\u{308}") == tooShort)
    // The family emoji is one grapheme cluster with seven code points, so this password has 15 code points.
    #expect(self.violation("vkqzjwpm\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}\u{200D}\u{1F466}") == nil)
    #expect(self.violation("") == tooShort)
  }

  @Test("a password may have up to 1,024 bytes in NFC, if it is hard to guess")
  func longest() {
    let words = (0..<200).map { "vkqz\($0)" }.joined()
    #expect(self.violation(String(words.prefix(64))) == nil)
    #expect(self.violation(String(words.prefix(1_024))) == nil)
    #expect(self.violation(String(words.prefix(1_022)) + "\u{EB}") == nil)
    #expect(self.violation(String(words.prefix(1_023)) + "\u{EB}") == .tooLong)
    #expect(self.violation(String(repeating: "x", count: 1_000_000)) == .tooLong)
    #expect(self.violation(String(repeating: "x", count: 1_024)) == .tooEasyToGuess)
  }

  @Test("with a minimum length of 8, 8 characters are enough, but common words are still rejected")
  func secondFactor() {
    let policy = PasswordPolicy(minimumLength: 8)
    #expect(self.violation("vkqzjwp", policy) == .tooShort(minimumLength: 8))
    #expect(self.violation("vkqzjwpm", policy) == nil)
    for password in ["password", "12345678", "alicealice", "qwertyuiop", "iloveyou"] {
      #expect(self.violation(password, policy) == .tooEasyToGuess, "\(password)")
    }
  }

  @Test("each explanation names the requirement and what to do")
  func explanations() {
    #expect(PasswordPolicy.Violation.tooShort(minimumLength: 15).explanation.contains("fewer than 15 characters"))
    #expect(PasswordPolicy.Violation.tooLong.explanation.contains("1024 bytes"))
    #expect(PasswordPolicy.Violation.tooEasyToGuess.explanation.contains("too easy to guess"))
    for violation in [PasswordPolicy.Violation.tooShort(minimumLength: 15), .tooLong, .tooEasyToGuess] {
      #expect(violation.explanation.contains("Choose"))
    }
  }
}
