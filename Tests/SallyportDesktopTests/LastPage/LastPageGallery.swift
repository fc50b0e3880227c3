import Foundation
import Sallyport
import SallyportDesktop
import Testing

private let galleryFolder = ProcessInfo.processInfo.environment["SALLYPORT_GALLERY"].map { URL(filePath: $0) }

/// Writes the last page with each outcome to the folder `SALLYPORT_GALLERY`, for Scripts/screenshots.
@Suite(.enabled(if: galleryFolder != nil, "Scripts/screenshots runs it"))
struct LastPageGallery {
  @Test("the last page of each outcome is written to the gallery folder") func write() throws {
    let folder = try #require(galleryFolder)
    let outcomes: [(name: String, outcome: ReceivedRedirect.Outcome)] = [
      ("signed-in", .signedIn(appName: "Notes")), ("signed-in-unnamed", .signedIn(appName: nil)),
      ("signed-in-long", .signedIn(appName: "Quarterly Sustainability Reporting Assistant for Distributed Teams")),
      ("denied", .denied), ("failed", .failed), ("signed-out", .signedOut(appName: "Notes")),
    ]
    for (name, outcome) in outcomes {
      try Data(LastPage.html(outcome).utf8).write(to: folder.appending(path: "last-\(name).html"))
    }
  }
}
