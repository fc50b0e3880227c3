import Foundation
import HTTPTypes
import SallyportProtocol
import SallyportRemote
import TestSupport
import Testing

@Suite("The server's time")
struct HTTPDateTests {
  /// Returns the time of a `Date` field in seconds since 1970, or `nil` if the field is ignored.
  private func time(_ date: String) throws -> Int64? {
    var response = TransportResponse.json(#"{"access_token":"a"}"#)
    response.head.headerFields[.date] = date
    return try TokenResponseValidator.validate(response, redacting: []).date?.seconds
  }

  @Test(
    "the Date field is read (RFC 9110 §5.6.7)",
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
      ("Tue, 29 Feb 2000 23:59:59 GMT", 951_868_799), ("Fri, 15 Jan 2027 08:00:00 GMT", 1_800_000_000),
      ("Mon, 01 Mar 2100 00:00:00 GMT", 4_107_542_400),
    ])
  func good(_ text: String, _ seconds: Int64) throws {
    #expect(try self.time(text) == seconds)
  }

  @Test(
    "a value in another format, or with a number that is out of range, is ignored",
    arguments: [
      "", "now", "1994-11-06T08:49:37Z", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
      "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 CET",
      "Sun, 06 Nov 1994 08:49 GMT", "Sun, +6 Nov 1994 08:49:37 GMT", "Wed, 31 Feb 2027 08:00:00 GMT",
      "Mon, 29 Feb 2100 08:00:00 GMT", "Thu, 31 Apr 2026 08:00:00 GMT",
    ])
  func bad(_ text: String) throws {
    #expect(try self.time(text) == nil)
  }
}
