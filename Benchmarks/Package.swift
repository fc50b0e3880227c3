// swift-tools-version: 6.2
import PackageDescription

// The programs that Scripts/benchmark runs in addition to the server. They are in a package of their own, because they
// need unsafe flags (see below), and SwiftPM rejects dependencies that have such flags.

/// The package name with which SwiftPM compiles Sallyport. `Limits` is compiled with the same name, so that it can use
/// Sallyport's `package` declarations. SwiftPM derives the name from the folder of the package, and replaces characters
/// that cannot be part of an identifier with underscores.
let sallyportPackageName =
  Context.packageDirectory.split(separator: "/").dropLast().last
  .map { String($0.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" }) } ?? "sallyport"

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .treatAllWarnings(as: .error),
]

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "sallyport", path: ".."),
    .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
    .package(url: "https://github.com/vapor/jwt-kit.git", from: "5.7.1"),
    .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1"),
    .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
  ],
  targets: [
    .executableTarget(
      name: "Limits",
      dependencies: [
        // `Limits` does not import these two programs. They are listed so that they are built with it, because
        // Scripts/benchmark measures them.
        .product(name: "sallyportd", package: "sallyport"),
        .product(name: "sallyport", package: "sallyport"),
        .product(name: "SallyportServer", package: "sallyport"),
        .product(name: "SallyportResource", package: "sallyport"),
        .product(name: "SallyportSQLite", package: "sallyport"),
        .product(name: "SallyportPostgres", package: "sallyport"),
        .product(name: "SallyportArgon2", package: "sallyport"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "JWTKit", package: "jwt-kit"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      packageAccess: false,
      swiftSettings: settings + [.unsafeFlags(["-package-name", sallyportPackageName])]),
    .executableTarget(name: "EmptyProgram", swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
