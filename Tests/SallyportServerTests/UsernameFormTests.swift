import SallyportServer
import Testing

/// The stored form of a user name is lowercase, without spaces at its ends, and in Unicode normalization form C. The
/// expected forms are those of version 0.1. They must never change, because the server finds an account by the
/// stored form of its user name.
@Suite("Stored form of user names")
struct UsernameFormTests {
  @Test(
    "a user name is stored in the same form as in version 0.1",
    arguments: [
      ("Ada", "ada"),
      (" Jos\u{E9} ", "jos\u{E9}"),
      ("Jose\u{301}", "jos\u{E9}"),
      ("JOSE\u{301}", "jos\u{E9}"),
      ("\u{C5}ngstr\u{F6}m", "\u{E5}ngstr\u{F6}m"),
      ("A\u{30A}ngstro\u{308}m", "\u{E5}ngstr\u{F6}m"),
      ("\u{212B}", "\u{E5}"),
      ("\u{2126}mega", "\u{3C9}mega"),
      ("Nguye\u{302}\u{303}n", "nguy\u{1EC5}n"),
      ("Nguye\u{303}\u{302}n", "nguy\u{1EBD}\u{302}n"),
      ("q\u{323}\u{307}", "q\u{323}\u{307}"),
      ("q\u{307}\u{323}", "q\u{323}\u{307}"),
      ("\u{1100}\u{1161}\u{11A8}", "\u{AC01}"),
      ("\u{AC01}", "\u{AC01}"),
      ("\u{AC00}\u{11A8}", "\u{AC01}"),
      ("\u{304B}\u{3099}", "\u{304C}"),
      ("\u{304C}", "\u{304C}"),
      ("\u{F900}", "\u{8C48}"),
      ("\u{958}", "\u{915}\u{93C}"),
      ("\u{915}\u{93C}", "\u{915}\u{93C}"),
      ("\u{9C7}\u{9BE}", "\u{9CB}"),
      ("\u{401}\u{43B}\u{43A}\u{430}", "\u{451}\u{43B}\u{43A}\u{430}"),
      ("\u{415}\u{308}\u{43B}\u{43A}\u{430}", "\u{451}\u{43B}\u{43A}\u{430}"),
      ("\u{439}", "\u{439}"),
      ("\u{438}\u{306}", "\u{439}"),
      ("\u{FB01}", "\u{FB01}"),
      ("\u{2460}", "\u{2460}"),
      ("\u{DF}", "\u{DF}"),
      ("\u{130}", "i\u{307}"),
      ("\u{1D15E}", "\u{1D157}\u{1D165}"),
      ("\u{1109A}", "\u{1109A}"),
      ("\u{11099}\u{110BA}", "\u{1109A}"),
      ("\u{2F800}", "\u{4E3D}"),
      ("a\u{315}\u{300}\u{5AE}b", "\u{E0}\u{5AE}\u{315}b"),
      ("\u{1F468}\u{200D}\u{1F469}", "\u{1F468}\u{200D}\u{1F469}"),
      ("\u{3C3}\u{345}\u{301}", "\u{3C3}\u{301}\u{345}"),
      ("\u{1FB4}", "\u{1FB4}"),
      ("\u{FB1D}", "\u{5D9}\u{5B4}"),
      ("\u{344}", "\u{308}\u{301}"),
      ("\u{5E9}\u{5C1}", "\u{5E9}\u{5C1}"),
      ("\u{F73}x", "\u{F71}\u{F72}x"),
      ("\u{1E9B}\u{323}", "\u{1E9B}\u{323}"),
      ("\u{AC00}\u{301}", "\u{AC00}\u{301}"),
      ("x\u{20000}\u{301}\u{323}", "x\u{20000}\u{323}\u{301}"),
    ])
  func form(name: String, stored: String) throws {
    let username = try #require(Username(name))
    // The code units are compared, because `==` ignores the normalization form.
    #expect(username.value.utf8.elementsEqual(stored.utf8))
    #expect(try #require(Username(stored)).value.utf8.elementsEqual(stored.utf8))
  }
}
