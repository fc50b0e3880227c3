/// The programs that open a page in the Windows browser from the Windows Subsystem for Linux.
enum WindowsBrowser {
  /// The commands to try, in order. Each command consists of a program and its arguments.
  ///
  /// `wslview` is part of wslu. `explorer.exe` is not in the list, because its exit code doesn't show whether it opened
  /// the page.
  static func commands(opening url: String) -> [[String]] {
    [
      ["wslview", url],
      ["rundll32.exe", "url.dll,FileProtocolHandler", url],
      // The full path, for systems on which the Windows PATH is not appended to the Linux PATH.
      ["/mnt/c/Windows/System32/rundll32.exe", "url.dll,FileProtocolHandler", url],
    ]
  }
}
