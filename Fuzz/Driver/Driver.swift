import Dispatch
import FuzzProperties

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The target that `SALLYPORT_FUZZ_TARGET` names.
private let target: FuzzTarget = {
  let name = getenv("SALLYPORT_FUZZ_TARGET").map { String(cString: $0) } ?? ""
  guard let target = FuzzTarget(rawValue: name) else {
    let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: " ")
    fatalError("SALLYPORT_FUZZ_TARGET must be one of: \(names)")
  }
  return target
}()

/// The main loop of libFuzzer.
@_silgen_name("LLVMFuzzerRunDriver")
private func run(
  _ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutablePointer<CommandLineArguments>,
  _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

private typealias CommandLineArguments = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

/// Runs one target with libFuzzer, which parses the command-line arguments.
@main
enum Driver {
  static func main() {
    var count = CommandLine.argc
    var arguments = CommandLine.unsafeArgv
    exit(run(&count, &arguments) { testOneInput($0, $1) })
  }
}

private func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  let done = DispatchSemaphore(value: 0)
  Task {
    do throws(Violation) {
      try await target.check(input)
    } catch {
      // If the process crashes, libFuzzer saves the input.
      fatalError("\(target.rawValue): violated property: \(error)")
    }
    done.signal()
  }
  done.wait()
  // With 0, libFuzzer may add the input to its corpus.
  return 0
}

/// libFuzzer's library cannot be linked without this symbol, but never calls this function: its main loop calls the
/// closure that `main` passes.
@_cdecl("LLVMFuzzerTestOneInput")
func unusedTest(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  testOneInput(start, count)
}
