import NIOCore
import ServiceLifecycle

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Something that listens, which names its address where it cannot.
struct ListeningService: Service {
  let base: any Service
  let host: String
  let port: Int

  func run() async throws {
    do { try await self.base.run() } catch let error as IOError {
      throw self.failure(String(cString: strerror(error.errnoCode)))
    } catch is SocketAddressError.UnknownHost {
      throw self.failure("no such address")
    }
  }

  private func failure(_ reason: String) -> Failure {
    Failure("cannot listen at \(self.host), port \(self.port): \(reason)")
  }
}
