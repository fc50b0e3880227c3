import SallyportHTTP
import SallyportProtocol

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension SettingsReader {
  /// Reads the settings `branding.…` and checks the files that they name.
  mutating func readBranding() -> Branding {
    var branding = Branding()
    branding.logo = self.readLogo()
    let light = self.readColor(.brandingLight, .light)
    let dark = self.readColor(.brandingDark, .dark)
    switch (light, dark) {
    case (let light?, let dark?): branding.colors = (light: light, dark: dark)
    case (nil, nil): break
    // If the other color was given, it is invalid, and `readColor` has already reported it.
    case (_?, nil): if self.given(.brandingDark) == nil { self.report(.brandingLight, "requires branding.colors.dark") }
    case (nil, _?): if self.given(.brandingLight) == nil { self.report(.brandingDark, "requires branding.colors.light") }
    }
    for (kind, setting) in [
      (Branding.Link.Kind.privacy, Setting.brandingPrivacy), (.terms, .brandingTerms), (.support, .brandingSupport),
    ] {
      let address = self.read(setting, "an https URL") { text in
        (try? EndpointURL(text)).flatMap { _ in text.hasPrefix("https://") ? text : nil }
      }
      if let address { branding.links.append(Branding.Link(kind, address: address)) }
    }
    branding.overrides = self.readTemplates()
    return branding
  }

  private mutating func readLogo() -> BrandLogo? {
    guard let path = self.read(.brandingLogo, "a file path", { $0.isEmpty ? nil : $0 }) else { return nil }
    guard let data = FileManager.default.contents(atPath: path) else {
      self.report(.brandingLogo, "names \(path), which cannot be read")
      return nil
    }
    do { return try BrandLogo(Array(data)) } catch {
      self.report(.brandingLogo, "names \(path), which \(error.problem)")
      return nil
    }
  }

  private mutating func readColor(_ setting: Setting, _ scheme: BrandColor.Scheme) -> BrandColor? {
    guard let color = self.read(setting, "a color such as #1d5c4d", { BrandColor($0) }) else { return nil }
    let contrast = color.contrast(in: scheme)
    guard contrast >= BrandColor.minimumContrast else {
      // Rounded down, because a contrast just below the minimum would otherwise be displayed as the minimum.
      let rounded = Double(Int(contrast * 10)) / 10
      self.report(
        setting,
        "must have a contrast of at least \(BrandColor.minimumContrast) to the background, but has \(rounded) (WCAG 2.2, 1.4.3)")
      return nil
    }
    return color
  }

  private mutating func readTemplates() -> BrandOverrides {
    var overrides = BrandOverrides()
    guard let folder = self.read(.brandingTemplates, "the path of a folder", { $0.isEmpty ? nil : $0 }) else { return overrides }
    guard let paths = try? FileManager.default.subpathsOfDirectory(atPath: folder) else {
      self.report(.brandingTemplates, "names \(folder), which cannot be read")
      return overrides
    }
    let mistakesBefore = self.mistakes.count
    // `paths` contains the folder `languages` as well as the files in it.
    for path in paths.sorted() where path != "languages" {
      guard let data = FileManager.default.contents(atPath: "\(folder)/\(path)") else {
        self.add("the file \(folder)/\(path) cannot be read")
        continue
      }
      do { try overrides.add(path, Array(data)) } catch { self.add("the file \(folder)/\(path) \(error.problem)") }
    }
    guard self.mistakes.count == mistakesBefore else { return overrides }
    do { try overrides.validate() } catch { self.add("in the folder \(folder), \(error.problem)") }
    return overrides
  }
}
