// swift-tools-version: 6.2
import PackageDescription

let server = TargetDependencyCondition.when(traits: ["Server"])
let commandLine = TargetDependencyCondition.when(traits: ["CommandLine"])
let transport = TargetDependencyCondition.when(traits: ["AsyncHTTPClient"])

func product(_ name: String, _ package: String, _ condition: TargetDependencyCondition? = nil) -> Target.Dependency {
  .product(name: name, package: package, condition: condition)
}

let crypto = product("Crypto", "swift-crypto")
let cryptoExtras = product("CryptoExtras", "swift-crypto")
let certificates = product("X509", "swift-certificates")
let asn1 = product("SwiftASN1", "swift-asn1")
let httpTypes = product("HTTPTypes", "swift-http-types")
let jwt = product("JWTKit", "jwt-kit")
let logging = product("Logging", "swift-log")
let arguments = product("ArgumentParser", "swift-argument-parser", commandLine)
let hummingbird = product("Hummingbird", "hummingbird", server)
let coreMetrics = product("CoreMetrics", "swift-metrics", server)
let metrics = product("Metrics", "swift-metrics", server)
let tracing = product("Tracing", "swift-distributed-tracing", server)

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .treatAllWarnings(as: .error),
]

/// The settings of the server's libraries. With them, a nonisolated asynchronous function runs on its caller's
/// executor, so a request stays on its connection's event loop. In the other libraries, such as the client's, such a
/// function leaves its caller's executor, so it does not occupy an app's main thread.
let serverSettings = settings + [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]

func library(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
  .target(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: settings)
}
func serverLibrary(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
  .target(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: serverSettings)
}
func command(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}
/// Code that test targets share.
func testSupport(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies, path: "Tests/\(name)", swiftSettings: settings)
}
/// A program that tests start.
func testProgram(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(name: name, dependencies: dependencies, path: "Tests/\(name)", swiftSettings: settings)
}
func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

let package = Package(
  name: "sallyport",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Sallyport", targets: ["Sallyport"]),
    .library(name: "SallyportDesktop", targets: ["SallyportDesktop"]),
    .library(name: "SallyportAndroid", targets: ["SallyportAndroid"]),
    .library(name: "SallyportTesting", targets: ["SallyportTesting"]),
    .library(name: "SallyportAsyncHTTPClient", targets: ["SallyportAsyncHTTPClient"]),
    .library(name: "SallyportResource", targets: ["SallyportResource"]),
    .library(name: "SallyportHummingbird", targets: ["SallyportHummingbird"]),
    .library(name: "SallyportServer", targets: ["SallyportServer"]),
    .library(name: "SallyportSQLite", targets: ["SallyportSQLite"]),
    .library(name: "SallyportPostgres", targets: ["SallyportPostgres"]),
    .library(name: "SallyportArgon2", targets: ["SallyportArgon2"]),
    .library(name: "SallyportHTTP", targets: ["SallyportHTTP"]),
    .library(name: "SallyportHTTPServer", targets: ["SallyportHTTPServer"]),
    .library(name: "SallyportObservability", targets: ["SallyportObservability"]),
    .library(name: "SallyportStoreTesting", targets: ["SallyportStoreTesting"]),
    .library(name: "SallyportMetrics", targets: ["SallyportMetrics"]),
    .executable(name: "sallyport", targets: ["SallyportCommand"]),
    .executable(name: "sallyportd", targets: ["SallyportDaemon"]),
    .executable(name: "sallyport-demo", targets: ["SallyportDemo"]),
  ],
  traits: [
    .trait(name: "AsyncHTTPClient", description: "The transport for Linux and Windows"),
    .trait(
      name: "CommandLine", description: "ArgumentParser and the transport, for the sallyport command",
      enabledTraits: ["AsyncHTTPClient"]),
    // The daemon needs ArgumentParser and the transport too.
    .trait(name: "Server", description: "The authorization server", enabledTraits: ["CommandLine"]),
    .default(enabledTraits: ["Server"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
    .package(url: "https://github.com/vapor/jwt-kit.git", from: "5.7.1"),
    .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics.git", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.7.3"),
    .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
    .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
    .package(url: "https://github.com/apple/swift-nio.git", from: "2.100.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.30.0"),
    .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.34.1"),
    .package(url: "https://github.com/apple/swift-certificates.git", from: "1.15.0"),
    .package(url: "https://github.com/apple/swift-asn1.git", from: "1.7.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1"),
    .package(url: "https://github.com/hummingbird-project/swift-mustache.git", from: "2.1.1"),
    .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
    .package(url: "https://github.com/jpsim/Yams.git", from: "6.2.2"),
  ],
  targets: [
    // Shared by the client and the server.
    library("SallyportProtocol", [crypto, jwt, httpTypes]),
    // Embeds the files in the modules' `Resources` folders.
    .target(name: "CResources"),
    library("SallyportResources", ["CResources"]),
    // The languages of the texts that users read, and the catalogs of these texts.
    library("SallyportLanguages", []),
    library("SallyportLook", ["SallyportResources", "CResources"], exclude: ["Resources"]),
    library("SallyportRemote", ["SallyportProtocol", crypto, jwt, httpTypes]),
    // Starts other programs, loads libraries at run time, and handles signals.
    library("SallyportSystem", []),

    // The client.
    library("Sallyport", ["SallyportRemote", crypto, httpTypes]),
    library(
      "SallyportDesktop",
      ["Sallyport", "SallyportLanguages", "SallyportLook", "SallyportResources", "SallyportSystem", "CResources", crypto],
      exclude: ["Resources"]),
    library("SallyportAndroid", ["Sallyport"]),
    // For the unit tests and previews of apps.
    library("SallyportTesting", ["Sallyport", crypto, httpTypes]),
    library(
      "SallyportAsyncHTTPClient",
      [
        "SallyportRemote", httpTypes,
        product("AsyncHTTPClient", "async-http-client", transport),
        product("NIOCore", "swift-nio", transport),
        product("NIOPosix", "swift-nio", transport),
        product("NIOHTTP1", "swift-nio", transport),
        product("NIOSSL", "swift-nio-ssl", transport),
      ]),
    command("SallyportCommand", ["SallyportDesktop", "SallyportAsyncHTTPClient", "SallyportSystem", arguments]),

    // For resource servers: APIs that accept access tokens.
    library("SallyportResource", ["SallyportRemote", crypto, httpTypes]),
    library("SallyportHummingbird", ["SallyportResource", hummingbird, httpTypes, logging]),

    // The authorization server.
    .systemLibrary(name: "CArgon2", pkgConfig: "libargon2", providers: [.apt(["libargon2-dev"])]),
    serverLibrary("SallyportWebAuthn", ["SallyportProtocol", crypto, cryptoExtras, certificates, asn1]),
    serverLibrary(
      "SallyportServer",
      [
        "SallyportRemote", "SallyportWebAuthn", "SallyportLanguages", "SallyportLook", "SallyportResources", "CResources", crypto,
        cryptoExtras,
      ],
      exclude: ["Resources"]),
    serverLibrary("SallyportArgon2", ["SallyportServer", "CArgon2"]),
    serverLibrary(
      "SallyportSQLite",
      [
        "SallyportServer", product("GRDB", "GRDB.swift", server), product("GRDBSQLite", "GRDB.swift", server), logging,
      ]),
    // Loads PostgreSQL's client library at run time.
    .target(name: "CLibPQ"),
    serverLibrary("SallyportPostgres", ["SallyportServer", "CLibPQ"]),
    library("SallyportStoreTesting", ["SallyportServer"]),
    library("SallyportMetrics", [coreMetrics]),
    serverLibrary(
      "SallyportHTTPServer",
      [
        hummingbird, httpTypes, logging, product("HummingbirdCore", "hummingbird", server),
        product("HummingbirdHTTP2", "hummingbird", server), product("NIOCore", "swift-nio", server),
        product("NIOHTTP1", "swift-nio", server), product("NIOSSL", "swift-nio-ssl", server),
        product("NIOHTTPTypes", "swift-nio-extras", server),
      ]),
    serverLibrary(
      "SallyportObservability",
      ["SallyportServer", "SallyportMetrics", hummingbird, httpTypes, metrics, tracing]),
    serverLibrary(
      "SallyportHTTP",
      [
        "SallyportServer", "SallyportHTTPServer", "SallyportObservability", "SallyportLook", "SallyportSystem",
        "SallyportLanguages", "SallyportResources", "CResources", hummingbird, httpTypes, logging, crypto,
        product("Mustache", "swift-mustache", server), product("NIOCore", "swift-nio", server),
      ],
      exclude: ["Resources"]),
    command(
      "SallyportDaemon",
      [
        "SallyportHTTP", "SallyportHTTPServer", "SallyportObservability", "SallyportSQLite", "SallyportPostgres",
        "SallyportArgon2", "SallyportLanguages", "SallyportWebAuthn",
        "SallyportSystem", "SallyportMetrics", "SallyportAsyncHTTPClient", arguments, crypto, logging, metrics, tracing,
        hummingbird, httpTypes,
        product("HummingbirdCore", "hummingbird", server), product("HummingbirdTLS", "hummingbird", server),
        product("NIOCore", "swift-nio", server), product("NIOSSL", "swift-nio-ssl", server), product("Yams", "Yams", server),
        product("ServiceLifecycle", "swift-service-lifecycle", server), product("UnixSignals", "swift-service-lifecycle", server),
      ]),

    // The demo, which starts the server, and the library with which the demo and the tests control a browser. The demo
    // depends on the server's program, so that building the demo builds both.
    library("BrowserDriver", ["SallyportSystem", "SallyportAsyncHTTPClient", httpTypes]),
    command(
      "SallyportDemo",
      [
        "SallyportDaemon", "SallyportDesktop", "SallyportAsyncHTTPClient", "SallyportSystem", "BrowserDriver", arguments,
        httpTypes,
      ]),

    // Tests.
    testSupport("TestSupport", ["SallyportRemote", "SallyportLanguages", httpTypes, crypto, cryptoExtras]),
    // A software authenticator.
    testSupport(
      "WebAuthnTestSupport",
      ["SallyportWebAuthn", "SallyportProtocol", "TestSupport", crypto, cryptoExtras, certificates, asn1]),
    tests("SallyportWebAuthnTests", ["SallyportWebAuthn", "SallyportProtocol", "WebAuthnTestSupport", crypto, certificates]),
    tests("SallyportLanguagesTests", ["SallyportLanguages"]),
    tests("SallyportProtocolTests", ["SallyportProtocol", crypto, httpTypes]),
    tests("SallyportRemoteTests", ["SallyportRemote", "TestSupport", jwt, crypto, httpTypes]),
    tests("SallyportResourceTests", ["SallyportResource", "TestSupport", crypto, httpTypes]),
    tests(
      "SallyportHummingbirdTests",
      [
        "SallyportHummingbird", "SallyportResource", "TestSupport", hummingbird, httpTypes, logging,
        product("HummingbirdTesting", "hummingbird", server),
      ]),
    tests("SallyportTests", ["Sallyport", "SallyportAndroid", "SallyportTesting", "TestSupport", jwt, crypto, httpTypes]),
    testProgram("DesktopProbe", ["SallyportDesktop", "Sallyport", "SallyportProtocol", httpTypes]),
    tests(
      "SallyportDesktopTests",
      [
        "SallyportDesktop", "SallyportLanguages", "SallyportSystem", "Sallyport", "SallyportProtocol", "TestSupport",
        "DesktopProbe",
      ]),
    testSupport(
      "SocketTestSupport",
      [
        "SallyportRemote", hummingbird, httpTypes, logging, crypto,
        product("HummingbirdCore", "hummingbird", server),
        product("HummingbirdTesting", "hummingbird", server),
        product("HummingbirdTLS", "hummingbird", server),
        product("NIOCore", "swift-nio", server),
        product("NIOPosix", "swift-nio", server),
        product("NIOSSL", "swift-nio-ssl", server),
        certificates,
      ]),
    tests(
      "SallyportAsyncHTTPClientTests",
      [
        "SallyportAsyncHTTPClient", "BrowserDriver", "TestSupport", "SocketTestSupport", httpTypes, hummingbird,
        product("NIOCore", "swift-nio", server),
      ]),
    tests(
      "MisbehavingServerTests",
      [
        "Sallyport", "SallyportDesktop", "SallyportAsyncHTTPClient", "TestSupport", "SocketTestSupport", hummingbird, httpTypes,
      ]),
    // Imitations of real providers, with their deviations from the RFCs.
    testSupport("QuirkServer", ["Sallyport", "SallyportRemote", "TestSupport", crypto, httpTypes]),
    tests(
      "QuirkServerTests",
      ["QuirkServer", "Sallyport", "SallyportTesting", "SallyportRemote", "TestSupport", crypto, httpTypes]),
    testSupport(
      "ServerTestSupport",
      [
        "SallyportServer", "SallyportSQLite", "SallyportPostgres", "PostgresTestSupport", "TestSupport", crypto,
        product("GRDB", "GRDB.swift", server),
      ]),
    tests(
      "SallyportServerTests",
      ["SallyportServer", "SallyportLanguages", "SallyportSQLite", "ServerTestSupport", "TestSupport", crypto]),
    testProgram("StoreCrashProbe", ["SallyportServer", "ServerTestSupport"]),
    testProgram("ServerCrashProbe", ["SallyportServer", "ServerTestSupport"]),
    tests(
      "SallyportModelTests",
      [
        "SallyportServer", "SallyportSQLite", "PostgresTestSupport", "ServerTestSupport", "TestSupport", "ServerCrashProbe",
        "StoreCrashProbe",
      ]),
    tests("SallyportArgon2Tests", ["SallyportArgon2"]),
    tests(
      "SallyportSQLiteTests",
      ["SallyportSQLite", "SallyportStoreTesting", product("GRDB", "GRDB.swift", server)]),
    testSupport("PostgresTestSupport", ["SallyportPostgres"]),
    tests(
      "SallyportPostgresTests",
      ["SallyportPostgres", "SallyportServer", "SallyportSQLite", "SallyportStoreTesting", "PostgresTestSupport", "TestSupport"]),
    testSupport(
      "HTTPTestSupport",
      [
        "SallyportHTTP", "SallyportHTTPServer", "SallyportLanguages", "SallyportObservability", "SallyportSQLite",
        "ServerTestSupport", "TestSupport", hummingbird, httpTypes, logging,
        product("HummingbirdTesting", "hummingbird", server), product("NIOCore", "swift-nio", server),
      ]),
    tests("SallyportMetricsTests", ["SallyportMetrics", coreMetrics]),
    tests(
      "SallyportHTTPTests",
      [
        "SallyportHTTP", "SallyportHTTPServer", "SallyportObservability", "SallyportSQLite", "SallyportAsyncHTTPClient",
        "SallyportMetrics", "SallyportWebAuthn", "SallyportLanguages", "SallyportResources", "CResources", "WebAuthnTestSupport",
        "HTTPTestSupport",
        "ServerTestSupport", "SocketTestSupport", "TestSupport", hummingbird, httpTypes, logging, metrics, tracing, crypto,
        product("InMemoryTracing", "swift-distributed-tracing", server),
        product("HummingbirdHTTP2", "hummingbird", server), product("HummingbirdTesting", "hummingbird", server),
        product("NIOCore", "swift-nio", server), product("NIOEmbedded", "swift-nio", server),
      ]),
    tests(
      "SallyportDaemonTests",
      [
        "SallyportDaemon", "SallyportHTTP", "SallyportHTTPServer", "SallyportObservability", "SallyportServer", "SallyportSQLite",
        "SallyportArgon2", "SallyportMetrics",
        "SallyportProtocol", "SallyportRemote", "SallyportPostgres", "PostgresTestSupport", "ServerTestSupport", "TestSupport",
        "SocketTestSupport", arguments, hummingbird,
        httpTypes, logging, metrics, product("HummingbirdTesting", "hummingbird", server), product("GRDB", "GRDB.swift", server),
        product("NIOCore", "swift-nio", server), product("ServiceLifecycle", "swift-service-lifecycle", server),
      ]),
    tests(
      "SallyportCommandTests",
      ["SallyportCommand", "Sallyport", "SallyportProtocol", "SallyportRemote", "SallyportTesting", arguments]),
    tests(
      "ConformanceTests",
      [
        "HTTPTestSupport", "SallyportLanguages", "SallyportSQLite", "SallyportServer", "ServerTestSupport", "TestSupport",
        httpTypes, jwt, crypto,
      ]),
    // The code examples of the documentation. They compile with the default settings, as in a reader's project.
    .executableTarget(
      name: "RecipeProgram",
      dependencies: ["Sallyport", "SallyportDesktop", "SallyportAsyncHTTPClient", "SallyportTesting", httpTypes],
      path: "Tests/RecipeProgram"),
    tests(
      "EndToEndTests",
      [
        "BrowserDriver", "HTTPTestSupport", "QuirkServer", "RecipeProgram", "Sallyport", "SallyportAsyncHTTPClient",
        "SallyportDesktop", "SallyportHTTP", "SallyportLanguages", "SallyportProtocol", "SallyportRemote", "SallyportServer",
        "SallyportTesting", "SocketTestSupport", "PostgresTestSupport", "TestSupport", hummingbird, httpTypes,
      ]),

    // The fuzz targets, and the tests that replay their stored inputs.
    .target(
      name: "FuzzProperties",
      dependencies: [
        "SallyportDesktop", "Sallyport", "SallyportRemote", "SallyportProtocol", "SallyportServer", "SallyportWebAuthn", crypto,
        httpTypes, jwt,
      ],
      path: "Fuzz/Properties", swiftSettings: settings),
    tests("FuzzTests", ["FuzzProperties"]),
  ],
  swiftLanguageModes: [.v6]
)

// This target cannot be linked without libFuzzer (`-sanitize=fuzzer`), so ordinary builds leave it out. Scripts/fuzz
// builds it.
if Context.environment["SALLYPORT_FUZZ"] != nil {
  package.targets.append(
    .executableTarget(name: "sallyport-fuzz", dependencies: ["FuzzProperties"], path: "Fuzz/Driver", swiftSettings: settings))
}

// Scripts/lib.sh sets this variable for release builds of the programs. By default, compiled code finds the metadata of
// a generic type by its name when the type is first used, which needs searches through all protocol conformances of the
// program. With the flag below, code creates the metadata without a search, and `sallyport token` takes 3.8 instead of
// 4.8 ms. The modules of the server do not get the flag, because it makes the server's requests 1.5 % slower. Other
// builds must not set unsafe flags, because SwiftPM rejects dependencies that have them.
if Context.environment["SALLYPORT_RELEASE"] != nil {
  let modules = ["Sallyport", "SallyportAsyncHTTPClient", "SallyportCommand", "SallyportDesktop"]
  for target in package.targets where modules.contains(target.name) {
    let flag = SwiftSetting.unsafeFlags(["-Xfrontend", "-disable-concrete-type-metadata-mangled-name-accessors"])
    target.swiftSettings = (target.swiftSettings ?? []) + [flag]
  }
}

// For faster builds while working: SALLYPORT_TESTS="SallyportServerTests SallyportHTTPTests" leaves out all other test
// targets.
if let selectedTests = Context.environment["SALLYPORT_TESTS"]?.split(separator: " ").map(String.init) {
  package.targets.removeAll { $0.type == .test && !selectedTests.contains($0.name) }
}
