import Logging

/// Reloads the settings while the server runs. Applies the changed settings that need no restart, and reports the
/// changed settings that do. If any setting is invalid, nothing changes.
struct SettingsReloader: Sendable {
  /// Reads all sources of settings again.
  let read: @Sendable () -> [SettingSource]
  /// The settings at startup.
  let startupSettings: [Setting: [String]]
  let certificate: ServerCertificate?
  let level: LogLevel
  let logger: Logger

  /// The settings that take effect without a restart. The certificate files are read again even if their
  /// names have not changed. Most other settings belong to components with state, such as the numbers of failed
  /// sign-ins. Recreating these components would lose their state.
  static let live: Set<Setting> = [.logLevel, .tlsCertificate, .tlsKey]

  /// - Returns: A short description of the outcome for the service manager.
  @discardableResult
  func reload() -> String {
    do {
      let sources = self.read()
      let settings = try ServerSettings(sources, loadingCertificate: true)
      if let certificate, let files = settings.tls { try certificate.renew(from: files) }
      self.level.current = settings.logLevel
      let pending = self.waitingForRestart(sources.values, hasTLS: settings.tls != nil)
      if pending.isEmpty {
        self.logger.notice("settings reloaded")
        return "settings reloaded"
      }
      self.logger.warning("settings reloaded; some take effect at the next start", metadata: ["settings": "\(pending)"])
      return "settings reloaded; restart to apply \(pending.joined(separator: ", "))"
    } catch let mistakes as SettingsMistakes {
      return self.reject(mistakes.list)
    } catch let failure as Failure {
      return self.reject([failure.message])
    } catch {
      return self.reject(["\(error)"])
    }
  }

  private func reject(_ mistakes: [String]) -> String {
    self.logger.error("settings not reloaded: the new settings are invalid", metadata: ["mistakes": "\(mistakes)"])
    return "settings not reloaded: \(mistakes.count == 1 ? "1 mistake" : "\(mistakes.count) mistakes"), see the log"
  }

  /// Returns the names of the changed settings that take effect only after a restart.
  private func waitingForRestart(_ current: [Setting: [String]], hasTLS: Bool) -> [String] {
    // The server loads new certificate files while it runs, but a listener cannot change between HTTP and HTTPS.
    let switchesTLS = hasTLS != (self.certificate != nil)
    let live = switchesTLS ? Self.live.subtracting([.tlsCertificate, .tlsKey]) : Self.live
    return Setting.allCases.filter { !live.contains($0) && current[$0] != self.startupSettings[$0] }.map(\.rawValue)
  }
}

extension [SettingSource] {
  /// The combined settings. Earlier sources take precedence.
  var values: [Setting: [String]] {
    self.reduce(into: [:]) { values, source in values.merge(source.given.mapValues(\.values)) { first, _ in first } }
  }
}
