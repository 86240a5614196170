import Amounts
import Sessions
import Simulator
import Testing
import Yosemite

@Suite("A simulated session")
struct SimulatedSessionTests {
    @Test("takes a payment that the issuer approves, and both books agree")
    func approved() throws {
        let session = try SimulatedSession.play(try SessionPlan(card: "visa-credit")) { session in
            try await session.connect()
            let payment = try await session.pay(try Money("12.50", currency: .usDollar))
            return (payment.outcome, try await session.reconciliation().agrees, session.events.map(\.text))
        }
        #expect(session.0 == .approved)
        #expect(session.1)
        print(session.2.joined(separator: "\n"))
    }
}
