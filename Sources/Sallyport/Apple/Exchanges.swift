#if canImport(Security)
  import Foundation
  import HTTPTypes
  import SallyportRemote
  import Synchronization

  #if canImport(FoundationNetworking)
    // Apple platforms don't have this module. Scripts/platforms compiles this file on Linux, against stubs of Apple's
    // APIs.
    import FoundationNetworking
  #endif

  /// The delegate of a `URLSession`: collects responses, limits the size of their bodies, follows no redirects, and
  /// rejects all authentication challenges except those about the server's certificate.
  final class Exchanges: NSObject, URLSessionDataDelegate, Sendable {
    typealias Continuation = CheckedContinuation<Result<TransportResponse, TransportError>, Never>

    private struct Exchange {
      let continuation: Continuation
      let limit: Int
      var head: HTTPResponse?
      var body: [UInt8] = []
    }

    /// The value of `NSURLAuthenticationMethodServerTrust`, which Foundation doesn't declare on Linux.
    private static let serverTrust = "NSURLAuthenticationMethodServerTrust"

    private let active = Mutex<[Int: Exchange]>([:])

    /// Starts a task.
    /// - Parameters:
    ///   - limit: The maximum size of the response body, in bytes.
    ///   - continuation: The waiting caller, which is resumed when the task has ended.
    func begin(_ task: URLSessionDataTask, limit: Int, _ continuation: Continuation) {
      self.active.withLock { $0[task.taskIdentifier] = Exchange(continuation: continuation, limit: limit) }
      task.resume()
    }

    /// Doesn't follow redirects: the redirect response itself is the result.
    func urlSession(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
      completionHandler(nil)
    }

    /// Lets the system evaluate the server's certificate and rejects every other challenge, because this transport has
    /// no credentials.
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      let isServerTrust = challenge.protectionSpace.authenticationMethod == Self.serverTrust
      completionHandler(isServerTrust ? .performDefaultHandling : .rejectProtectionSpace, nil)
    }

    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
      completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
      let head = (response as? HTTPURLResponse).map(HTTPResponse.init)
      self.active.withLock { $0[dataTask.taskIdentifier]?.head = head }
      completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      let isTooLarge = self.active.withLock { active in
        guard let exchange = active[dataTask.taskIdentifier] else { return false }
        guard exchange.body.count + data.count <= exchange.limit else { return true }
        active[dataTask.taskIdentifier]?.body.append(contentsOf: data)
        return false
      }
      guard isTooLarge else { return }
      self.end(dataTask, .failure(.bodyTooLarge))
      dataTask.cancel()
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      if let error { return self.end(task, .failure(TransportError(urlSession: error))) }
      self.end(task, nil)
    }

    /// Resumes the waiting caller. Does nothing if the caller was resumed before, for example because the body was too
    /// large. If `result` is `nil`, the caller gets the collected response.
    private func end(_ task: URLSessionTask, _ result: Result<TransportResponse, TransportError>?) {
      guard let exchange = self.active.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
      let collected = exchange.head.map { TransportResponse(head: $0, body: exchange.body) }
      let outcome = result ?? collected.map(Result.success) ?? .failure(.unreachable(reason: "no response"))
      exchange.continuation.resume(returning: outcome)
    }
  }

  extension HTTPResponse {
    /// Copies the status and header fields. Fields that HTTP doesn't allow are left out.
    init(_ response: HTTPURLResponse) {
      self.init(status: Status(code: response.statusCode))
      for (name, value) in response.allHeaderFields {
        guard let name = (name as? String).flatMap({ HTTPField.Name($0) }), let value = value as? String else { continue }
        self.headerFields.append(HTTPField(name: name, value: value))
      }
    }
  }

  extension TransportError {
    /// Maps a `URLSession` error. Includes only the error code, because the error's text may contain a URL.
    fileprivate init(urlSession error: any Error) {
      guard let error = error as? URLError else {
        self = .unreachable(reason: "URLSession failed")
        return
      }
      switch error.code {
      case .cancelled: self = .cancelled
      case .timedOut: self = .timedOut
      case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted, .serverCertificateHasUnknownRoot,
        .serverCertificateNotYetValid, .clientCertificateRejected, .clientCertificateRequired:
        self = .untrusted(reason: "URLSession error \(error.code.rawValue)")
      default: self = .unreachable(reason: "URLSession error \(error.code.rawValue)")
      }
    }
  }
#endif
