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
      isContainer: Self.isContainer(environment, files), isWSL: Self.isWSL(environment, files),
      hasDisplay: Self.hasDisplay(environment), namesBrowser: environment["BROWSER"] != nil, hasTerminal: hasTerminal)
  }

  private static func isContainer(_ environment: Environment, _ files: MachineFiles) -> Bool {
    // systemd and Podman set the first variable, Kubernetes the second.
    if environment["container"] != nil || environment["KUBERNETES_SERVICE_HOST"] != nil { return true }
    if files.exists("/.dockerenv") || files.exists("/run/.containerenv") { return true }
    // The control group of process 1 is named after the container, unless a namespace hides its name.
    let group = files.content("/proc/1/cgroup") ?? ""
    return ["/docker", "/kubepods", "/lxc", "/libpod", "containerd"].contains { group.contains($0) }
  }

  /// Whether this is WSL. A container on a Windows machine counts only if the variables of WSL were passed to it,
  /// because it cannot start the Windows browser without them.
  static func isWSL(_ environment: Environment, _ files: MachineFiles) -> Bool {
    if environment["WSL_DISTRO_NAME"] != nil || environment["WSL_INTEROP"] != nil { return true }
    if self.isContainer(environment, files) { return false }
    return files.content("/proc/version")?.lowercased().contains("microsoft") ?? false
  }

  private static func hasDisplay(_ environment: Environment) -> Bool {
    #if os(macOS) || os(Windows)
      true
    #else
      environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil
    #endif
  }
}

/// Access to files. Tests provide their own implementation.
package struct MachineFiles: Sendable {
  var exists: @Sendable (String) -> Bool
  var content: @Sendable (String) -> String?

  #if os(Windows)
    /// None of the files exists on Windows.
    static let machine = MachineFiles()
  #else
    static let machine = MachineFiles(
      exists: { FileSystem.exists($0) },
      content: { FileSystem.content($0).map { String(decoding: $0, as: UTF8.self) } })
  #endif

  /// Creates a value with these files only.
  package init(_ contents: [String: String] = [:]) {
    self.init(exists: { contents[$0] != nil }, content: { contents[$0] })
  }

  private init(exists: @escaping @Sendable (String) -> Bool, content: @escaping @Sendable (String) -> String?) {
    self.exists = exists
    self.content = content
  }
}
