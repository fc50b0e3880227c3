import BrowserDriver
import Hummingbird
import SallyportAsyncHTTPClient
import SallyportProtocol
import SocketTestSupport
import Testing

extension EndToEndTests {
  @Suite struct FormPostTests {
    @Test(
      "S-28: with response_mode=form_post, the page posts the response to the app, automatically or, without JavaScript, with its button",
      arguments: [true, false])
    func formPost(scripting: Bool) async throws {
      let (forms, continuation) = AsyncStream.makeStream(of: String.self)
      try await SocketTestSupport.withServer { router in
        router.post("/oauth2redirect/localhost") { request, _ in
          continuation.yield(String(buffer: try await request.body.collect(upTo: 1 << 16)))
          return "received"
        }
      } _: { port in
        try await withServer(clients: [.notes]) { server in
          try await AsyncHTTPClientTransport.withTransport { transport in
            let app = try await HTTPApp(.notes, at: server, transport: transport)
            let pending = try app.begin(redirectURI: "http://127.0.0.1:\(port)/oauth2redirect/localhost")
            try await withTestBrowser(
              scripting ? "form-post" : "form-post-without-scripts", options: BrowserOptions(scripting: scripting)
            ) { browser in
              try await browser.open(pending.url + "&response_mode=form_post")
              try await browser.signIn(server.account)
              try await browser.decide(.allow)
              if !scripting {
                try await browser.wait(for: "the page with the response") { try await $0.text.contains("Back to") }
                try await browser.click("button")
              }
              try await browser.wait(for: "the app's page") { try await $0.text.contains("received") }
              #expect(try await browser.currentURL == pending.redirectURI, "the URL contains no part of the response")
            }
            let form = try FormParameters(parsing: try #require(await forms.first { _ in true }))
            #expect(form["state"] == pending.state && form["iss"] == server.issuer)
            let response = try await app.redeem(try #require(form["code"]), for: pending)
            #expect(response.status == 200 && response.body.accessToken != nil, "\(response)")
          }
        }
      }
    }
  }
}
