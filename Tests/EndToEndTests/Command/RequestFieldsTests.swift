import BrowserDriver
import Testing

extension EndToEndTests {
  @Suite struct RequestFieldsTests {
    @Test(
      "C-34: 'sallyport request' rejects header fields that the token or the URL determines, and fields with line breaks",
      arguments: [
        "Authorization: Bearer x", "DPoP: x", "host: evil.example", "Content-Length: 0", "Transfer-Encoding: chunked",
        "connection: close", "X-Note: a\nAuthorization: Bearer x", "no field",
      ])
    func rejected(field: String) async throws {
      try await withUser { user in
        let answer = try await user.sallyport("request", "--header", field, "https://api.example/")
        #expect(answer.status == .exited(2) && answer.output.isEmpty, "\(answer)")
      }
    }
  }
}
