import Foundation
package import HTTPTypes
package import HummingbirdTesting
import NIOCore
import SallyportProtocol
import ServerTestSupport
import Testing

/// The response to one request.
package struct Reply: Sendable {
  package let status: HTTPResponse.Status
  package let headers: HTTPFields
  package let body: String

  package init(_ response: TestResponse) {
    self.status = response.status
    self.headers = response.headers
    self.body = String(buffer: response.body)
  }

  package var location: String? { self.headers[.location] }
  package var isPage: Bool { self.headers[.contentType] == "text/html; charset=utf-8" }
  package var isSignInPage: Bool { self.isPage && self.body.contains(#"name="password""#) }
  package var isConsentPage: Bool { self.isPage && self.body.contains(#"name="decision""#) }
  /// Whether this is the error page for a form that was not posted from one of the server's own pages.
  package var isWrongAddressPage: Bool { self.isPage && self.status == .forbidden && self.body.contains("Wrong address") }

  /// The parameters in the query of the `Location` field; empty if there is no such field, or no valid query in it.
  package var parameters: [String: String] {
    guard let location, let query = URIComponents(location)?.query, let form = try? FormParameters(parsing: query) else {
      return [:]
    }
    return Dictionary(uniqueKeysWithValues: form.names.map { ($0, form[$0] ?? "") })
  }

  /// The members of the body's JSON object whose values are strings; empty if the body is not a JSON object.
  package var json: [String: String] {
    let object = try? JSONSerialization.jsonObject(with: Data(self.body.utf8)) as? [String: Any]
    return object?.compactMapValues { $0 as? String } ?? [:]
  }

  /// The address to which the page's first form is posted.
  package var formAction: String? { self.body.firstMatch(of: /<form method="post" action="([^"]*)"/).map { String($0.1) } }
  /// The first CSRF token in the page's forms.
  package var csrf: String? { self.body.firstMatch(of: /name="csrf" value="([^"]*)"/).map { String($0.1) } }
  /// The body without the passkey options and the passkey challenge, which differ in every response.
  package var bodyWithoutChallenge: String {
    self.body.replacing(/(data-options|name="challenge" value)="[^"]*"/, with: "")
  }
  /// The sealed interaction in the address to which the page's first form is posted; nil if the address contains none.
  package var sealedInteraction: String? {
    guard let action = self.formAction, let start = action.firstRange(of: "?i=")?.upperBound else { return nil }
    return String(action[start...])
  }
}
