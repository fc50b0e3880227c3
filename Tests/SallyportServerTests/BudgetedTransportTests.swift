import HTTPTypes
import SallyportProtocol
import SallyportRemote
import Synchronization
import TestSupport
import Testing

@testable import SallyportServer

@Suite("What strangers make the server fetch")
struct BudgetedTransportTests {
  private static func address(_ number: UInt8) -> ClientAddress {
    ClientAddress("192.0.2.\(number)", bytes: [192, 0, 2, number])
  }

  private struct Open: Transport {
    func send(
      _ request: HTTPRequest, body: [UInt8], limits: TransferLimits
    ) async throws(TransportError) -> TransportResponse {
      TransportResponse(head: HTTPResponse(status: .ok), body: [])
    }
  }

  /// - Returns: whether it was opened.
  private static func fetch(
    _ budget: BudgetedTransport, host: Int, client: Int, for asker: ClientAddress
  ) async throws -> Bool {
    let request = HTTPRequest.get(try #require(try? EndpointURL("https://host-\(host).example/request")))
    let way = budget.share(of: ClientID(rawValue: "client-\(client)"), for: asker)
    do throws(TransportError) {
      _ = try await way.send(request, body: [], limits: TransferLimits(maximumBodySize: 9, timeout: .seconds(1)))
      return true
    } catch { return false }
  }

  @Test("who registers many clients with addresses on many hosts uses up a quarter, and others go on")
  func asker() async throws {
    let clock = TestClock()
    let budget = BudgetedTransport(Open(), perMinute: 40, now: clock.source)
    var opened = 0
    for number in 0..<100 where try await Self.fetch(budget, host: number, client: number, for: Self.address(1)) { opened += 1 }
    #expect(opened == 10)
    #expect(try await Self.fetch(budget, host: 200, client: 200, for: Self.address(2)))
    #expect(try await !Self.fetch(budget, host: 201, client: 201, for: Self.address(1)))
    clock.advance(by: .seconds(60))
    #expect(try await Self.fetch(budget, host: 202, client: 202, for: Self.address(1)))
  }

  @Test("one client, one host and all together have their limits whoever asks")
  func others() async throws {
    let clock = TestClock()
    var opened = [0, 0, 0]
    let budgets = (0..<3).map { _ in BudgetedTransport(Open(), perMinute: 40, now: clock.source) }
    for number in 0..<100 {
      let asker = Self.address(UInt8(number))
      if try await Self.fetch(budgets[0], host: 1, client: number, for: asker) { opened[0] += 1 }
      if try await Self.fetch(budgets[1], host: number, client: 1, for: asker) { opened[1] += 1 }
      if try await Self.fetch(budgets[2], host: number, client: number, for: asker) { opened[2] += 1 }
    }
    #expect(opened == [10, 10, 40])
  }
}
