import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import SallyportProtocol
import ServerTestSupport
import Testing

/// What came back for one request.
struct Reply: Sendable {
  let status: HTTPResponse.Status
  let headers: HTTPFields
  let body: String

  init(_ response: TestResponse) {
    self.status = response.status
    self.headers = response.headers
    self.body = String(buffer: response.body)
  }

  var location: String? { self.headers[.location] }
  var isPage: Bool { self.headers[.contentType] == "text/html; charset=utf-8" }
  var isSignInPage: Bool { self.isPage && self.body.contains(#"name="password""#) }
  var isConsentPage: Bool { self.isPage && self.body.contains(#"name="decision""#) }

  /// The parameters of the location's query; empty where there is none.
  var answer: [String: String] {
    guard let location, let query = URIComponents(location)?.query, let form = try? FormParameters(parsing: query) else {
      return [:]
    }
    return Dictionary(uniqueKeysWithValues: form.names.map { ($0, form[$0] ?? "") })
  }

  /// The strings of a JSON object.
  var json: [String: String] {
    let object = try? JSONSerialization.jsonObject(with: Data(self.body.utf8)) as? [String: Any]
    return object?.compactMapValues { $0 as? String } ?? [:]
  }

  /// Where the page's first form goes.
  var formAction: String? { self.body.firstMatch(of: /<form method="post" action="([^"]*)"/).map { String($0.1) } }
  var csrf: String? { self.body.firstMatch(of: /name="csrf" value="([^"]*)"/).map { String($0.1) } }
  /// The interaction that the page's form carries.
  var sealedInteraction: String? { self.formAction?.split(separator: "?i=").last.map { String($0) } }
}
