// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "tools",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "sallyport", path: "../..", traits: ["AsyncHTTPClient"])
  ],
  targets: [
    .executableTarget(
      name: "tools",
      dependencies: [
        .product(name: "SallyportDesktop", package: "sallyport"),
        .product(name: "SallyportAsyncHTTPClient", package: "sallyport"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
