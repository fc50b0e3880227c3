/// The project's version: what the commands answer to `--version`, and what packages are named by.
package enum SallyportVersion {
  package static let current = "0.1.0"
}
