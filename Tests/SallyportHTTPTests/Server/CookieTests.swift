import HTTPTypes
import Hummingbird
import Testing

@testable import SallyportHTTP

@Suite("Cookie names")
struct CookieTests {
  @Test(
    "the value comes from the first cookie with exactly this name, whichever Cookie field contains it",
    arguments: [
      (["sallyport=a"], "a"), (["other=x; sallyport=a"], "a"), (["other=x;sallyport=a"], "a"), (["other=x;\t sallyport=a"], "a"),
      (["sallyport=a; sallyport=b"], "a"), (["other=x", "sallyport=a"], "a"), (["sallyport="], ""), (["sallyport=a=b"], "a=b"),
      (["sallyport=\"a\""], "\"a\""), (["sallyport-person=x; sallyport=a"], "a"), (["xsallyport=x; sallyport=a"], "a"),
      ([], nil), ([""], nil), (["sallyport"], nil), (["Sallyport=a"], nil), (["sallyport-person=a"], nil),
      (["xsallyport=a"], nil), (["other=sallyport=a"], nil), (["sallyport =a"], nil), ([";;; ="], nil),
    ] as [([String], String?)])
  func find(fields: [String], value: String?) {
    var head = HTTPRequest(method: .get, scheme: "https", authority: "id.example", path: "/")
    for field in fields { head.headerFields.append(HTTPField(name: .cookie, value: field)) }
    #expect(Request(head: head, body: .init(buffer: ByteBuffer())).cookie("sallyport") == value)
  }
}
