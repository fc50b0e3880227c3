import CResources
import SallyportResources

extension EmbeddedFiles {
  /// The files in the `Resources` folder of this module.
  static let http = EmbeddedFiles(sallyport_http_file)
}
