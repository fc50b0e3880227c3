import CResources
import SallyportResources

extension EmbeddedFiles {
  /// The files in the `Resources` folder of this module.
  static let server = EmbeddedFiles(sallyport_server_file)
}
