import SallyportProtocol
import Testing

@testable import SallyportServer

@Suite("Email addresses for mail")
struct EmailAddressTests {
  @Test(
    "a valid address is accepted unchanged",
    arguments: [
      "ada@example.com", "a.b+c_d@mail.example.co.uk", "o'hara@x", "!#$%&'*+-/=?^_`{|}~@example.com", "UPPER@EXAMPLE.COM",
      "a@xn--p1ai",
      "\(String(repeating: "x", count: 64))@example.com",
    ])
  func accepts(_ text: String) {
    #expect(EmailAddress(text)?.value == text)
  }

  @Test(
    "a malformed address is rejected, and so is a text that could add a header field, a recipient, or a command argument",
    arguments: [
      "", "ada", "@example.com", "ada@", "ada@@example.com", "a@b@c", "a b@example.com", "ada@example.com\nBcc: eve@example.net",
      "ada@example.com\r\n", "ada@example.com,eve@example.net", "Ada <ada@example.com>", "\"ada\"@example.com",
      "ada(x)@example.com",
      ".ada@example.com", "ada.@example.com", "a..b@example.com", "ada@-example.com", "ada@example-.com", "ada@example..com",
      "ada@[127.0.0.1]", "adá@example.com", "ada@exämple.com", "ada@example.com\0", "ada;x@example.com", "ada:x@example.com",
      "\(String(repeating: "x", count: 65))@example.com", "a@\(String(repeating: "x", count: 64)).com",
      "a@\(Array(repeating: "abcdefgh", count: 30).joined(separator: "."))",
    ])
  func rejects(_ text: String) {
    #expect(EmailAddress(text) == nil)
  }
}
