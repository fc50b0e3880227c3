// swift-format-ignore-file
// Our own declarations of the parts of the Windows SDK that the client uses. The functions do nothing, except that
// `Winsock` and `Shell` record the calls that tests examine.
import Synchronization
public typealias BYTE = UInt8
public typealias WCHAR = UInt16
public typealias DWORD = UInt32
public typealias ULONG = UInt32
public typealias u_long = UInt32
public typealias u_short = UInt16
public typealias SHORT = Int16
public typealias ADDRESS_FAMILY = UInt16
public typealias SOCKET = UInt64
public typealias socklen_t = Int32
public typealias HANDLE = UnsafeMutableRawPointer
public typealias HMODULE = UnsafeMutablePointer<HINSTANCE__>
public typealias FARPROC = @convention(c) () -> Int
public struct HINSTANCE__ { public var unused: Int32 = 0 }
public struct SECURITY_ATTRIBUTES { public init() {} }
public struct OVERLAPPED { public var Internal: UInt64 = 0; public init() {} }

public let AF_INET: Int32 = 2
public let AF_INET6: Int32 = 23
public let SOCK_STREAM: Int32 = 1
public let SOCK_DGRAM: Int32 = 2
public let SOL_SOCKET: Int32 = 0xFFFF
public let SO_REUSEADDR: Int32 = 4
public let SO_LINGER: Int32 = 0x80
public let IPV6_V6ONLY: Int32 = 27

public struct WSAData { public init() {} }
public struct WSAPOLLFD {
  public var fd: SOCKET
  public var events: SHORT
  public var revents: SHORT
  public init(fd: SOCKET, events: SHORT, revents: SHORT) {
    (self.fd, self.events, self.revents) = (fd, events, revents)
  }
}
public struct linger {
  public var l_onoff: u_short
  public var l_linger: u_short
  public init(l_onoff: u_short, l_linger: u_short) { (self.l_onoff, self.l_linger) = (l_onoff, l_linger) }
}
public struct sockaddr { public var sa_family: ADDRESS_FAMILY = 0; public init() {} }
public struct sockaddr_storage {
  public var ss_family: ADDRESS_FAMILY = 0
  public var rest: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0, 0)
  public init() {}
}
public struct IN_ADDR { public var bytes: UInt32 = 0; public init() {} }
public struct IN6_ADDR { public var words: (UInt32, UInt32, UInt32, UInt32) = (0, 0, 0, 0); public init() {} }
public struct sockaddr_in {
  public var sin_family: ADDRESS_FAMILY = 0
  public var sin_port: UInt16 = 0
  public var sin_addr = IN_ADDR()
  public init() {}
}
public struct sockaddr_in6 {
  public var sin6_family: ADDRESS_FAMILY = 0
  public var sin6_port: UInt16 = 0
  public var sin6_addr = IN6_ADDR()
  public init() {}
}

public typealias PSID = UnsafeMutableRawPointer
public struct TCP_TABLE_CLASS: Sendable { public init() {} }
public let TCP_TABLE_OWNER_PID_CONNECTIONS = TCP_TABLE_CLASS()
public struct TOKEN_INFORMATION_CLASS: Sendable { public init() {} }
public let TokenUser = TOKEN_INFORMATION_CLASS()
public let PROCESS_QUERY_LIMITED_INFORMATION: Int32 = 0x1000
public let TOKEN_QUERY: Int32 = 8
public let NO_ERROR: Int32 = 0
public let ERROR_ACCESS_DENIED: Int32 = 5
public let ERROR_INSUFFICIENT_BUFFER: Int32 = 122
public func GetExtendedTcpTable(
  _ table: UnsafeMutableRawPointer!, _ size: UnsafeMutablePointer<DWORD>!, _ order: Bool, _ family: ULONG, _ kind: TCP_TABLE_CLASS,
  _ reserved: ULONG
) -> DWORD { 0 }
public func OpenProcess(_ access: DWORD, _ inherit: Bool, _ process: DWORD) -> HANDLE! { nil }
public func GetCurrentProcess() -> HANDLE! { nil }
public func OpenProcessToken(_ process: HANDLE!, _ access: DWORD, _ token: UnsafeMutablePointer<HANDLE?>!) -> Bool { false }
@discardableResult
public func GetTokenInformation(
  _ token: HANDLE!, _ kind: TOKEN_INFORMATION_CLASS, _ information: UnsafeMutableRawPointer!, _ size: DWORD,
  _ needed: UnsafeMutablePointer<DWORD>!
) -> Bool { false }
public func GetLengthSid(_ identifier: PSID!) -> DWORD { 0 }

public func WSAStartup(_ version: UInt16, _ data: UnsafeMutablePointer<WSAData>!) -> Int32 { 0 }
public func WSAPoll(_ entries: UnsafeMutablePointer<WSAPOLLFD>!, _ count: ULONG, _ timeout: Int32) -> Int32 { 0 }
/// The calls that configure sockets, in order, for tests.
public enum Winsock {
  public enum Call: Equatable, Sendable {
    case option(SOCKET, level: Int32, Int32, value: Int32)
    case bind(SOCKET)
  }
  private static let state = Mutex<(sockets: SOCKET, calls: [Call])>((0, []))
  public static var calls: [Call] { self.state.withLock(\.calls) }
  static func record(_ call: Call) { self.state.withLock { $0.calls.append(call) } }
  static func nextSocket() -> SOCKET { self.state.withLock { state in state.sockets += 1; return state.sockets } }
}
public func socket(_ family: Int32, _ type: Int32, _ protocol: Int32) -> SOCKET { Winsock.nextSocket() }
@discardableResult public func closesocket(_ socket: SOCKET) -> Int32 { 0 }
@discardableResult public func ioctlsocket(_ socket: SOCKET, _ command: Int32, _ value: UnsafeMutablePointer<u_long>!) -> Int32 { 0 }
public func setsockopt(_ socket: SOCKET, _ level: Int32, _ option: Int32, _ value: UnsafePointer<CChar>!, _ length: Int32) -> Int32 {
  Winsock.record(.option(socket, level: level, option, value: UnsafeRawPointer(value).loadUnaligned(as: Int32.self)))
  return 0
}
public func bind(_ socket: SOCKET, _ address: UnsafePointer<sockaddr>!, _ length: Int32) -> Int32 {
  Winsock.record(.bind(socket))
  return 0
}
public func connect(_ socket: SOCKET, _ address: UnsafePointer<sockaddr>!, _ length: Int32) -> Int32 { 0 }
public func listen(_ socket: SOCKET, _ backlog: Int32) -> Int32 { 0 }
public func accept(_ socket: SOCKET, _ address: UnsafeMutablePointer<sockaddr>!, _ length: UnsafeMutablePointer<Int32>!) -> SOCKET { 0 }
public func getsockname(_ socket: SOCKET, _ address: UnsafeMutablePointer<sockaddr>!, _ length: UnsafeMutablePointer<Int32>!) -> Int32 { 0 }
public func recv(_ socket: SOCKET, _ buffer: UnsafeMutablePointer<CChar>!, _ length: Int32, _ flags: Int32) -> Int32 { 0 }
public func send(_ socket: SOCKET, _ buffer: UnsafePointer<CChar>!, _ length: Int32, _ flags: Int32) -> Int32 { 0 }

public func GetLastError() -> DWORD { 0 }
public func GetEnvironmentVariableW(_ name: UnsafePointer<WCHAR>!, _ buffer: UnsafeMutablePointer<WCHAR>!, _ size: DWORD) -> DWORD { 0 }
public func SetHandleInformation(_ handle: HANDLE!, _ mask: DWORD, _ flags: DWORD) -> Bool { true }
public func GetStdHandle(_ number: DWORD) -> HANDLE! { nil }
public func GetConsoleMode(_ handle: HANDLE!, _ mode: UnsafeMutablePointer<DWORD>!) -> Bool { false }
@discardableResult public func CloseHandle(_ handle: HANDLE!) -> Bool { true }
@discardableResult public func CreateDirectoryW(_ path: UnsafePointer<WCHAR>!, _ security: UnsafeMutablePointer<SECURITY_ATTRIBUTES>!) -> Bool { true }
public func CreateFileW(
  _ path: UnsafePointer<WCHAR>!, _ access: DWORD, _ share: DWORD, _ security: UnsafeMutablePointer<SECURITY_ATTRIBUTES>!,
  _ disposition: DWORD, _ flags: DWORD, _ template: HANDLE!
) -> HANDLE! { nil }
public func LockFileEx(
  _ handle: HANDLE!, _ flags: DWORD, _ reserved: DWORD, _ low: DWORD, _ high: DWORD, _ region: UnsafeMutablePointer<OVERLAPPED>!
) -> Bool { true }
/// The simulated shell32.dll and ole32.dll. `ShellExecuteW` records its calls, and returns a value that tests set.
/// Other libraries do not exist.
public enum Shell {
  public struct Call: Equatable, Sendable { public var operation: String, file: String, arguments: String? }
  private static let state = Mutex<(result: Int, calls: [Call])>((33, []))
  /// Sets the value that `ShellExecuteW` returns, runs the body, and returns the calls that it made.
  public static func calls(returning result: Int, _ body: () async throws -> Void) async rethrows -> [Call] {
    self.state.withLock { $0 = (result, []) }
    try await body()
    return self.state.withLock(\.calls)
  }
  fileprivate static func text(_ wide: UnsafePointer<WCHAR>?) -> String? { wide.map { String(decodingCString: $0, as: UTF16.self) } }
  fileprivate typealias Execute = @convention(c) (
    UnsafeMutableRawPointer?, UnsafePointer<UInt16>?, UnsafePointer<UInt16>?, UnsafePointer<UInt16>?, UnsafePointer<UInt16>?, Int32
  ) -> Int
  fileprivate static let execute: Execute = { _, operation, file, arguments, _, _ in
    Shell.state.withLock { state in
      state.calls.append(Call(operation: Shell.text(operation) ?? "", file: Shell.text(file) ?? "", arguments: Shell.text(arguments)))
      return state.result
    }
  }
  fileprivate typealias Initialize = @convention(c) (UnsafeMutableRawPointer?, UInt32) -> Int32
  fileprivate static let initialize: Initialize = { _, _ in 0 }
  fileprivate typealias Uninitialize = @convention(c) () -> Void
  fileprivate static let uninitialize: Uninitialize = {}
  nonisolated(unsafe) fileprivate static let library = HMODULE.allocate(capacity: 1)
}
public func LoadLibraryExW(_ name: UnsafePointer<WCHAR>!, _ file: HANDLE!, _ flags: DWORD) -> HMODULE! {
  ["shell32.dll", "ole32.dll"].contains(Shell.text(name)) ? Shell.library : nil
}
public func GetProcAddress(_ module: HMODULE!, _ name: UnsafePointer<CChar>!) -> FARPROC! {
  switch String(cString: name) {
  case "ShellExecuteW": unsafeBitCast(Shell.execute, to: FARPROC.self)
  case "CoInitializeEx": unsafeBitCast(Shell.initialize, to: FARPROC.self)
  case "CoUninitialize": unsafeBitCast(Shell.uninitialize, to: FARPROC.self)
  default: nil
  }
}
