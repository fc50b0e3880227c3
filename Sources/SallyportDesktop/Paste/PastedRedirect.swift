#if !os(Windows)
  public import Sallyport
  public import SallyportProtocol

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Android)
    import Android
  #else
    import Darwin
  #endif

  /// Receives the redirect from the person's hands: they sign in with a browser on another machine, which is sent to an address
  /// where nobody listens, and paste that address here (rule P-06).
  ///
  /// For a machine without a browser whose server does not offer another way. The address is held against the same rules as
  /// a request to ``LoopbackReceiver``: exactly this redirect URI, and a state that this sign-in made. Whatever else is pasted is
  /// refused with a reason, and the wait goes on.
  ///
  /// On a terminal the text is not shown, since it holds the code, and may be of any length up to 16 KiB.
  public struct PastedRedirect: RedirectReceiver {
    private let redirectURI: RedirectURI?
    private let descriptor: Int32
    private let tell: @Sendable (PasteNotice) -> Void

    /// Reads from standard input.
    /// - Parameters:
    ///   - redirectURI: the URI that is registered for this client, of any kind, where it is not the default one. A loopback one
    ///     without a port gets one of the ports that nobody is assigned.
    ///   - tell: what the person should be told.
    public init(redirectURI: RedirectURI? = nil, tell: @escaping @Sendable (PasteNotice) -> Void) {
      self.init(redirectURI: redirectURI, descriptor: STDIN_FILENO, tell: tell)
    }

    package init(redirectURI: RedirectURI?, descriptor: Int32, tell: @escaping @Sendable (PasteNotice) -> Void) {
      self.redirectURI = redirectURI
      self.descriptor = descriptor
      self.tell = tell
    }

    public func withRedirect<R: Sendable>(
      for issuer: Issuer, _ body: @Sendable (BoundRedirect) async throws -> R
    ) async throws -> R {
      let offered = try self.offered(for: issuer)
      let input: LineInput
      do {
        input = try LineInput(self.descriptor)
      } catch {
        throw RedirectReceiverError.failed(reason: "standard input: \(error)")
      }
      return try await body(BoundRedirect(redirectURI: offered) { try await self.response(offered, input, accepts: $0) })
    }

    private func response(
      _ offered: RedirectURI, _ input: LineInput, accepts: @Sendable (String) -> RedirectVerdict
    ) async throws -> ReceivedRedirect {
      let quiet = QuietTerminal(self.descriptor)
      defer { quiet?.restore() }
      var reader = LineReader()
      self.tell(.ready(offered))
      while true {
        let line: LineReader.Line
        (line, reader) = try await self.line(reader, input)
        switch PastedText.verdict(line, offered) {
        case .nothing: continue
        case .refused(let reason): self.tell(.refused(reason, offered))
        case .end: throw RedirectReceiverError.failed(reason: "standard input ended before an address was pasted")
        case .url(let url):
          if case .accept = accepts(url) {
            return ReceivedRedirect(callbackURL: Secret(url)) { _ in }
          }
          self.tell(.refused(.otherSignIn, offered))
        }
      }
    }

    private func line(_ reader: LineReader, _ input: LineInput) async throws -> (LineReader.Line, LineReader) {
      do {
        return try await input.line(reader)
      } catch let error as SystemError {
        throw RedirectReceiverError.failed(reason: "standard input: \(error)")
      }
    }

    /// The URI to be sent in the request: with a port, so that no web server on the person's machine is sent the code.
    private func offered(for issuer: Issuer) throws(RedirectReceiverError) -> RedirectURI {
      // IANA's dynamic ports.
      let port = UInt16.random(in: 49_152...65_535)
      do {
        guard let registered = self.redirectURI else { return try .loopback(for: issuer, port: port) }
        guard case .loopback(let host) = registered.kind, registered.components.port == nil else { return registered }
        let query = registered.components.query.map { "?\($0)" } ?? ""
        return try RedirectURI("http://\(host.rawValue):\(port)\(registered.components.path)\(query)")
      } catch {
        throw .cannotBind(reason: "no redirect URI can be made for this issuer")
      }
    }
  }
#endif
