import HTTPTypes

/// Lets tests run JavaScript in the page. The page's content security policy does not apply to these scripts.
extension Browser {
  /// Runs the body of a JavaScript function in the page, and ignores the value that the function returns.
  package func run(_ function: String) async throws(WebDriverError) {
    try await self.connection.call(.post, self.path("execute/sync"), Script(script: function))
  }

  /// Runs the body of a JavaScript function in the page, and returns the value that the function returns or that its
  /// promise resolves to.
  package func evaluate<Value: Decodable>(_ function: String, as type: Value.Type) async throws(WebDriverError) -> Value {
    try await self.connection.call(.post, self.path("execute/sync"), Script(script: function), as: type)
  }

  private struct Script: Encodable {
    var script: String
    var args: [String] = []
  }
}
