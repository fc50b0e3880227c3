import ArgumentParser
import SallyportDesktop

/// The options that choose the sign-in method.
struct SignInMethodOptions: ParsableArguments {
  @Option(help: "Use this browser: a program and its arguments, run without a shell. The URL is appended.")
  var browser: String?

  @Flag(help: "Use a code that you enter on another device.")
  var device = false

  @Flag(
    help: "Use a browser on another machine, and paste the final URL here. Without a terminal, write it to standard input.")
  var paste = false

  func validate() throws {
    guard [self.browser != nil, self.device, self.paste].count(where: { $0 }) <= 1 else {
      throw ValidationError("--browser, --device, and --paste cannot be combined.")
    }
  }

  /// The chosen method, or `nil` if none was chosen.
  var chosen: SignInMethod? {
    if self.browser != nil { return .browser }
    if self.device { return .device }
    return self.paste ? .paste : nil
  }

  /// Returns the browser that `--browser` names or, without the option, the system's default browser.
  func systemBrowser() throws -> SystemBrowser {
    guard let command = self.browser else { return .systemBrowser }
    do {
      return try SystemBrowser(command: command)
    } catch .empty {
      throw ValidationError("--browser must not be empty.")
    } catch {
      throw ValidationError("--browser contains an unterminated quote or a trailing backslash.")
    }
  }
}
