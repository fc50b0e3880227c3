import Testing

@main
struct Main {
  static func main() async {
    // Runs the tests and exits. SwiftPM generates the same call; `as Never` selects the overload that does not return.
    await Testing.__swiftPMEntryPoint() as Never
  }
}
