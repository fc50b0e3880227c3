import SallyportLanguages
import SallyportServer

extension BrowserName {
  /// Returns text such as `Firefox on Linux`.
  func words(_ texts: PageTexts) -> String {
    switch (self.product, self.system) {
    case (let product?, let system?): texts(.browserOnSystem, ["browser": .text(product), "system": .text(system)])
    case (let product?, nil): product
    case (nil, let system?): texts(.unknownBrowserOnSystem, ["system": .text(system)])
    case (nil, nil): texts[.unknownBrowser]
    }
  }
}
