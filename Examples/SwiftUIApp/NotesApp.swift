import AuthenticationServices
import SwiftUI

@main
struct NotesApp: App {
  @State private var account = try? Account()

  var body: some Scene {
    WindowGroup {
      if let account {
        AccountView(account: account)
          .task { await account.restore() }
          .onOpenURL { url in Task { await account.resume(from: url) } }
      } else {
        Text("This app is misconfigured.")
      }
    }
  }
}

struct AccountView: View {
  let account: Account

  var body: some View {
    VStack(spacing: 16) {
      switch self.account.state {
      case .unknown:
        ProgressView()
      case .signedOut:
        Button("Sign in") { Task { await self.account.signIn(in: Self.window) } }
      case .signedIn(let session):
        Text("Signed in at \(session.issuer.value)")
        Button("Sign out") { Task { await self.account.signOut() } }
      }
      if let message = self.account.message {
        Text(message).foregroundStyle(.secondary)
      }
    }
    .padding()
  }

  /// The window in which the sign-in page opens.
  @MainActor
  private static func window() -> ASPresentationAnchor {
    #if os(macOS)
      NSApplication.shared.keyWindow ?? NSWindow()
    #else
      UIApplication.shared.connectedScenes.compactMap { ($0 as? UIWindowScene)?.keyWindow }.first ?? UIWindow()
    #endif
  }
}
