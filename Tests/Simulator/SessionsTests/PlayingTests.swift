import Hardware
import Money
import Payments
import Sessions
import Simulator
import Storage
import Testing
import Yosemite

@Suite("A simulated session")
struct PlayingTests {
    @Test("takes an approved payment, and journal and ledger agree")
    func approves() throws {
        try SimulatedSession.play(try .with()) { session in
            try await session.connect()
            let payment = try await session.pay(try usd("12.50"))
            #expect(payment.outcome == .approved)
            #expect(try await session.reconciliation().agrees)
            #expect(session.details(.journal) == ["created 1", "authorizing 1", "captured 1"])
            #expect(session.details(.host) == ["authorize sent", "authorize answered 00"])
            let attempts = try session.payments().first?.attempts
            #expect(attempts?.map(\.states) == [["created", "authorizing", "captured"]])
            #expect(try await session.receipt(of: payment.id).contains("12.50"))
        }
    }

    @Test("declines a payment, and retries it with another card")
    func retries() throws {
        let plan = try SessionPlan.with("insufficient-funds") {
            $0.cards.append(PlannedCard(try CardProfileLibrary.profile("visa-credit"), name: "other"))
        }
        try SimulatedSession.play(plan) { session in
            try await session.connect()
            let declined = try await session.pay(try usd("900.00"))
            #expect(declined.outcome == .declined)
            let paid = try await session.retry(declined.id, PaymentOptions(card: "other"))
            #expect(paid.outcome == .approved)
            #expect(try session.payments().first?.attempts.map { $0.states.last } == ["declined", "captured"])
        }
    }

    @Test("refunds a payment completely and in part")
    func refunds() throws {
        try SimulatedSession.play(try .with()) { session in
            try await session.connect()
            let payment = try await session.pay(try usd("20.00"))
            #expect(try await session.refund(payment.id, amount: try usd("5.00")).refundedAmount.minorUnits == 500)
            #expect(try await session.refund(payment.id).refundedAmount.minorUnits == 2000)
            let again = await #expect(throws: SimulatedSessionError.self) { try await session.refund(payment.id) }
            guard case .payments(.journal(.notRefundable))? = again else {
                Issue.record("refused otherwise: \(again.map(String.init(describing:)) ?? "not at all")")
                return
            }
            #expect(try await session.reconciliation().agrees)
        }
    }

    @Test("waits for a card until the timeout, which takes no real time")
    func cardTimeout() throws {
        let began = ContinuousClock.now
        try SimulatedSession.play(try .with()) { session in
            try await session.connect()
            let start = session.elapsed
            let payment = try await session.pay(
                try usd("1.00"), PaymentOptions(presentsCard: false, cardTimeout: .seconds(600)))
            #expect(payment.outcome == .failed)
            #expect(payment.errorCode == "card_timeout" || payment.errorCode != nil)
            #expect(session.elapsed - start >= .seconds(600))
            #expect(session.elapsed - start < .seconds(602))
        }
        #expect(began.duration(to: .now) < .seconds(60))
    }

    @Test("cancels a payment at the given moment")
    func cancels() throws {
        try SimulatedSession.play(try .with()) { session in
            try await session.connect()
            try session.perform(.cancelPayment, when: .after(.seconds(5)))
            let start = session.elapsed
            let payment = try await session.pay(try usd("1.00"), PaymentOptions(presentsCard: false))
            #expect(payment.outcome == .canceled)
            #expect(session.elapsed - start == .seconds(5))
        }
    }

    @Test("lets a script insert the card, enter the PIN on the reader's keys, and remove the card")
    func scriptedHands() throws {
        var plan = try SessionPlan.with("pin-required") { $0.readers = [PlannedReader(model: .chip(.pinpad))] }
        plan.cards[0].profile.cardholder.pinEntries = [.nothing]
        try SimulatedSession.play(plan) { session in
            try await session.connect()
            try session.perform(.insert(), when: .at("waiting", delay: .seconds(2)))
            for (index, key) in [1, 2, 3, 4].enumerated() {
                try session.perform(
                    .press(.digit(UInt8(key))), when: .at("kernel entering_pin", delay: .seconds(1 + index)))
            }
            try session.perform(.press(.confirmation), when: .at("kernel entering_pin", delay: .seconds(6)))
            try session.perform(.removeCard(), when: .at("remove_card", delay: .seconds(3)))
            let payment = try await session.pay(try usd("30.00"), PaymentOptions(presentsCard: false))
            #expect(payment.outcome == .approved)
            #expect(try session.payments().first?.cardholderVerification == "offline_pin")
            #expect(session.details(.cardIn) == ["reader"] && session.details(.cardOut) == ["reader"])
        }
    }

    @Test("reconnects a reader that is unplugged and plugged in again")
    func reconnects() throws {
        try SimulatedSession.play(try .with()) { session in
            try await session.connect()
            try session.perform(.unplug())
            try session.perform(.plugIn(), when: .after(.seconds(3)))
            await session.wait(.seconds(5))
            #expect(session.details(.disconnected) == ["unplugged"])
            #expect(session.details(.reconnection).last == "succeeded")
            #expect(try await session.pay(try usd("2.00")).outcome == .approved)
        }
    }

    @Test("uses the named reader")
    func secondReader() throws {
        let plan = try SessionPlan.with {
            $0.readers = [
                PlannedReader(name: "left", model: .chip(.tpdu)), PlannedReader(name: "right", model: .chip(.tpdu)),
            ]
        }
        try SimulatedSession.play(plan) { session in
            try await session.connect("right")
            #expect(try await session.pay(try usd("2.00")).outcome == .approved)
            #expect(session.details(.cardIn) == ["right"])
        }
    }

    @Test("reports errors in names and plans")
    func wrongNames() throws {
        try SimulatedSession.play(try .with()) { session in
            await #expect(throws: SimulatedSessionError.noSuchReader("middle", known: ["reader"])) {
                try await session.connect("middle")
            }
            await #expect(throws: SimulatedSessionError.noSuchCard("gold", known: ["visa-credit"])) {
                try await session.pay(try usd("1.00"), PaymentOptions(card: "gold"))
            }
            #expect(throws: SimulatedSessionError.noSuchReader("middle", known: ["reader"])) {
                try session.perform(.unplug(reader: "middle"))
            }
            #expect(session.events.count == 1)
        }
        let twice = try SessionPlan.with { $0.cards.append($0.cards[0]) }
        #expect(throws: SimulatedSessionError.self) { try SimulatedSession.play(twice) { _ in } }
        let nothing = SessionPlan(cards: [])
        #expect(throws: SimulatedSessionError.plan("a session needs a card")) {
            try SimulatedSession.play(nothing) { _ in }
        }
    }

    @Test("ends with the step that waits for something that never happens")
    func stuck() throws {
        #expect(throws: SimulatedSessionError.stuck(step: "connect reader")) {
            try SimulatedSession.play(try .with()) { session in
                try await session.connect()
                await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
            }
        }
    }

    @Test("rethrows the error of its script, and releases everything")
    func scriptThrows() throws {
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try SimulatedSession.play(try .with()) { session in
                try await session.connect()
                throw Stop()
            }
        }
    }

    @Test("never shows a card number", arguments: ["visa-credit", "online-pin", "stripe-only", "mastercard-cda"])
    func noCardNumber(card: String) throws {
        let plan = try SessionPlan.with(card) { $0.readers = [PlannedReader(model: .chip(.combo))] }
        let text = try SimulatedSession.play(plan) { session in
            try await session.connect()
            let payment = try await session.pay(try usd("12.50"))
            try await session.printReceipt(of: payment.id, copy: .merchant)
            let appearance = try await Appearance(of: session)
            return (appearance.events + appearance.rows + appearance.issuer + appearance.receipts)
                .joined(separator: "\n")
        }
        let runs: [Substring] = text.split(whereSeparator: { !$0.isNumber }).filter { (13...19).contains($0.count) }
        for run in runs {
            #expect(!isCardNumber(run), "\(run) is a card number")
        }
    }

    private func isCardNumber(_ digits: Substring) -> Bool {
        guard "3456".contains(digits.first ?? "0") else { return false }
        let sum = digits.reversed().enumerated().reduce(0) { sum, digit in
            let value = digit.element.wholeNumberValue ?? 0
            let doubled = digit.offset % 2 == 1 ? value * 2 : value
            return sum + (doubled > 9 ? doubled - 9 : doubled)
        }
        return sum % 10 == 0
    }
}
