import Synchronization

/// A cache of the association files. Anyone can request the files, so they are built again only if the configuration
/// version of the store has changed.
///
/// A platform might fetch the files only once, for example when an app is installed, so a change must take effect
/// immediately. Unlike ``ConfigurationCache``, this cache therefore reads the configuration version for each request.
package final class AssociationFileCache: Sendable {
  private let store: any Store
  private let configuration: ServerConfiguration
  private let cached = Mutex<(version: Int64, files: AssociationFiles)?>(nil)

  package init(store: any Store, configuration: ServerConfiguration) {
    self.store = store
    self.configuration = configuration
  }

  package func files() async throws(StoreError) -> AssociationFiles {
    let version = try await self.store.read { (tx) throws(StoreError) in try tx.configurationVersion() }
    if let cached = self.cached.withLock({ $0 }), cached.version == version { return cached.files }
    let (clients, current) = try await self.store.read { (tx) throws(StoreError) in
      (try tx.clients(), try tx.configurationVersion())
    }
    let files = AssociationFiles(clients, issuer: self.configuration.issuer)
    self.cached.withLock { $0 = (current, files) }
    return files
  }
}
