/// A WebAuthn ceremony, with its `type` in client data (WebAuthn L3 §5.8.1).
package enum Ceremony: String, Hashable, Sendable {
  case registration = "webauthn.create"
  case authentication = "webauthn.get"
}
