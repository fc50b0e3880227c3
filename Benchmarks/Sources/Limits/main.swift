// The limits of this machine, against which Scripts/benchmark holds the server.
//
//   Limits rates DIRECTORY        prints JSON: signatures, commits and password checks in a second
//   Limits serve PORT DIRECTORY   serves bare routes, see BareServer
//   Limits fill DATABASE CLIENT TOKENS
//                                 makes a database as large as one long in use, see Filling

import Foundation

let arguments = CommandLine.arguments.dropFirst()
switch (arguments.first, arguments.count) {
case ("rates", 2):
  try await Rates.measure(in: arguments[2]).print()
case ("serve", 3):
  guard let port = Int(arguments[2]) else { exitWithUsage() }
  try await BareServer(directory: arguments[3]).run(port: port)
case ("fill", 4):
  guard let tokens = Int(arguments[4]) else { exitWithUsage() }
  try await Filling(database: arguments[2], client: arguments[3], tokens: tokens).run()
default:
  exitWithUsage()
}

func exitWithUsage() -> Never {
  let usage = "usage: Limits rates DIRECTORY | serve PORT DIRECTORY | fill DATABASE CLIENT TOKENS\n"
  FileHandle.standardError.write(Data(usage.utf8))
  exit(64)
}
