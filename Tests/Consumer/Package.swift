// swift-tools-version: 6.2
import PackageDescription

// An app that embeds the SDK without traits, unless `Scripts/consumer` enables them.
let traits = (Context.environment["CONSUMER_TRAITS"] ?? "").split(separator: ",")

let package = Package(
  name: "Consumer",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "sallyport", path: "../..", traits: Set(traits.map { .init(stringLiteral: String($0)) }))
  ],
  targets: [
    .executableTarget(
      name: "Consumer",
      dependencies: [
        .product(name: "Sallyport", package: "sallyport"),
        .product(name: "SallyportDesktop", package: "sallyport"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
