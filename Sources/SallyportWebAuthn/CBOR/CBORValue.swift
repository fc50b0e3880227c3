/// A CBOR data item (RFC 8949 §3.1), limited to the types that WebAuthn uses.
package enum CBORValue: Hashable, Sendable {
  case integer(Int64)
  case bytes([UInt8])
  case text(String)
  case array([CBORValue])
  case map(CBORMap)
  case bool(Bool)
  case null
}

extension CBORValue {
  package var integerValue: Int64? { if case .integer(let value) = self { value } else { nil } }
  package var bytesValue: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }
  package var textValue: String? { if case .text(let value) = self { value } else { nil } }
  package var arrayValue: [CBORValue]? { if case .array(let value) = self { value } else { nil } }
  package var mapValue: CBORMap? { if case .map(let value) = self { value } else { nil } }
}
