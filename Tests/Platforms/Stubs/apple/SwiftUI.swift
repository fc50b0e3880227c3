// swift-format-ignore-file
// Our own declarations of Apple's types; see AuthenticationServices.swift. They only let the compiler check the views
// in the documentation: no view is ever shown.
public import Foundation

@MainActor @preconcurrency
public protocol View {
  associatedtype Body: View
  @ViewBuilder var body: Body { get }
}

extension Never: View {
  public var body: Never { fatalError("has no body") }
}

public struct EmptyView: View {
  public var body: Never { fatalError("has no body") }
}

public struct TupleView<T>: View {
  public var body: Never { fatalError("has no body") }
}

extension Optional: View where Wrapped: View {
  public var body: Never { fatalError("has no body") }
}

@resultBuilder
public enum ViewBuilder {
  public static func buildBlock() -> EmptyView { EmptyView() }
  public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
  public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<(repeat each Content)> {
    TupleView()
  }
  public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
  public static func buildEither<A: View, B: View>(first: A) -> TupleView<(A, B)> { TupleView() }
  public static func buildEither<A: View, B: View>(second: B) -> TupleView<(A, B)> { TupleView() }
}

public struct Text: View {
  public init(_ text: some StringProtocol) {}
  public var body: Never { fatalError("has no body") }
}

public struct ProgressView: View {
  public init() {}
  public var body: Never { fatalError("has no body") }
}

public struct Button: View {
  public init(_ title: some StringProtocol, action: @escaping @MainActor () -> Void) {}
  public var body: Never { fatalError("has no body") }
}

public struct VStack<Content: View>: View {
  public init(spacing: Double? = nil, @ViewBuilder content: () -> Content) {}
  public var body: Never { fatalError("has no body") }
}

@MainActor @preconcurrency
public protocol Scene {
  associatedtype Body: Scene
  @SceneBuilder var body: Body { get }
}

extension Never: Scene {}

@resultBuilder
public enum SceneBuilder {
  public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

public struct WindowGroup<Content: View>: Scene {
  public init(@ViewBuilder content: () -> Content) {}
  public var body: Never { fatalError("has no body") }
}

@MainActor @preconcurrency
public protocol App {
  associatedtype Body: Scene
  @SceneBuilder var body: Body { get }
  init()
}

extension App {
  @MainActor @preconcurrency
  public static func main() {}
}

public enum ScenePhase: Comparable, Sendable { case background, inactive, active }
public struct SecondaryStyle: Sendable { public static var secondary: SecondaryStyle { SecondaryStyle() } }

extension View {
  public func task(@_inheritActorContext _ action: @escaping @Sendable () async -> Void) -> some View { self }
  public func onChange<V: Equatable>(of value: V, _ action: @escaping (_ old: V, _ new: V) -> Void) -> some View { self }
  public func onOpenURL(perform action: @escaping (URL) -> Void) -> some View { self }
  public func disabled(_ disabled: Bool) -> some View { self }
  public func foregroundStyle(_ style: SecondaryStyle) -> some View { self }
  public func padding() -> some View { self }
}

@propertyWrapper
public struct State<Value> {
  private let value: Value
  public init(wrappedValue: Value) { self.value = wrappedValue }
  public init(initialValue: Value) { self.value = initialValue }
  public var wrappedValue: Value {
    get { self.value }
    nonmutating set {}
  }
}

public struct EnvironmentValues {
  public var scenePhase: ScenePhase { .active }
}

@propertyWrapper
public struct Environment<Value> {
  private let value: Value
  public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { self.value = EnvironmentValues()[keyPath: keyPath] }
  public var wrappedValue: Value { self.value }
}
