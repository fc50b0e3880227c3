/// The programs that open a page in the Windows browser from the Windows Subsystem for Linux.
enum WindowsBrowser {
  /// The argument vectors to try, in order.
  ///
  /// `wslview` is part of wslu. `explorer.exe` can open pages too, but its exit code doesn't show whether it succeeded.
  static func commands(opening url: String) -> [[String]] {
    [
      ["wslview", url],
      ["rundll32.exe", "url.dll,FileProtocolHandler", url],
      // The full path, for systems on which the Windows PATH is not appended to the Linux PATH.
      ["/mnt/c/Windows/System32/rundll32.exe", "url.dll,FileProtocolHandler", url],
    ]
  }
}
