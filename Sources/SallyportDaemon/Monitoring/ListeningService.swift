import Glibc
import NIOCore
import ServiceLifecycle

/// Runs a service that listens on a port. If the service cannot listen, the error contains the address and the reason.
struct ListeningService: Service {
  let base: any Service
  let host: String
  let port: Int

  func run() async throws {
    do { try await self.base.run() } catch let error as IOError {
      throw self.failure(String(cString: strerror(error.errnoCode)))
    } catch is SocketAddressError.UnknownHost {
      throw self.failure("unknown host")
    }
  }

  private func failure(_ reason: String) -> Failure {
    Failure("cannot listen on \(self.host), port \(self.port): \(reason)")
  }
}
