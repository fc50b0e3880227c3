import Foundation
import SallyportServer
import Testing

@testable import SallyportDaemon

@Suite("The mail command")
struct SendmailTransportTests {
  /// A transport whose program is a shell script.
  private func transport(_ script: String, _ arguments: [String] = [], timeout: Duration = .seconds(60)) -> SendmailTransport {
    SendmailTransport(command: ["/bin/sh", "-c", script, "sendmail"] + arguments, timeout: timeout)
  }

  private func failure(_ transport: SendmailTransport, _ message: [UInt8] = Array("x".utf8)) async -> String? {
    do throws(MailTransportError) { try await transport.send(message) } catch { return error.reason }
    return nil
  }

  @Test("the program gets the message as its standard input, and its arguments unchanged")
  func sends() async throws {
    let folder = try Folder()
    defer { folder.remove() }
    let path = "\(folder.path)/out file"
    let message = String(repeating: "line of the message\n", count: 2_000)
    try await self.transport("cat > \"$1\"", [path, "$(touch never)"]).send(Array(message.utf8))
    #expect(try String(contentsOfFile: path, encoding: .utf8) == message)
  }

  @Test("a failure is described without the output of the program")
  func fails() async {
    #expect(
      await self.failure(self.transport("echo secret; echo secret >&2; exit 75")) == "the mail command ended with exit status 75")
    #expect(await self.failure(self.transport("kill -9 $$")) == "the mail command ended with signal 9")
    #expect(await self.failure(SendmailTransport(command: ["/nonexistent/sendmail"]))?.contains("cannot be started") == true)
    #expect(await self.failure(self.transport("true"), Array(repeating: 0x78, count: 70_000)) == "the message is too long")
  }

  @Test("a program may exit without reading its input, and a program that does not end in time causes an error")
  func slow() async {
    #expect(await self.failure(self.transport("exec <&-; exit 0")) == nil)
    let reason = await self.failure(self.transport("sleep 600 & wait", timeout: .milliseconds(200)))
    #expect(reason?.contains("did not finish within") == true)
  }

  @Test(
    "environment variables with settings of the server are not passed to the program",
    arguments: ["SALLYPORTD_DATA", "PGPASSWORD", "NOTIFY_SOCKET"])
  func environment(_ name: String) {
    #expect(SendmailTransport.isPassedOn("PATH") && !SendmailTransport.isPassedOn(name))
  }

  @Test("the settings of mail are read and checked")
  func settings() throws {
    func read(_ yaml: String) throws -> ServerSettings { try ServerSettings([SettingSource(file: yaml, path: "f")]) }
    let settings = try read("mail: { from: a@example.com, name: Example, command: \"/usr/bin/msmtp --file='a b' -t\" }")
    #expect(settings.server.mail?.from.value == "a@example.com" && settings.server.mail?.name == "Example")
    #expect(settings.mailCommand == ["/usr/bin/msmtp", "--file=a b", "-t"])
    #expect(try read("log: { level: info }").server.mail == nil)
    for invalid in [
      "mail: { from: a }", "mail: { from: \"a@example.com\\nBcc: b@example.com\" }", "mail: { name: x }", "mail: { command: x }",
      "mail: { from: a@example.com, command: \"x 'y\" }", "mail: { from: a@example.com, command: \" \" }",
      "mail: { from: a@example.com, name: \"a\\nb\" }",
    ] {
      #expect(throws: SettingsMistakes.self, "\(invalid)") { try read(invalid) }
    }
  }

  @Test("sign-up requires mail, and is off by default")
  func signUp() throws {
    func read(_ yaml: String) throws -> SignUpPolicy {
      try ServerSettings([SettingSource(file: yaml, path: "f")]).server.signUp
    }
    #expect(try read("") == .off)
    #expect(try read("accounts.sign-up: off") == .off)
    #expect(try read("accounts.sign-up: invite\nmail.from: a@example.com") == .invite)
    for policy in ["open", "invite"] {
      let error = #expect(throws: SettingsMistakes.self) { try read("accounts.sign-up: \(policy)") }
      #expect(error?.list.count == 1 && error?.list.first?.contains("mail.from") == true)
    }
    #expect(throws: SettingsMistakes.self) { try read("accounts.sign-up: everyone\nmail.from: a@example.com") }
  }

  @Test("if sending is canceled, the error says that the server stopped, and the program is killed")
  func canceled() async throws {
    let folder = try Folder()
    defer { folder.remove() }
    let transport = self.transport("echo $$ > \"$1.new\"; mv \"$1.new\" \"$1\"; sleep 600 & wait", ["\(folder.path)/pid"])
    let task = Task { await self.failure(transport) }
    while !FileManager.default.fileExists(atPath: "\(folder.path)/pid") { try await Task.sleep(for: .milliseconds(5)) }
    task.cancel()
    #expect(await task.value == "the server stopped before the mail command finished")
    let process = try #require(Int32(String(contentsOfFile: "\(folder.path)/pid", encoding: .utf8).dropLast()))
    #expect(kill(process, 0) == -1)
  }

  @Test("doctor reports a mail command that does not exist, if mail is on")
  func doctor() throws {
    func levels(_ yaml: String) throws -> [Finding.Level] {
      let settings = try ServerSettings([SettingSource(file: "issuer: https://id.example\n" + yaml, path: "f")])
      return SettingsCheckup(settings: settings).findings().map(\.level)
    }
    #expect(try levels("mail: { from: a@example.com, command: /nonexistent/sendmail }") == [.problem])
    #expect(try levels("mail: { from: a@example.com, command: sh -c true }") == [.ok])
    #expect(try levels("mail: { from: a@example.com, command: /bin/sh }") == [.ok])
    #expect(try levels("") == [.ok])
  }
}
