import Hardware
import Payments
import Sessions
import Simulator
import Storage
import StoreSite
import Testing
import Yosemite

@Suite("Faults in a simulated session")
struct FaultTests {
    @Test("removing the card at any exchange never leaves a difference between journal and ledger")
    func removalAtEachExchange() throws {
        let count = try SimulatedSession.play(try .with()) { session in
            try await session.connect()
            _ = try await session.pay(try usd("12.50"))
            return session.details(.apdu).count
        }
        #expect(count > 8)
        for number in 1...count {
            try SimulatedSession.play(try .with()) { session in
                try await session.connect()
                try session.perform(.removeCard(), when: .at("apdu", count: number))
                _ = try await session.pay(try usd("12.50"))
                let books = try await session.reconciliation()
                #expect(books.agrees && !books.hasOpen, "after exchange \(number)")
            }
        }
    }

    @Test("unplugging the reader during authorization leaves nothing charged")
    func unplugged() throws {
        try SimulatedSession.play(try .with()) { session in
            try await session.connect()
            try session.perform(.unplug(), when: .at("host authorize sent"))
            let payment = try await session.pay(try usd("12.50"))
            #expect(payment.outcome != .approved)
            let books = try await session.reconciliation()
            #expect(books.agrees && books.totals.allSatisfy { $0.issuer == 0 })
        }
    }

    @Test("a payment without a response is reversed, in simulated time")
    func silence() throws {
        let plan = try SessionPlan.with {
            $0.issuerFaults = [IssuerFaultRule(.answerDelayed(.seconds(300)), messages: [.authorize])]
        }
        try SimulatedSession.play(plan) { session in
            try await session.connect()
            let start = session.elapsed
            let payment = try await session.pay(try usd("12.50"))
            #expect(payment.outcome != .approved)
            #expect(session.elapsed - start >= .seconds(45))
            #expect(session.details(.host).contains("authorize unanswered"))
            #expect(session.details(.host).contains { $0.hasPrefix("reverse answered") })
            #expect(try await session.reconciliation().agrees)
        }
    }

    @Test("a wrong ARPC makes the card decline, and the approval is reversed")
    func wrongProof() throws {
        let plan = try SessionPlan.with {
            $0.issuerRules = try IssuerRules(
                yaml: "rules:\n  - when: { messages: [authorize] }\n    answer: { arpc: wrong }\n", file: "rules.yaml")
        }
        try SimulatedSession.play(plan) { session in
            try await session.connect()
            let payment = try await session.pay(try usd("12.50"))
            #expect(try await session.reconciliation().agrees)
            let tvr = try session.payments().first?.terminalVerificationResults
            #expect(payment.outcome == .approved || payment.outcome == .declined)
            #expect(tvr?.suffix(2) == "40", "issuer authentication failed is byte 5, bit 7: \(tvr ?? "none")")
        }
    }

    @Test(
        "a full, read-only, or broken disk stops a payment before anything is sent",
        arguments: [
            DiskCondition.full, .readOnly, .failing,
        ])
    func disk(condition: DiskCondition) throws {
        try SimulatedSession.play(try .with()) { session in
            try await session.connect()
            try session.perform(.disk(condition))
            let error = await #expect(throws: SimulatedSessionError.self) { try await session.pay(try usd("12.50")) }
            guard case .payments(.journal(.storage))? = error else {
                Issue.record("failed otherwise: \(error.map(String.init(describing:)) ?? "not at all")")
                return
            }
            #expect(session.details(.host).isEmpty)
            try session.perform(.disk(.working))
            #expect(try session.payments().isEmpty)
            #expect(try await session.pay(try usd("12.50")).outcome == .approved)
        }
    }

    @Test("a disk that fills up during authorization leaves a payment that the next process reverses")
    func diskFillsUp() throws {
        try SimulatedSession.play(try .with()) { session in
            try await session.connect()
            try session.perform(.disk(.full), when: .at("host authorize sent"))
            let error = await #expect(throws: SimulatedSessionError.self) { try await session.pay(try usd("12.50")) }
            #expect(session.details(.diskRefused).first == "full")
            let payment = try #require(try session.payments().first)
            guard case .payments(.unrecorded(let id, .storage))? = error else {
                Issue.record("failed otherwise: \(error.map(String.init(describing:)) ?? "not at all")")
                return
            }
            #expect(id.rawValue == payment.id && payment.attempts.last?.states == ["created", "authorizing"])
            try session.perform(.disk(.working))
            try await session.restart()
            let books = try await session.reconciliation()
            #expect(books.agrees && !books.hasOpen)
        }
    }

    @Test("a slow disk takes its time on the session's clock")
    func slowDisk() throws {
        func duration(_ condition: DiskCondition) throws -> Duration {
            try SimulatedSession.play(try .with { $0.disk = condition }) { session in
                try await session.connect()
                let start = session.elapsed
                _ = try await session.pay(try usd("12.50"))
                return session.elapsed - start
            }
        }
        let (fast, slow) = (try duration(.working), try duration(.slow(.seconds(2))))
        #expect(slow - fast >= .seconds(4))
    }
}

@Suite("The store of a simulated session")
struct StoreTests {
    private static func plan(_ faults: [String] = []) throws -> SessionPlan {
        try .with {
            $0.store = PlannedStore(
                unpaid: [try usd("12.50"), try usd("7.25")], faults: try faults.map { try FaultRule($0) })
        }
    }

    @Test("is notified of the payment of an order once")
    func pays() throws {
        try SimulatedSession.play(try Self.plan()) { session in
            try await session.connect()
            #expect(session.unpaidOrders.count == 2)
            let payment = try await session.pay(order: session.unpaidOrders[1])
            #expect(payment.outcome == .approved)
            #expect(payment.notification?.state == .confirmed)
            #expect(session.siteLedger.map(\.amount) == [725])
            #expect(session.orders.first { $0.id == session.unpaidOrders[1] }?.isPaid == true)
            #expect(session.orders.first { $0.id == session.unpaidOrders[0] }?.needsPayment == true)
            #expect(session.details(.capture).last == "confirmed P000001")
        }
    }

    @Test("is notified again when its response is lost, and records the charge once")
    func lostAnswer() throws {
        let plan = try Self.plan(["POST /wc/v3/payments/orders/*/capture_terminal_payment first:3 lost-answer"])
        try SimulatedSession.play(plan) { session in
            try await session.connect()
            let payment = try await session.pay(order: session.unpaidOrders[0])
            #expect(payment.outcome == .approved)
            try await session.syncPayments()
            #expect(session.siteLedger.map(\.amount) == [1250])
            #expect(try await session.reconciliation().agrees)
        }
    }

    @Test("is notified by the next process after a crash")
    func crash() throws {
        try SimulatedSession.play(try Self.plan()) { session in
            try await session.connect()
            try session.perform(.crash, when: .at("capture sent"))
            let order = session.unpaidOrders[0]
            await #expect(throws: SimulatedSessionError.processDied) { try await session.pay(order: order) }
            try await session.restart()
            #expect(session.siteLedger.map(\.orderID) == [order])
            #expect(session.orders.first { $0.id == order }?.isPaid == true)
        }
    }
}

@Suite("The printer of a simulated session")
struct PrinterTests {
    @Test("prints a receipt, and marks what is printed again")
    func prints() throws {
        try SimulatedSession.play(try .with()) { session in
            try await session.connect()
            let payment = try await session.pay(try usd("12.50"))
            #expect(try await session.printReceipt(of: payment.id).state == .completed)
            #expect(try await session.printReceipt(of: payment.id).state == .completed)
            let texts = session.printouts.map { $0.lines.joined(separator: "\n") }
            #expect(texts.count == 2)
            #expect(texts.allSatisfy { $0.contains("12.50") })
            #expect(!texts[0].contains("DUPLICATE") && texts[1].contains("DUPLICATE"))
        }
    }

    @Test("waits for paper, and continues when there is some")
    func paper() throws {
        try SimulatedSession.play(try .with { $0.printer = .outOfPaper }) { session in
            try await session.connect()
            let payment = try await session.pay(try usd("12.50"))
            try session.perform(.printer(.ready), when: .after(.seconds(20)))
            let start = session.elapsed
            #expect(try await session.printReceipt(of: payment.id).state == .completed)
            #expect(session.elapsed - start >= .seconds(21))
            #expect(session.details(.print) == ["pending 1", "processing 1", "completed 1"])
        }
    }

    @Test(
        "rejects a job or is unreachable, and the payment is valid",
        arguments: [
            SimulatedPrinterCondition.refusing, .away,
        ])
    func fails(condition: SimulatedPrinterCondition) throws {
        try SimulatedSession.play(try .with { $0.printer = condition }) { session in
            try await session.connect()
            let payment = try await session.pay(try usd("12.50"))
            let error = await #expect(throws: SimulatedSessionError.self) {
                try await session.printReceipt(of: payment.id)
            }
            guard case .receipt(.notPrinted)? = error else {
                Issue.record("failed otherwise: \(error.map(String.init(describing:)) ?? "not at all")")
                return
            }
            #expect(try session.payments().map(\.state) == ["captured"])
        }
    }

    @Test("drops the job, and the payment is valid")
    func drops() throws {
        try SimulatedSession.play(try .with { $0.printer = .failing }) { session in
            try await session.connect()
            let payment = try await session.pay(try usd("12.50"))
            let print = try await session.printReceipt(of: payment.id)
            #expect(print.state == .failed && print.mayBePrinted)
            #expect(try session.payments().map(\.state) == ["captured"])
        }
    }
}
