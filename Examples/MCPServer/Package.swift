// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "whoami",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "sallyport", path: "../.."),
    .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1"),
  ],
  targets: [
    .executableTarget(
      name: "whoami",
      dependencies: [
        .product(name: "SallyportHummingbird", package: "sallyport"),
        .product(name: "SallyportAsyncHTTPClient", package: "sallyport"),
        .product(name: "Hummingbird", package: "hummingbird"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
