import Foundation
import Sallyport
import SallyportDesktop
import SallyportLanguages
import Testing

private let galleryFolder = ProcessInfo.processInfo.environment["SALLYPORT_GALLERY"].map { URL(filePath: $0) }

/// Writes the last page, which the browser shows at the end of a sign-in or sign-out, for each outcome in three
/// languages. Scripts/screenshots runs this suite, and names the folder for the pages in the environment variable
/// `SALLYPORT_GALLERY`.
@Suite(.enabled(if: galleryFolder != nil, "only Scripts/screenshots runs this suite"))
struct LastPageGallery {
  @Test("the last page of each outcome is written to the gallery folder") func write() throws {
    let folder = try #require(galleryFolder)
    let outcomes: [(name: String, outcome: ReceivedRedirect.Outcome?)] = [
      ("signed-in", .signedIn(appName: "Notes")), ("signed-in-unnamed", .signedIn(appName: nil)),
      ("signed-in-long", .signedIn(appName: "Quarterly Sustainability Reporting Assistant for Distributed Teams")),
      ("denied", .denied), ("failed", .failed), ("unknown", nil), ("signed-out", .signedOut(appName: "Notes")),
    ]
    for language in [Language.english, .german, .arabic] {
      for (name, outcome) in outcomes {
        let html = LastPage.html(outcome, in: language)
        try Data(html.utf8).write(to: folder.appending(path: "\(language.tag)-last-\(name).html"))
      }
    }
  }
}
