/// The properties of a command's environment that determine how a user can sign in.
public struct SignInEnvironment: Sendable, Equatable {
  /// Whether the user is connected over SSH.
  public var isSSH: Bool
  /// Whether the process runs in a container (Docker, Podman, Kubernetes, LXC).
  public var isContainer: Bool
  /// Whether the process runs in the Windows Subsystem for Linux, whose browser is a Windows program.
  public var isWSL: Bool
  /// Whether a window can be opened.
  public var hasDisplay: Bool
  /// Whether `BROWSER` is set, by the user or by an editor.
  public var namesBrowser: Bool
  /// Whether standard input and standard error are terminals.
  public var hasTerminal: Bool

  /// Creates a description of an environment. The properties with the same names describe the parameters.
  public init(
    isSSH: Bool = false, isContainer: Bool = false, isWSL: Bool = false, hasDisplay: Bool = false,
    namesBrowser: Bool = false, hasTerminal: Bool = false
  ) {
    self.isSSH = isSSH
    self.isContainer = isContainer
    self.isWSL = isWSL
    self.hasDisplay = hasDisplay
    self.namesBrowser = namesBrowser
    self.hasTerminal = hasTerminal
  }

  /// The environment of this process.
  public static var current: SignInEnvironment {
    SignInEnvironment(
      environment: .process, files: .machine, hasTerminal: Terminal.isTerminal(0) && Terminal.isTerminal(2))
  }

  package init(environment: Environment, files: MachineFiles, hasTerminal: Bool) {
    self.init(
      isSSH: ["SSH_CONNECTION", "SSH_TTY", "SSH_CLIENT"].contains { environment[$0] != nil },
      isContainer: environment.isContainer(files), isWSL: environment.isWSL(files),
      hasDisplay: Self.hasDisplay(environment), namesBrowser: environment["BROWSER"] != nil, hasTerminal: hasTerminal)
  }

  private static func hasDisplay(_ environment: Environment) -> Bool {
    #if os(macOS) || os(Windows)
      true
    #else
      environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil
    #endif
  }
}
