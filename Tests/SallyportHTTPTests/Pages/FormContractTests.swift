import HTTPTestSupport
import SallyportHTTP
import SallyportProtocol
import Testing

@Suite("Form contract")
struct FormContractTests {
  /// Pages in which every text of a user, an app, or an interaction is "Notes".
  let sample: SamplePages

  init() { self.sample = SamplePages() }

  @Test("the sign-in form posts username, password, csrf, and the choice \"This is not my device\", and nothing else")
  func signIn() {
    let markup = Markup(self.sample.pages.signIn(self.sample.signIn()))
    #expect(markup.all("form").count == 1)
    #expect(markup.first("form")?["method"] == "post")
    #expect(markup.first("form")?["action"] == "/signin?i=Notes")
    #expect(
      markup.elements.compactMap { $0.name == "meta" ? nil : $0["name"] } == ["csrf", "username", "password", "public-device"])
    #expect(markup.field("username")?["autocomplete"] == "username")
    #expect(markup.field("password")?["autocomplete"] == "current-password")
    #expect(markup.field("password")?["type"] == "password")
    #expect(markup.field("password")?["value"] == nil)
    #expect(markup.field("csrf")?["type"] == "hidden")
  }

  @Test("the form for a new password posts it twice, with csrf and proof, and has autocomplete values for password managers")
  func changePassword() {
    let markup = Markup(self.sample.pages.changePassword(self.sample.changePassword()))
    #expect(markup.all("form").count == 1)
    #expect(markup.first("form")?["method"] == "post")
    #expect(markup.first("form")?["action"] == "/change?i=Notes")
    // `proof` shows that the user has entered the current password, which no longer meets the policy.
    let names = markup.elements.compactMap { $0.name == "meta" ? nil : $0["name"] }
    #expect(names == ["csrf", "proof", "new-password", "new-password-repeat"])
    for name in ["new-password", "new-password-repeat"] {
      #expect(markup.field(name)?["autocomplete"] == "new-password")
      #expect(markup.field(name)?["type"] == "password")
      #expect(markup.field(name)?["value"] == nil)
    }
    #expect(markup.all("input").first { $0["autocomplete"] == "username" }?["value"] == "Notes")
  }

  @Test("a rejected password causes an alert, and both fields refer to the alert", arguments: ChangePasswordPage.Failure.samples)
  func rejectedPassword(_ failure: ChangePasswordPage.Failure) throws {
    let markup = Markup(self.sample.pages.changePassword(self.sample.changePassword(failure)))
    let alert = try #require(markup.elements.first { $0["role"] == "alert" })
    #expect(!alert.text.isEmpty)
    #expect(markup.first("title")?.text.hasPrefix("Error: ") == true)
    for name in ["new-password", "new-password-repeat"] {
      #expect(markup.field(name)?["aria-describedby"]?.split(separator: " ").contains { $0 == alert["id"] ?? "" } == true)
    }
  }

  @Test("the focus starts in the first empty field", arguments: [("", "username"), ("alice", "password")])
  func focus(username: String, field: String) {
    let markup = Markup(self.sample.pages.signIn(self.sample.signIn(username: username)))
    #expect(markup.elements.filter { $0["autofocus"] != nil }.map { $0["name"] } == [field])
  }

  @Test(
    "a failed sign-in causes an alert and an error in the title, and both fields refer to the alert",
    arguments: SignInFailure.samples)
  func failure(_ failure: SignInFailure) throws {
    let markup = Markup(self.sample.pages.signIn(self.sample.signIn(username: "alice", failure: failure)))
    let alert = try #require(markup.elements.first { $0["role"] == "alert" })
    #expect(!alert.text.isEmpty)
    #expect(markup.first("title")?.text.hasPrefix("Error: ") == true)
    for name in ["username", "password"] {
      #expect(markup.field(name)?["aria-describedby"]?.split(separator: " ").contains { $0 == alert["id"] ?? "" } == true)
      #expect((markup.field(name)?["aria-invalid"] == "true") == (failure == .wrongCredentials))
    }
  }

  @Test(
    "the consent form has csrf and two buttons named decision; the first one, which is the default, denies")
  func consent() {
    for (name, html) in self.sample.consents {
      let markup = Markup(html)
      #expect(markup.all("form").count == 1, "\(name)")
      #expect(markup.first("form")?["action"] == "/consent?i=Notes")
      #expect(markup.all("button").map { $0["name"] } == ["decision", "decision"], "\(name)")
      #expect(markup.all("button").map { $0["value"] } == ["deny", "allow"], "\(name)")
      #expect(markup.all("button").map { $0["type"] } == ["submit", "submit"], "\(name)")
      #expect(markup.all("input").map { $0["name"] } == ["csrf"], "\(name)")
      #expect(markup.all("input").map { $0["type"] } == ["hidden"], "\(name)")
      #expect(markup.elements.allSatisfy { $0["autofocus"] == nil && $0["accesskey"] == nil }, "\(name)")
      #expect(markup.first("a")?["href"] == "/signin?switch&i=Notes", "\(name)")
    }
  }

  @Test("the account page has one button with the value revoke for each app, and every form has csrf")
  func account() {
    let markup = Markup(self.sample.pages.account(self.sample.account))
    #expect(markup.all("button").filter { $0["value"] == "revoke" }.count == 2)
    #expect(markup.all("form").allSatisfy { $0["method"] == "post" })
    #expect(markup.all("form").count == markup.all("input").filter { $0["name"] == "csrf" }.count)
    #expect(markup.elements.allSatisfy { $0["autofocus"] == nil && $0["accesskey"] == nil })
  }

  @Test("both forms of the second step post csrf, state, and code; the field for an app's code has autocomplete one-time-code")
  func secondFactor() {
    let markup = Markup(self.sample.pages.secondFactor(self.sample.secondFactor()))
    #expect(markup.all("form").map { $0["action"] } == ["/code?i=Notes", "/code?i=Notes"])
    #expect(markup.all("input").map { $0["name"] } == ["csrf", "state", "code", "csrf", "state", "code"])
    #expect(markup.field("code")?["autocomplete"] == "one-time-code" && markup.field("code")?["inputmode"] == "numeric")
    #expect(markup.elements.filter { $0["autofocus"] != nil }.map { $0["id"] } == ["code"])
    // The message for a wrong code says that the user can enter an app's code or a recovery code, so a recovery code
    // must fit into each field.
    #expect(markup.all("input").filter { $0["name"] == "code" }.map { $0["maxlength"] } == ["40", "40"])
    let recovery = self.sample.secondFactor(.wrongCode, acceptsApp: false)
    let other = Markup(self.sample.pages.secondFactor(recovery))
    #expect(other.all("form").count == 1 && other.field("code")?["autocomplete"] == "off")
    #expect(other.first("title")?.text.hasPrefix("Error: ") == true)
  }

  @Test("signing out is a POST with one button")
  func signOut() {
    let signOut = SignOutPage(username: "alice", action: "/signout", csrfToken: "t")
    let home = HomePage(username: "alice", signOutAction: "/signout", csrfToken: "t")
    for html in [self.sample.pages.signOut(signOut), self.sample.pages.home(home)] {
      let markup = Markup(html)
      #expect(markup.first("form")?["method"] == "post")
      #expect(markup.first("form")?["action"] == "/signout")
      #expect(markup.field("csrf")?["value"] == "t")
      #expect(markup.all("button").count == 1)
      #expect(html.contains("alice"))
    }
    #expect(Markup(self.sample.pages.home(HomePage())).all("form").isEmpty)
  }
}
