/// What the machine around a command is like, as far as it decides how a person can sign in.
public struct Surroundings: Sendable, Equatable {
  /// Whether the person works here over SSH.
  public var isSSH: Bool
  /// Whether this runs in a container (Docker, Podman, Kubernetes, LXC).
  public var isContainer: Bool
  /// Whether this runs in Windows' subsystem for Linux, whose browser is one of Windows.
  public var isWSL: Bool
  /// Whether a window can be opened.
  public var hasDisplay: Bool
  /// Whether the person, or the editor that they work in, has named a browser (`BROWSER`).
  public var namesBrowser: Bool
  /// Whether somebody reads standard error and can answer on standard input.
  public var hasTerminal: Bool

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

  /// This process's.
  public static var current: Surroundings {
    Surroundings(
      environment: .process, files: .machine, hasTerminal: Terminal.isTerminal(0) && Terminal.isTerminal(2))
  }

  package init(environment: Environment, files: MachineFiles, hasTerminal: Bool) {
    self.init(
      isSSH: ["SSH_CONNECTION", "SSH_TTY", "SSH_CLIENT"].contains { environment[$0] != nil },
      isContainer: Self.isContainer(environment, files), isWSL: Self.isWSL(environment, files),
      hasDisplay: Self.hasDisplay(environment), namesBrowser: environment["BROWSER"] != nil, hasTerminal: hasTerminal)
  }

  private static func isContainer(_ environment: Environment, _ files: MachineFiles) -> Bool {
    // systemd and Podman set the first, Kubernetes the second.
    if environment["container"] != nil || environment["KUBERNETES_SERVICE_HOST"] != nil { return true }
    if files.exists("/.dockerenv") || files.exists("/run/.containerenv") { return true }
    // The first process's control group, where its name is not hidden by a namespace.
    let group = files.content("/proc/1/cgroup") ?? ""
    return ["/docker", "/kubepods", "/lxc", "/libpod", "containerd"].contains { group.contains($0) }
  }

  /// A container on Windows' kernel has no way to Windows' browser, but where the variables of the subsystem were handed on to it.
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

/// Questions about files; tests bring their own answers.
package struct MachineFiles: Sendable {
  var exists: @Sendable (String) -> Bool
  var content: @Sendable (String) -> String?

  #if os(Windows)
    /// None of those that are asked for.
    static let machine = MachineFiles()
  #else
    static let machine = MachineFiles(
      exists: { FileSystem.exists($0) },
      content: { FileSystem.content($0).map { String(decoding: $0, as: UTF8.self) } })
  #endif

  /// Files with these contents and no others.
  package init(_ contents: [String: String] = [:]) {
    self.init(exists: { contents[$0] != nil }, content: { contents[$0] })
  }

  private init(exists: @escaping @Sendable (String) -> Bool, content: @escaping @Sendable (String) -> String?) {
    self.exists = exists
    self.content = content
  }
}
