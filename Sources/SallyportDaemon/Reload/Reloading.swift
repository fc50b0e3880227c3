import Logging

/// Takes settings anew while the server runs: what can change without a restart changes, the rest is named, and where anything is wrong
/// everything stays as it is.
struct Reloading: Sendable {
  /// Reads the places where settings stand once more.
  let read: @Sendable () -> [SettingSource]
  /// What they said at the start.
  let started: [Setting: [String]]
  let certificate: ServerCertificate?
  let level: LogLevel
  let logger: Logger

  /// What takes effect without a restart. The files of a certificate may have new content under the same names. Everything else is known to
  /// parts that keep counts beside it, such as failed sign-ins and proofs that were seen: to make those anew would forget the counts, and a
  /// restart loses nobody.
  static let live: Set<Setting> = [.logLevel, .tlsCertificate, .tlsKey]

  /// - Returns: in a word for the service manager, what came of it.
  @discardableResult
  func reload() -> String {
    do {
      let sources = self.read()
      let settings = try ServerSettings(sources, loadingCertificate: true)
      if let certificate, let files = settings.tls { try certificate.renew(from: files) }
      self.level.current = settings.logLevel
      let later = self.waitingForRestart(sources.values, hasTLS: settings.tls != nil)
      if later.isEmpty {
        self.logger.notice("settings read again")
        return "settings read again"
      }
      self.logger.warning("settings read again; some change at the next start", metadata: ["settings": "\(later)"])
      return "settings read again; a restart is due for \(later.joined(separator: ", "))"
    } catch let mistakes as SettingsMistakes {
      return self.refuse(mistakes.list)
    } catch let failure as Failure {
      return self.refuse([failure.message])
    } catch {
      return self.refuse(["\(error)"])
    }
  }

  private func refuse(_ mistakes: [String]) -> String {
    self.logger.error("settings not taken, everything stays as it is", metadata: ["mistakes": "\(mistakes)"])
    return "settings not taken: \(mistakes.count == 1 ? "a mistake" : "\(mistakes.count) mistakes"), see the log"
  }

  private func waitingForRestart(_ said: [Setting: [String]], hasTLS: Bool) -> [String] {
    Setting.allCases.filter { setting in
      let switchesTLS = hasTLS != (self.certificate != nil) && (setting == .tlsCertificate || setting == .tlsKey)
      return said[setting] != self.started[setting] && (!Self.live.contains(setting) || switchesTLS)
    }.map(\.rawValue)
  }
}

extension [SettingSource] {
  /// What all of them say together, the first being the strongest.
  var values: [Setting: [String]] {
    self.reduce(into: [:]) { values, source in values.merge(source.given.mapValues(\.values)) { first, _ in first } }
  }
}
