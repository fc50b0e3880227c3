import Dispatch
import FuzzProperties

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The target that the environment names.
private let target: FuzzTarget = {
  let name = getenv("SALLYPORT_FUZZ_TARGET").map { String(cString: $0) } ?? ""
  guard let target = FuzzTarget(rawValue: name) else {
    let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: " ")
    fatalError("SALLYPORT_FUZZ_TARGET is not one of: \(names)")
  }
  return target
}()

/// libFuzzer's own loop, which its library brings along.
@_silgen_name("LLVMFuzzerRunDriver")
private func run(
  _ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutablePointer<CommandLineArguments>,
  _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

private typealias CommandLineArguments = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

/// Runs one target under libFuzzer, with libFuzzer's own arguments.
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
      // Whatever ends the process makes libFuzzer keep the input.
      fatalError("\(target.rawValue): does not hold: \(error)")
    }
    done.signal()
  }
  done.wait()
  return 0
}

/// A name that libFuzzer's library refers to; the loop is given the function itself.
@_cdecl("LLVMFuzzerTestOneInput")
func unusedTest(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  testOneInput(start, count)
}
