import SallyportSystem

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

  /// Receives the redirect URL from the user, who signs in with a browser on another machine and pastes the final
  /// address here (rule P-06).
  ///
  /// Use this on a machine without a browser if the server doesn't support device authorization. With a loopback
  /// redirect URI, the server redirects the browser to a port on which usually no program listens, so the browser shows
  /// an error page. The address of that page is the URL to paste. As with ``LoopbackReceiver``, the URL must consist of
  /// exactly the redirect URI and a response with the state of this sign-in, but `http://` or `https://` may be
  /// missing. Any other text is rejected with a reason, and the wait continues.
  ///
  /// In a terminal, the pasted text is not displayed, because it contains the code. The URL can be up to 16 KiB long.
  public struct PastedRedirectReceiver: RedirectReceiver {
    private let redirectURI: RedirectURI?
    private let descriptor: Int32
    private let show: @Sendable (PastePrompt) -> Void

    /// Creates a receiver that reads from standard input.
    /// - Parameters:
    ///   - redirectURI: The redirect URI that is registered for this client, of any kind. A loopback URI without a port
    ///     gets a random port from the dynamic range. The default is `RedirectURI.loopback(for:)` of the issuer, for
    ///     example `http://127.0.0.1/oauth2redirect/id.example.com`.
    ///   - show: Shows a prompt to the user.
    public init(redirectURI: RedirectURI? = nil, show: @escaping @Sendable (PastePrompt) -> Void) {
      self.init(redirectURI: redirectURI, descriptor: STDIN_FILENO, show: show)
    }

    package init(redirectURI: RedirectURI?, descriptor: Int32, show: @escaping @Sendable (PastePrompt) -> Void) {
      self.redirectURI = redirectURI
      self.descriptor = descriptor
      self.show = show
    }

    public func withRedirect<R: Sendable>(
      for server: ServerConfiguration, _ body: @Sendable (BoundRedirect) async throws -> R
    ) async throws -> R {
      let expectedURI = try self.expectedURI(for: server)
      let input: LineInput
      do {
        input = try LineInput(self.descriptor)
      } catch {
        throw RedirectReceiverError.failed(reason: "cannot read standard input: \(error)")
      }
      return try await body(BoundRedirect(redirectURI: expectedURI) { try await self.response(expectedURI, input, accepts: $0) })
    }

    private func response(
      _ expectedURI: RedirectURI, _ input: LineInput, accepts: @Sendable (String) -> Bool
    ) async throws -> ReceivedRedirect {
      let quiet = QuietTerminal(self.descriptor)
      defer { quiet?.restore() }
      var reader = LineReader()
      self.show(.ready(expectedURI))
      while true {
        let line: LineReader.Line
        (line, reader) = try await self.line(reader, input)
        switch PastedText.classify(line, expectedURI) {
        case .nothing: continue
        case .rejected(let reason): self.show(.rejected(reason, expectedURI))
        case .end: throw RedirectReceiverError.failed(reason: "standard input ended before a URL was pasted")
        case .url(let url):
          if accepts(url) {
            // The browser is on another machine, so there is no connection to send a last page to.
            return ReceivedRedirect(callbackURL: Secret(url)) { _ in }
          }
          self.show(.rejected(.otherSignIn, expectedURI))
        }
      }
    }

    private func line(_ reader: LineReader, _ input: LineInput) async throws -> (LineReader.Line, LineReader) {
      do {
        return try await input.line(reader)
      } catch let error as SystemError {
        throw RedirectReceiverError.failed(reason: "cannot read standard input: \(error)")
      }
    }

    /// The URI to send in the request. A loopback URI has a port, so that a web server on port 80 of the user's machine
    /// doesn't receive the code.
    private func expectedURI(for server: ServerConfiguration) throws(RedirectReceiverError) -> RedirectURI {
      // The range of dynamic ports (IANA).
      let port = UInt16.random(in: 49_152...65_535)
      do {
        guard let registered = self.redirectURI else {
          return try .loopback(for: server.issuer, host: server.loopbackHost ?? .ipv4, port: port)
        }
        guard case .loopback(let host) = registered.kind, registered.components.port == nil else { return registered }
        let query = registered.components.query.map { "?\($0)" } ?? ""
        return try RedirectURI("http://\(host.rawValue):\(port)\(registered.components.path)\(query)")
      } catch {
        throw .cannotBind(reason: "no valid redirect URI can be made for this server")
      }
    }
  }
#endif
