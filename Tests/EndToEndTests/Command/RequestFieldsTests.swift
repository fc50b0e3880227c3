import BrowserDriver
import Testing

extension EndToEndTests {
  @Suite struct RequestFieldsTests {
    @Test(
      "C-34: 'sallyport request' rejects header fields that it sets itself or that control the connection, and invalid fields",
      arguments: [
        "Authorization: Bearer x", "DPoP: x", "host: evil.example", "Content-Length: 0", "Transfer-Encoding: chunked",
        "connection: close", "X-Note: a\nAuthorization: Bearer x", "no field",
      ])
    func rejected(field: String) async throws {
      try await withUser { user in
        let finished = try await user.sallyport("request", "--header", field, "https://api.example/")
        #expect(finished.status == .exited(2) && finished.output.isEmpty, "\(finished)")
      }
    }
  }
}
