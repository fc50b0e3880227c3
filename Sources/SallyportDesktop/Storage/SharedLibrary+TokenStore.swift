import Sallyport
import SallyportSystem

extension SharedLibrary {
  /// A function of the library that a token store cannot work without. `type` must match the declaration in the
  /// library's C header.
  func requiredFunction<F>(_ symbol: String, as type: F.Type) throws(TokenStoreError) -> F {
    guard let function = self.function(symbol, as: type) else {
      throw .unavailable(reason: "the library has no function \(symbol)")
    }
    return function
  }
}
