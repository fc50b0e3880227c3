// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "notes",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "sallyport", path: "../..", traits: ["AsyncHTTPClient"]),
    .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
  ],
  targets: [
    .executableTarget(
      name: "notes",
      dependencies: [
        .product(name: "SallyportDesktop", package: "sallyport"),
        .product(name: "SallyportAsyncHTTPClient", package: "sallyport"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
