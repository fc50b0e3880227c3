import SallyportProtocol
import SallyportServer
import Testing

@testable import SallyportArgon2

/// The hashes in this suite were made before Sallyport normalized passwords with ICU; see
/// docs/decisions/0076-public-normalization.md. The passwords must still match their hashes, because otherwise users
/// could no longer sign in.
@Suite("Stored password hashes")
struct StoredHashTests {
  @Test(
    "a password matches the hash that was stored with the previous normalization",
    arguments: [
      ("Ada and more words", "$argon2id$v=19$m=64,t=1,p=1$c2FsbHlwb3J0IG5mYyAwMQ$WQsTcE6YyA6uRXAM4mi3132n6evRSk5lOqcVs1FdPBA"),
      (
        " Jos\u{E9}  and more words",
        "$argon2id$v=19$m=64,t=1,p=1$c2FsbHlwb3J0IG5mYyAwMw$2e4fOzZnaC2xxJSymQhmu2HhiHEOkx32htJkD1HDEwE"
      ),
      (
        "Jose\u{301} and more words",
        "$argon2id$v=19$m=64,t=1,p=1$c2FsbHlwb3J0IG5mYyAwNQ$4AyzYSlKuX8xqMfkFz2rC4VhIqIvTiCZ+seSM4Ga8dk"
      ),
      (
        "JOSE\u{301} and more words",
        "$argon2id$v=19$m=64,t=1,p=1$c2FsbHlwb3J0IG5mYyAwNw$4KVzpW7YhnNQBBrr9tLDli0wUExJib34uAVXsUb6RWc"
      ),
      (
        "\u{C5}ngstr\u{F6}m and more words",
        "$argon2id$v=19$m=64,t=1,p=1$c2FsbHlwb3J0IG5mYyAwOQ$gAMtTBEDrk7ECsCKrd2+2+EYiqVF8/f0Gox7ZAph5js"
      ),
      (
        "A\u{30A}ngstro\u{308}m and more words",
        "$argon2id$v=19$m=64,t=1,p=1$c2FsbHlwb3J0IG5mYyAxMQ$jmDCNcpXsIlxCPOolGsgfpuID/ZAh/AY/SFQ9HTsA1s"
      ),
      (
        "\u{212B} and more words",
        "$argon2id$v=19$m=64,t=1,p=1$c2FsbHlwb3J0IG5mYyAxMw$1o2+aC3iyQkMHKb+5m5UI1OxGccFFrQ19VVUSHaAH5k"
      ),
      (
        "\u{2126}mega and more words",
        "$argon2id$v=19$m=64,t=1,p=1$c2FsbHlwb3J0IG5mYyAxNQ$UoFJQmq78v+s1znTBGCkE9ZIIcVTvJN7agEfWwR1FLo"
      ),
      (
        "Nguye\u{302}\u{303}n and more words",
        "$argon2id$v=19$m=64,t=1,p=1$c2FsbHlwb3J0IG5mYyAxNw$SBACsDJUerr7mcp9CGjv/Bk2JAHzN0MFJlfxGvNNFpA"
      ),
      (
        "Nguye\u{303}\u{302}n and more words",
        "$argon2id$v=19$m=64,t=1,p=1$c2FsbHlwb3J0IG5mYyAxOQ$vDFm73vi7DeZhH13gdbXaYst3sNCO/ko1T0kMMKwrxg"
      ),
      (
        "q\u{323}\u{307} and more words",
        "$argon2id$v=19$m=64,t=1,p=1$c2FsbHlwb3J0IG5mYyAyMQ$M2FyN1s9fT380qEdXAyXbqxbnlAlf5JgkDwM+bwPX8k"
      ),
      (
        "q\u{307}\u{323} and more words",
        "$argon2id$v=19$m=64,t=1,p=1$c2FsbHlwb3J0IG5mYyAyMw$V6BS9Fpr5w+HpRm5lhUMr+nCA717MkFc3qWLNT4o+dY"
      ),
      (
        "\u{1100}\u{1161}\u{11A8} and more words",
        "$argon2id$v=19$m=64,t=1,p=1$c2FsbHlwb3J0IG5mYyAyNQ$IwQvR4ySQnQ5cMxUy0jnRJd5fpAn72gHUr/rvFfk/Sw"
      ),
      (
        "\u{AC01} and more words",
        "$argon2id$v=19$m=64,t=1,p=1$c2FsbHlwb3J0IG5mYyAyNw$WZUgv6UgFo2Ya/TXEcqCw3BoMAL28qCo3W6XlrzdgmE"
      ),
      (
        "\u{AC00}\u{11A8} and more words",
        "$argon2id$v=19$m=64,t=1,p=1$c2FsbHlwb3J0IG5mYyAyOQ$cI8Pc0rtEexaG9O/Nrq6kfeKhywoFkx8RsjV4X7GeFY"
      ),
      (
        "\u{304B}\u{3099} and more words",
        "$argon2id$v=19$m=64,t=1,p=1$c2FsbHlwb3J0IG5mYyAzMQ$OzgnoNDoaDBs8tEY9AWQFHr3UcERIQO0WwxbdwSQqWI"
      ),
      (
        "\u{304C} and more words",
        "$argon2id$v=19$m=64,t=1,p=1$c2FsbHlwb3J0IG5mYyAzMw$tBTvajv59EGkK316F88qpH4I+QK/rfx2dDdvISHrJsQ"
      ),
      (
        "\u{F900} and more words",
        "$argon2id$v=19$m=64,t=1,p=1$c2FsbHlwb3J0IG5mYyAzNQ$iOYawojE/pghpCLZVBcRpCbJwUCUdw7fjReyOsvhee8"
      ),
      (
        "\u{958} and more words", "$argon2id$v=19$m=64,t=1,p=1$c2FsbHlwb3J0IG5mYyAzNw$ufF1+1pYSt5v51Hw6DL+Wvm5cxLviKomYUaiPWRzHxM"
      ),
      (
        "\u{915}\u{93C} and more words",
        "$argon2id$v=19$m=64,t=1,p=1$c2FsbHlwb3J0IG5mYyAzOQ$LQzhBh28jEvo76taRHHz96m1PCxTuoKt1P17053LTI8"
      ),
      (
        "\u{9C7}\u{9BE} and more words",
        "$argon2id$v=19$m=64,t=1,p=1$c2FsbHlwb3J0IG5mYyA0MQ$OkN+tQ8rD6LnuTsITZ6JG9dfdQQef/wL3GlYN7MHLsE"
      ),
      (
        "\u{401}\u{43B}\u{43A}\u{430} and more words",
        "$argon2id$v=19$m=64,t=1,p=1$c2FsbHlwb3J0IG5mYyA0Mw$qFEOoNYZwpOvdtPfYAOPVGevUoyf7uFPaQI5ckbjYSY"
      ),
      (
        "\u{415}\u{308}\u{43B}\u{43A}\u{430} and more words",
        "$argon2id$v=19$m=64,t=1,p=1$c2FsbHlwb3J0IG5mYyA0NQ$A7mygRcN9RLzj2y68PZa0OESyYn+f6+jA4r5sV8cTgI"
      ),
      (
        "\u{439} and more words", "$argon2id$v=19$m=64,t=1,p=1$c2FsbHlwb3J0IG5mYyA0Nw$SdwlbTrpuBZAbi3kJQg4T6WjnHVDztzKrRl8URxgdjM"
      ),
      (
        "\u{438}\u{306} and more words",
        "$argon2id$v=19$m=64,t=1,p=1$c2FsbHlwb3J0IG5mYyA0OQ$G82MlWDNSIg3hStoIkET2UCoCNIXJtvRLsHsiPc2j8A"
      ),
      (
        "\u{FB01} and more words",
        "$argon2id$v=19$m=64,t=1,p=1$c2FsbHlwb3J0IG5mYyA1MQ$CLt72sLpVoD9fNAd0xMGgtgCVLrhQ8iva/Q5/EbrX0k"
      ),
      (
        "\u{2460} and more words",
        "$argon2id$v=19$m=64,t=1,p=1$c2FsbHlwb3J0IG5mYyA1Mw$5UeC6r25/sNADgvSJhfgcjc6ncK1lnoZGoiFcVLEHJ8"
      ),
      ("\u{DF} and more words", "$argon2id$v=19$m=64,t=1,p=1$c2FsbHlwb3J0IG5mYyA1NQ$Pshbi/RhiaGki2mJ+l2qDrdzSq7zVzVW1tsPCxzN/W0"),
      (
        "\u{130} and more words", "$argon2id$v=19$m=64,t=1,p=1$c2FsbHlwb3J0IG5mYyA1Nw$JD+mCjjYB3mczeMsO4KdjYnGx0yucrBotbAj3J7C6Ew"
      ),
      (
        "\u{1D15E} and more words",
        "$argon2id$v=19$m=64,t=1,p=1$c2FsbHlwb3J0IG5mYyA1OQ$fq6O5akle91aykbpqEozhK70/jwBexfXOb+VxwWfxsc"
      ),
      (
        "\u{1109A} and more words",
        "$argon2id$v=19$m=64,t=1,p=1$c2FsbHlwb3J0IG5mYyA2MQ$xWaaiGFuVW6HLin4ydT7mnh1+heOjg2dHZp94Xo5rsU"
      ),
      (
        "\u{11099}\u{110BA} and more words",
        "$argon2id$v=19$m=64,t=1,p=1$c2FsbHlwb3J0IG5mYyA2Mw$22RzFiYjfL9V3gV+FUa4/tYpV/zhS1YwnvySgOIr45s"
      ),
      (
        "\u{2F800} and more words",
        "$argon2id$v=19$m=64,t=1,p=1$c2FsbHlwb3J0IG5mYyA2NQ$CeN9OtilhzXH/Nofml32Mru8OQCf/dEBlX1Dx7wcL5g"
      ),
      (
        "a\u{315}\u{300}\u{5AE}b and more words",
        "$argon2id$v=19$m=64,t=1,p=1$c2FsbHlwb3J0IG5mYyA2Nw$byKYBtC8kBVb28NTAX0zv6ri4yKstQTRWAjshfG5eTA"
      ),
      (
        "\u{1F468}\u{200D}\u{1F469} and more words",
        "$argon2id$v=19$m=64,t=1,p=1$c2FsbHlwb3J0IG5mYyA2OQ$m5jqyi+egMV3Kvwnd8eVzDO0CHHKAHgQfXh9QZWeZz8"
      ),
      (
        "\u{3C3}\u{345}\u{301} and more words",
        "$argon2id$v=19$m=64,t=1,p=1$c2FsbHlwb3J0IG5mYyA3MQ$DH0GoOmnhJXYW9DYXtEYx+R3x0Os9d0YY4AXGbvjpmU"
      ),
      (
        "\u{1FB4} and more words",
        "$argon2id$v=19$m=64,t=1,p=1$c2FsbHlwb3J0IG5mYyA3Mw$HHUrMdV0sk6K74H1wcI0y/u3//4ZVmRknIjmN4PRDT0"
      ),
      (
        "\u{FB1D} and more words",
        "$argon2id$v=19$m=64,t=1,p=1$c2FsbHlwb3J0IG5mYyA3NQ$UBFj7FHWQBq+AU4HIaEpPnCugQqRrKvg2lTqTODq344"
      ),
      (
        "\u{344} and more words", "$argon2id$v=19$m=64,t=1,p=1$c2FsbHlwb3J0IG5mYyA3Nw$s2Azeo2V6OHOHUjxFJYrdrWByPkAVCr19IaJcSOPThM"
      ),
      (
        "\u{5E9}\u{5C1} and more words",
        "$argon2id$v=19$m=64,t=1,p=1$c2FsbHlwb3J0IG5mYyA3OQ$WmlndP7qxLEGWRjn94s83jF82lMYaxy1dgKsTGMsFuc"
      ),
      (
        "\u{F73}x and more words",
        "$argon2id$v=19$m=64,t=1,p=1$c2FsbHlwb3J0IG5mYyA4MQ$vwAj3GzC0tfjH3wpja1Q3QWHg+iwIdbpvJ/jmIkQRBI"
      ),
      (
        "\u{1E9B}\u{323} and more words",
        "$argon2id$v=19$m=64,t=1,p=1$c2FsbHlwb3J0IG5mYyA4Mw$tVMgd9z17QlUlucRiL+pLkZCxc1rFPv13VDAa58OCUo"
      ),
      (
        "\u{AC00}\u{301} and more words",
        "$argon2id$v=19$m=64,t=1,p=1$c2FsbHlwb3J0IG5mYyA4NQ$2uEmxytify2hupL5LaRtdntYTBeHOZ1zh9bKWhxGm4M"
      ),
      (
        "x\u{20000}\u{301}\u{323} and more words",
        "$argon2id$v=19$m=64,t=1,p=1$c2FsbHlwb3J0IG5mYyA4Nw$wqZSZIiLYE/0ibBao2IlKak0iTu+N895JOn2sR2ZTeU"
      ),
    ])
  func hash(password: String, stored: String) async throws {
    #expect(try await Argon2PasswordHasher().verify(Secret(password), against: stored))
  }
}
