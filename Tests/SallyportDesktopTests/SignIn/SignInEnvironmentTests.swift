import Testing

@testable import SallyportDesktop

@Suite("SignInEnvironment")
struct SignInEnvironmentTests {
  struct Machine: Sendable, CustomTestStringConvertible {
    var name: String
    var variables: [String: String] = [:]
    var files: [String: String] = [:]
    var hasTerminal = true
    /// The expected methods. If the only method is `.browser` and there is a terminal, the other methods are expected
    /// too.
    var methods: [SignInMethod]
    var reason: SignInPlan.Reason

    var testDescription: String { self.name }
  }

  static let machines: [Machine] = [
    Machine(name: "a desktop", variables: ["DISPLAY": ":0"], methods: [.browser], reason: .display),
    Machine(name: "a Wayland desktop", variables: ["WAYLAND_DISPLAY": "wayland-0"], methods: [.browser], reason: .display),
    Machine(
      name: "a script on a desktop", variables: ["DISPLAY": ":0"], hasTerminal: false, methods: [.browser], reason: .display),
    Machine(name: "a text console", methods: [.device, .paste], reason: .noDisplay),
    Machine(name: "a script without a display", hasTerminal: false, methods: [.device], reason: .noDisplay),
    Machine(name: "an empty DISPLAY variable", variables: ["DISPLAY": ""], methods: [.device, .paste], reason: .noDisplay),
    Machine(
      name: "SSH", variables: ["SSH_CONNECTION": "10.0.0.1 1 10.0.0.2 22", "SSH_TTY": "/dev/pts/0"], methods: [.device, .paste],
      reason: .ssh),
    Machine(
      name: "SSH after sudo, which keeps only SSH_TTY", variables: ["SSH_TTY": "/dev/pts/0"], methods: [.device, .paste],
      reason: .ssh),
    Machine(
      name: "a command over SSH", variables: ["SSH_CONNECTION": "…"], hasTerminal: false, methods: [.device], reason: .ssh),
    Machine(
      name: "SSH with a forwarded display", variables: ["SSH_CONNECTION": "…", "DISPLAY": "localhost:10.0"], methods: [.browser],
      reason: .display),
    Machine(
      name: "an editor over SSH", variables: ["SSH_CONNECTION": "…", "BROWSER": "/vscode/browser.sh"], methods: [.browser],
      reason: .browserNamed),
    Machine(name: "Docker", files: ["/.dockerenv": ""], methods: [.device, .paste], reason: .container),
    Machine(name: "Podman", files: ["/run/.containerenv": ""], methods: [.device, .paste], reason: .container),
    Machine(name: "nspawn", variables: ["container": "systemd-nspawn"], methods: [.device, .paste], reason: .container),
    Machine(
      name: "Kubernetes", variables: ["KUBERNETES_SERVICE_HOST": "10.0.0.1"], hasTerminal: false, methods: [.device],
      reason: .container),
    Machine(
      name: "a container that is recognized only by its control group", files: ["/proc/1/cgroup": "12:cpu:/docker/0123\n"],
      methods: [.device, .paste], reason: .container),
    Machine(
      name: "a text console with an ordinary control group", files: ["/proc/1/cgroup": "0::/init.scope\n"],
      methods: [.device, .paste], reason: .noDisplay),
    Machine(
      name: "a toolbox with the desktop's display", variables: ["DISPLAY": ":0", "container": "oci"],
      files: ["/run/.containerenv": ""], methods: [.browser], reason: .display),
    Machine(
      name: "an editor's container", variables: ["BROWSER": "/vscode/browser.sh"], files: ["/.dockerenv": ""],
      methods: [.browser], reason: .browserNamed),
    Machine(name: "WSL", variables: ["WSL_DISTRO_NAME": "Debian"], methods: [.browser], reason: .windows),
    Machine(
      name: "WSL that looks like a container", variables: ["WSL_DISTRO_NAME": "Debian"], files: ["/.dockerenv": ""],
      methods: [.browser], reason: .windows),
    Machine(
      name: "WSL that is recognized only by its kernel",
      files: ["/proc/version": "Linux version 5.15.90.1-microsoft-standard-WSL2"],
      methods: [.browser], reason: .windows),
    Machine(
      name: "WSL 1", files: ["/proc/version": "Linux version 4.4.0-19041-Microsoft"], methods: [.browser], reason: .windows),
    Machine(
      name: "WSL with a display", variables: ["WSL_DISTRO_NAME": "Debian", "DISPLAY": ":0"], methods: [.browser],
      reason: .windows),
    Machine(
      name: "SSH into WSL", variables: ["WSL_DISTRO_NAME": "Debian", "SSH_TTY": "/dev/pts/0"], methods: [.device, .paste],
      reason: .ssh),
    Machine(
      name: "a container on WSL's kernel", files: ["/.dockerenv": "", "/proc/version": "… microsoft-standard-WSL2"],
      methods: [.device, .paste], reason: .container),
  ]

  @Test(
    "P-06: the plan contains the methods that work in the environment, and no browser that the user could not see",
    arguments: machines)
  func plan(_ machine: Machine) {
    let environment = SignInEnvironment(
      environment: Environment(machine.variables), files: MachineFiles(machine.files), hasTerminal: machine.hasTerminal)
    // If no browser opens, a user at a terminal can use the other methods.
    let additional: [SignInMethod] = machine.methods == [.browser] && machine.hasTerminal ? [.device, .paste] : []
    #expect(environment.plan() == SignInPlan(methods: machine.methods + additional, reason: machine.reason))
  }

  @Test("P-06: the user's choice always takes precedence", arguments: machines, SignInMethod.allCases)
  func chosen(_ machine: Machine, _ method: SignInMethod) {
    let environment = SignInEnvironment(
      environment: Environment(machine.variables), files: MachineFiles(machine.files), hasTerminal: machine.hasTerminal)
    #expect(environment.plan(choosing: method) == SignInPlan(methods: [method], reason: .chosen))
  }

  @Test(
    "C-35: the owner of the peer is determined, except that in WSL, the owner of a Windows program is unknown",
    arguments: [
      (SocketTable.Row(user: 1000, isOpen: true), false, PeerOwner.sameUser),
      (SocketTable.Row(user: 1000, isOpen: true), true, .sameUser),
      (SocketTable.Row(user: 1000, isOpen: false), false, .otherUser),
      (SocketTable.Row(user: 0, isOpen: true), false, .otherUser),
      (SocketTable.Row(user: 0, isOpen: true), true, .unknown), (SocketTable.Row(user: 1001, isOpen: true), true, .otherUser),
      (nil, false, .otherUser), (nil, true, .unknown),
    ] as [(SocketTable.Row?, Bool, PeerOwner)])
  func peers(_ row: SocketTable.Row?, _ isWSL: Bool, _ owner: PeerOwner) {
    #expect(PeerOwner.owner(row, user: 1000, isWSL: isWSL) == owner)
  }
}
