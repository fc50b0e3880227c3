import ArgumentParser
import SallyportDesktop

/// The flags that choose how to sign in.
struct WayOptions: ParsableArguments {
  @Option(help: "With this browser: a program and its arguments, run without a shell; the URL is appended.")
  var browser: String?

  @Flag(help: "With a code that you enter on another device.")
  var device = false

  @Flag(help: "With a browser on another machine, whose last address you paste here.")
  var paste = false

  func validate() throws {
    guard [self.browser != nil, self.device, self.paste].count(where: { $0 }) <= 1 else {
      throw ValidationError("Give one of --browser, --device and --paste.")
    }
  }

  /// Nil where nothing was chosen.
  var chosen: SignInMethod? {
    if self.browser != nil { return .browser }
    if self.device { return .device }
    return self.paste ? .paste : nil
  }

  func systemBrowser() throws -> SystemBrowser {
    guard let command = self.browser else { return .automatic }
    do {
      return try SystemBrowser(command: command)
    } catch .empty {
      throw ValidationError("--browser is empty.")
    } catch {
      throw ValidationError("--browser has a quote or a backslash without its end.")
    }
  }
}
