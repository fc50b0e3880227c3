import Synchronization

/// A cache of the association files, which any caller can request. They are built again only after a client has
/// changed.
///
/// It is not a `BoundedCache`, because it holds one value. It is not part of ``ConfigurationCache``, because it reads the
/// version for each request, so that a change takes effect immediately, as platforms may fetch the files only once.
package final class AssociationFileCache: Sendable {
  private let store: any Store
  private let configuration: ServerConfiguration
  private let known = Mutex<(version: Int64, files: AssociationFiles)?>(nil)

  package init(store: any Store, configuration: ServerConfiguration) {
    self.store = store
    self.configuration = configuration
  }

  package func files() async throws(StoreError) -> AssociationFiles {
    let version = try await self.store.read { (tx) throws(StoreError) in try tx.configurationVersion() }
    if let known = self.known.withLock({ $0 }), known.version == version { return known.files }
    let (clients, current) = try await self.store.read { (tx) throws(StoreError) in
      (try tx.clients(), try tx.configurationVersion())
    }
    let files = AssociationFiles(clients, issuer: self.configuration.issuer)
    self.known.withLock { $0 = (current, files) }
    return files
  }
}
