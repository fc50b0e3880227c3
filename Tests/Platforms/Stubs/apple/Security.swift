// swift-format-ignore-file
// Our own declarations of Apple's functions; see AuthenticationServices.swift. The simulated Keychain is a dictionary.
// It follows the rules on which `KeychainTokenStore` depends: there is at most one item for each identity, so
// `SecItemAdd` fails if the item exists, and `SecItemUpdate` and `SecItemDelete` fail if it does not.
public import Foundation
import Synchronization

public typealias CFDictionary = [String: Any]
public typealias CFString = String
public typealias CFTypeRef = AnyObject
public typealias OSStatus = Int32

public let errSecSuccess: OSStatus = 0
public let errSecNotAvailable: OSStatus = -25291
public let errSecDuplicateItem: OSStatus = -25299
public let errSecItemNotFound: OSStatus = -25300
public let errSecInteractionNotAllowed: OSStatus = -25308
public let errSecMissingEntitlement: OSStatus = -34018

public let kSecClass: CFString = "class"
public let kSecClassGenericPassword: CFString = "genp"
public let kSecAttrService: CFString = "svce"
public let kSecAttrAccount: CFString = "acct"
public let kSecAttrAccessGroup: CFString = "agrp"
public let kSecAttrLabel: CFString = "labl"
public let kSecAttrSynchronizable: CFString = "sync"
public let kSecAttrAccessible: CFString = "pdmn"
public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = "cku"
public let kSecUseDataProtectionKeychain: CFString = "nleg"
public let kSecReturnData: CFString = "r_Data"
public let kSecMatchLimit: CFString = "m_Limit"
public let kSecMatchLimitOne: CFString = "m_LimitOne"
public let kSecValueData: CFString = "v_Data"

/// The simulated Keychain, whose state tests read and change.
public enum FakeKeychain {
  public struct Item: Sendable {
    public var data: Data
    public var accessible: String?
    public var label: String?
  }
  public struct State: Sendable {
    public var items: [String: Item] = [:]
    public var calls: [String] = []
    /// The status that every call returns without any effect, or `nil` for normal behavior.
    public var failure: OSStatus?
    /// If not `nil`, another process adds an item with this data just before the next call of `SecItemAdd`.
    public var itemAddedByOtherProcess: Data?
    /// The paths of the app groups' containers.
    public var containers: [String: String] = [:]

    public init() {}
  }
  public static let state = Mutex(State())
}

extension FileManager {
  public func containerURL(forSecurityApplicationGroupIdentifier group: String) -> URL? {
    FakeKeychain.state.withLock { $0.containers[group] }.map { URL(fileURLWithPath: $0, isDirectory: true) }
  }
}

/// Returns the key in `State.items` of the item that a query names.
private func identity(_ query: CFDictionary) -> String {
  let flag = { (name: String) in (query[name] as? Bool).map(String.init) ?? "-" }
  let text = { (name: String) in query[name] as? String ?? "-" }
  return [
    text(kSecClass), text(kSecAttrService), text(kSecAttrAccount), text(kSecAttrAccessGroup), flag(kSecAttrSynchronizable),
    flag(kSecUseDataProtectionKeychain),
  ].joined(separator: "|")
}

private func change(_ item: inout FakeKeychain.Item, _ attributes: CFDictionary) {
  if let data = attributes[kSecValueData] as? Data { item.data = data }
  if let accessible = attributes[kSecAttrAccessible] as? String { item.accessible = accessible }
  if let label = attributes[kSecAttrLabel] as? String { item.label = label }
}

public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
  let key = identity(query)
  let wantsData = query[kSecReturnData] as? Bool == true
  let (status, data) = FakeKeychain.state.withLock { state -> (OSStatus, Data?) in
    state.calls.append("copy")
    if let failure = state.failure { return (failure, nil) }
    guard let item = state.items[key] else { return (errSecItemNotFound, nil) }
    return (errSecSuccess, item.data)
  }
  if let data, wantsData { result?.pointee = NSData(data: data) }
  return status
}

public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
  let key = identity(attributes)
  var item = FakeKeychain.Item(data: Data())
  change(&item, attributes)
  return FakeKeychain.state.withLock { [item] state in
    state.calls.append("add")
    if let failure = state.failure { return failure }
    if let other = state.itemAddedByOtherProcess {
      state.itemAddedByOtherProcess = nil
      state.items[key] = FakeKeychain.Item(data: other)
    }
    guard state.items[key] == nil else { return errSecDuplicateItem }
    state.items[key] = item
    return errSecSuccess
  }
}

public func SecItemUpdate(_ query: CFDictionary, _ attributes: CFDictionary) -> OSStatus {
  let key = identity(query)
  return FakeKeychain.state.withLock { state in
    state.calls.append("update")
    if let failure = state.failure { return failure }
    guard var item = state.items[key] else { return errSecItemNotFound }
    // A new access group moves the item.
    let newKey = identity(query.merging(attributes.filter { $0.key == kSecAttrAccessGroup }) { $1 })
    guard newKey == key || state.items[newKey] == nil else { return errSecDuplicateItem }
    change(&item, attributes)
    state.items[key] = nil
    state.items[newKey] = item
    return errSecSuccess
  }
}

public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
  let key = identity(query)
  return FakeKeychain.state.withLock { state in
    state.calls.append("delete")
    if let failure = state.failure { return failure }
    return state.items.removeValue(forKey: key) == nil ? errSecItemNotFound : errSecSuccess
  }
}

public struct SecAccessControlCreateFlags: OptionSet, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }
  public static let privateKeyUsage = SecAccessControlCreateFlags(rawValue: 1 << 30)
}

public final class SecAccessControl: Sendable {
  public let protection: String
  public let flags: SecAccessControlCreateFlags
  init(_ protection: String, _ flags: SecAccessControlCreateFlags) { (self.protection, self.flags) = (protection, flags) }
}

public func SecAccessControlCreateWithFlags(
  _ allocator: AnyObject?, _ protection: CFString, _ flags: SecAccessControlCreateFlags, _ error: UnsafeMutablePointer<AnyObject?>?
) -> SecAccessControl? {
  SecAccessControl(protection, flags)
}
