/// The version of the project, used in the output of `--version` and in package names.
package enum SallyportVersion {
  package static let current = "0.1.0"
}
