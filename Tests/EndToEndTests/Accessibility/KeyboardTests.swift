import BrowserDriver
import SallyportAsyncHTTPClient
import Testing

extension EndToEndTests {
  /// Tests whole flows in which the user reaches and activates controls only with the keys Tab, Enter, and Space. Also
  /// tests the names that screen readers speak for the controls.
  @Suite struct KeyboardTests {
    @Test("with the keyboard only, a user signs in to an app, allows access, and removes it; each control has the expected name")
    func wholeFlow() async throws {
      try await withServer(clients: [.notes]) { server in
        try await AsyncHTTPClientTransport.withTransport { transport in
          let app = try await HTTPApp(.notes, at: server, transport: transport)
          try await withTestBrowser("keyboard") { browser in
            let pending = try app.begin()
            try await browser.open(pending.url)
            // The focus is in the first field when the page is loaded.
            try await browser.expectFocus(on: "User name")
            try await browser.typeIntoFocusedElement(server.account.name)
            try await browser.tab(through: ["Password"])
            try await browser.typeIntoFocusedElement(server.account.password)
            try await browser.tab(through: ["This is not my device", "Sign in"])
            try await browser.press(.enter)

            try await browser.waitForConsent()
            try await browser.tab(through: ["Not you? Use another account", "Deny", "Allow"])
            try await browser.press(.space)
            let location = try await browser.waitForNavigation(to: pending.redirectURI)
            let tokens = try await app.redeem(app.code(in: location, for: pending), for: pending)
            let refreshToken = try #require(tokens.body.refreshToken)

            try await browser.open(server.issuer + "/account")
            try await browser.tab(through: ["Sign out of this browser", "Use another account", "Name", "Save the name"])
            try await browser.tab(to: "Remove access of Notes")
            try await browser.press(.enter)
            try await browser.wait(for: "the status") { try await !$0.findAll("[role=status]").isEmpty }
            #expect(try await browser.text(of: "[role=status]") == "The app no longer has access to your account.")
            #expect(try await app.refresh(refreshToken).body.error == "invalid_grant")
          }
        }
      }
    }

    @Test("in Arabic, the pages run from right to left, and the keyboard reaches their controls in the same order")
    func rightToLeft() async throws {
      try await withServer(clients: [.notes]) { server in
        try await AsyncHTTPClientTransport.withTransport { transport in
          let pending = try await HTTPApp(.notes, at: server, transport: transport).begin()
          try await withTestBrowser("keyboard-arabic") { browser in
            try await browser.open(pending.url + "&ui_locales=ar")
            try await browser.expectFocus(on: "اسم المستخدم")
            try await browser.expectRightToLeft()
            try await browser.typeIntoFocusedElement(server.account.name)
            try await browser.tab(through: ["كلمة المرور"])
            try await browser.typeIntoFocusedElement(server.account.password)
            try await browser.tab(through: ["هذا ليس جهازي", "تسجيل الدخول"])
            try await browser.press(.enter)
            try await browser.waitForConsent()
            try await browser.expectRightToLeft()
            try await browser.tab(through: ["لست أنت؟ استخدام حساب آخر", "رفض", "سماح"])
            try await browser.press(.enter)
            _ = try await browser.waitForNavigation(to: pending.redirectURI)
          }
        }
      }
    }
  }
}

extension Browser {
  /// Waits until the control with the focus has this name. The browser computes names some time after the page has
  /// changed.
  fileprivate func expectFocus(on name: String) async throws {
    try await self.wait(for: "the focus on “\(name)”", within: .seconds(20)) { try await $0.nameOfFocusedElement == name }
  }

  /// Presses Tab once for each name, and each time expects the focus on the control with that name.
  fileprivate func tab(through names: [String]) async throws {
    for name in names {
      try await self.press(.tab)
      try await self.expectFocus(on: name)
    }
  }

  /// Presses Tab until the focus reaches the control with this name.
  fileprivate func tab(to name: String) async throws {
    for _ in 0..<100 {
      try await self.press(.tab)
      if try await self.nameOfFocusedElement == name { return }
    }
    throw UnexpectedResult("Tab does not reach the control “\(name)”")
  }

  /// Expects the page to be in Arabic, with the heading nearer to the right edge than to the left edge.
  fileprivate func expectRightToLeft() async throws {
    let isRightToLeft = try await self.evaluate(
      """
      const [main, heading] = [document.querySelector('main'), document.querySelector('h1')];
      const range = document.createRange();
      range.selectNodeContents(heading);
      const [outer, text] = [main.getBoundingClientRect(), range.getBoundingClientRect()];
      return outer.right - text.right < text.left - outer.left && document.documentElement.lang === 'ar';
      """, as: Bool.self)
    #expect(isRightToLeft)
  }
}
