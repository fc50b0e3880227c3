import Testing

@testable import SallyportServer

@Suite("Names of browsers")
struct BrowserNameTests {
  @Test(
    "a User-Agent names a browser and a system",
    arguments: [
      ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox", "Linux"),
      (
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
        "Chrome", "Windows"
      ),
      (
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0",
        "Edge", "Windows"
      ),
      (
        "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15",
        "Safari", "macOS"
      ),
      (
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
        "Safari", "iPhone"
      ),
      (
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/142.0.0.0 Mobile/15E148 Safari/604.1",
        "Chrome", "iPhone"
      ),
      (
        "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/29.0 Chrome/136.0.0.0 Mobile Safari/537.36",
        "Samsung Internet", "Android"
      ),
      ("Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 Chrome/142.0.0.0 Safari/537.36", "Chrome", "ChromeOS"),
      ("curl/8.14.1", "curl", nil), ("", nil, nil), ("<b>Linux</b>", nil, "Linux"),
    ] as [(String, String?, String?)])
  func names(userAgent: String, product: String?, system: String?) {
    let name = BrowserName(userAgent: userAgent)
    #expect(name.product == product && name.system == system)
  }

  @Test("a browser that sent no User-Agent is unknown")
  func missing() {
    let name = BrowserName(userAgent: nil)
    #expect(name.product == nil && name.system == nil)
  }
}
