/// The programs that open a page in Windows' own browser from its subsystem for Linux.
enum WindowsBrowser {
  /// The argument vectors to try, in their order.
  ///
  /// `wslview` is wslu's. `explorer.exe` opens pages too, but ends with the same exit code whether it did or not.
  static func commands(opening url: String) -> [[String]] {
    [
      ["wslview", url],
      ["rundll32.exe", "url.dll,FileProtocolHandler", url],
      // Where Windows' own PATH is not appended to this one.
      ["/mnt/c/Windows/System32/rundll32.exe", "url.dll,FileProtocolHandler", url],
    ]
  }
}
