// Measures how fast this machine does the work that the server cannot avoid, such as signatures and commits.
// Scripts/benchmark compares the server's rates with these limits.
//
//   Limits rates DIRECTORY        prints JSON: signatures, token checks, commits, and password checks per second
//   Limits serve PORT DIRECTORY [DATABASE]
//                                 serves routes that do only the unavoidable work of an endpoint; see BareServer.
//                                 DATABASE is the URL of a PostgreSQL database
//   Limits fill DATABASE CLIENT TOKENS
//                                 fills a database with TOKENS refresh tokens of the client CLIENT; see Filling.
//                                 DATABASE is the path or URL of the database. Standard input contains the
//                                 SHA-256 fingerprints of the tokens that the benchmark will send, in hexadecimal, one
//                                 per line. For each of these tokens, prints the identifier of its grant, "~", and the
//                                 token's number in the grant

import Foundation
import SallyportProtocol
import SallyportServer

let arguments = CommandLine.arguments.dropFirst()
switch (arguments.first, arguments.count) {
case ("rates", 2):
  try await Rates.measure(in: arguments[2]).print()
case ("serve", 3), ("serve", 4):
  guard let port = Int(arguments[2]) else { exitWithUsage() }
  try await BareServer(directory: arguments[3], database: arguments.count > 3 ? arguments[4] : nil).run(port: port)
case ("fill", 4):
  guard let tokens = Int(arguments[4]) else { exitWithUsage() }
  let lines = Array(AnyIterator { readLine() })
  let known = lines.compactMap { Fingerprint(hexadecimal: $0) }
  guard known.count == lines.count else { exitWithUsage() }
  for id in try await Filling(database: arguments[2], client: arguments[3], tokens: tokens, known: known).run() {
    print("\(id.grant.rawValue)~\(id.number)")
  }
default:
  exitWithUsage()
}

extension Fingerprint {
  fileprivate init?(hexadecimal text: String) {
    let digits = text.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue.map(UInt8.init) }
    guard text.utf8.count == 64, digits.count == 64 else { return nil }
    self.init(bytes: stride(from: 0, to: 64, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
  }
}

func exitWithUsage() -> Never {
  let usage = "usage: Limits rates DIRECTORY | serve PORT DIRECTORY [DATABASE] | fill DATABASE CLIENT TOKENS\n"
  FileHandle.standardError.write(Data(usage.utf8))
  // EX_USAGE of sysexits.h.
  exit(64)
}
