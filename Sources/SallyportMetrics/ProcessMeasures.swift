#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Resource usage of this process, with the metric names that Prometheus client libraries use. All values are nil on
/// systems other than Linux, and if `/proc` is not mounted.
public struct ProcessMeasures: Sendable {
  /// CPU time in user and kernel mode, in seconds.
  public var cpuSeconds: Double?
  /// Resident memory, in bytes.
  public var residentMemory: Double?
  /// Virtual memory, in bytes.
  public var virtualMemory: Double?
  /// The number of open file descriptors.
  public var openFiles: Double?
  /// The number of threads.
  public var threads: Double?

  /// Reads the current values.
  public init() {
    #if os(Linux)
      if let fields = Self.text("/proc/self/stat").flatMap(Self.statFields), fields.count > 21 {
        // The manual page proc(5) counts fields from 1, so its field N is `fields[N - 3]`, for example utime (14).
        let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
        if let user = Double(fields[11]), let kernel = Double(fields[12]) { self.cpuSeconds = (user + kernel) / ticks }
        self.threads = Double(fields[17])
        self.virtualMemory = Double(fields[20])
        self.residentMemory = Double(fields[21]).map { $0 * Double(sysconf(Int32(_SC_PAGESIZE))) }
      }
      // Listing the directory opens one descriptor, which is not counted.
      self.openFiles = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")).map { Double($0.count - 1) }
    #endif
  }

  /// Returns the fields of `/proc/self/stat`, starting with the third field (`state`). The second field is the
  /// program's name, which can contain spaces and parentheses.
  static func statFields(_ text: String) -> [Substring]? {
    text.lastIndex(of: ")").map { text[text.index(after: $0)...].split(whereSeparator: \.isWhitespace) }
  }

  private static func text(_ path: String) -> String? {
    FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Adds the values to `metrics`, which reads each value whenever it writes the metrics.
  /// - Parameter started: When the process started, in seconds since 1970.
  public static func observe(on metrics: PrometheusMetrics, started: Double) {
    for (description, read) in self.descriptions {
      metrics.observe(description) { read(ProcessMeasures()) }
    }
    metrics.observe(
      MetricDescription("process_start_time_seconds", .gauge, help: "When the process started, in seconds since 1970.")
    ) { started }
  }

  private static let descriptions: [(MetricDescription, @Sendable (ProcessMeasures) -> Double?)] = [
    (.init("process_cpu_seconds_total", .counter, help: "CPU time in user and kernel mode."), { $0.cpuSeconds }),
    (.init("process_resident_memory_bytes", .gauge, help: "Resident memory."), { $0.residentMemory }),
    (.init("process_virtual_memory_bytes", .gauge, help: "Virtual memory."), { $0.virtualMemory }),
    (.init("process_open_fds", .gauge, help: "Open file descriptors."), { $0.openFiles }),
    (.init("process_threads", .gauge, help: "Number of threads."), { $0.threads }),
  ]
}
