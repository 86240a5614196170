import Money
import Payments
import Sessions
import Simulator
import StoreSite
import Testing

@testable import Explorer

/// Each test takes a session that is all right, and plants one mistake in what it has come to.
@Suite("The invariants of explored sessions")
struct SessionJudgeTests {
    /// An order that is paid, a sale of which a part is given back, an offline approval, and a swipe.
    private static let sound = Result {
        try record(
            [
                DraftEntry("reader", "combo"), DraftEntry("site", ["unpaid": ["25.00"]]),
                DraftEntry(
                    "configuration",
                    [
                        "applications": [
                            "extends": "standard",
                            "list": [
                                [
                                    "aid": "A0000000041010", "floorLimit": "50",
                                    "actionCodes": ["online": "0000000000", "default": "0000000000"],
                                ]
                            ],
                        ]
                    ]),
            ],
            "connect", ["pay": ["order": "1"]], ["pay": ["amount": "90.00"]], ["refund": ["amount": "1.50"]],
            ["pay": ["amount": "7.00", "card": "offline-approve"]], ["pay": ["amount": "3.00", "card": "stripe-only"]],
            ["pay": ["amount": "9.00", "card": "declined"]])
    }

    private func broken(_ plant: (inout SessionRecord) throws -> Void) throws -> Set<Invariant> {
        var record = try Self.sound.get()
        try plant(&record)
        // A mistake about money makes a lie of what was shown, too: that is the part of ToldCheckTests.
        return Set(InvariantCheck(record).violations.map(\.invariant)).subtracting([.toldIsTrue])
    }

    @Test("finds nothing in a correct session")
    func findsNothing() throws {
        let record = try Self.sound.get()
        #expect(InvariantCheck(record).violations == [])
        #expect(
            record.steps.prefix(7).map(\.outcome).dropFirst() == [
                "approved", "approved", "approved", "approved", "approved", "declined",
            ])
        #expect(record.book.contains { $0.kind == .advice })
        #expect(record.payments.contains { $0.card?.entryMode == "swipe" })
        #expect(record.storeCharges.count == 1)
    }

    // MARK: One charge

    @Test("detects that the issuer charged an attempt twice")
    func twoLines() throws {
        let found = try broken { record in
            let line = try #require(record.book.first { $0.kind == .authorization })
            record.book.append(line)
        }
        #expect(found == [.oneCharge])
    }

    @Test("detects that two attempts of a payment were charged")
    func twoAttempts() throws {
        let found = try broken { record in
            var again = try #require(record.attempts.first)
            var charge = try #require(record.charges.first { $0.key == again.key })
            (again.key, charge.key) = ("another", "another")
            record.attempts.append(again)
            record.charges.append(charge)
        }
        #expect(found.contains(.oneCharge))
    }

    @Test("detects an order that was paid or charged twice")
    func twoPayments() throws {
        let paid = try broken { record in
            let order = try #require(record.payments.first?.orderID)
            record.payments[1].orderID = order
        }
        #expect(paid.contains(.oneCharge))
        let charged = try broken { record in
            let charge = try #require(record.storeCharges.first)
            record.storeCharges.append(charge)
        }
        #expect(charged == [.oneCharge])
    }

    @Test("detects a refund above the paid amount")
    func tooMuchGivenBack() throws {
        let found = try broken { record in
            let place = try #require(record.charges.firstIndex { $0.isRefund })
            record.charges[place].minorUnits = 9001
        }
        #expect(found.isSuperset(of: [.oneCharge, .booksAgree]))
    }

    // MARK: The books

    @Test("detects money that only one side recorded")
    func oneSided() throws {
        #expect(
            try broken { $0.charges.removeFirst() } == [.booksAgree], "the till has it, and the issuer does not")
        #expect(
            try broken { record in
                record.charges.append(
                    SessionRecord.Charge(
                        key: "nobody's", isRefund: false, original: nil, minorUnits: 1, currency: "USD"))
            } == [.booksAgree], "the issuer has it, and the till does not")
        let reversed = try broken { $0.attempts[1].states.append("reversed") }
        #expect(reversed.contains(.booksAgree))
    }

    @Test("detects another amount, currency, and kind")
    func otherMoney() throws {
        #expect(try broken { $0.charges[0].minorUnits += 1 } == [.booksAgree])
        #expect(try broken { $0.charges[0].currency = "EUR" } == [.booksAgree])
        #expect(try broken { $0.charges[0].isRefund = true }.contains(.booksAgree))
        let original = try broken { record in
            let place = try #require(record.charges.firstIndex { $0.isRefund })
            record.charges[place].original = "another"
        }
        #expect(original == [.booksAgree])
    }

    @Test("detects a payment that does not match its attempts")
    func derived() throws {
        #expect(try broken { $0.payments[1].state = "declined" } == [.booksAgree])
        #expect(try broken { $0.payments[1].refundedMinorUnits = 0 } == [.booksAgree])
    }

    @Test("detects a store with more, fewer, or other payments")
    func store() throws {
        #expect(try broken { $0.storeCharges = [] } == [.booksAgree])
        #expect(try broken { $0.storeCharges[0].amount += 1 } == [.booksAgree])
        #expect(try broken { $0.paidOrders = [] } == [.booksAgree])
        #expect(try broken { $0.captures[0].state = "refused" } == [.booksAgree])
        #expect(try broken { $0.captures[0].isOfTill = true } == [.booksAgree])
        #expect(try broken { $0.captures = [] } == [.booksAgree, .everyAttemptEnds])
    }

    // MARK: Ends, proofs, and the rest

    @Test(
        "detects an open attempt and an open notification",
        arguments: ["created", "authorizing", "authorized", "reversing", "unknown"])
    func open(state: String) throws {
        #expect(try broken { $0.attempts[1].states.append(state) }.contains(.everyAttemptEnds))
        #expect(try broken { $0.attempts[1].states = [] }.contains(.everyAttemptEnds))
    }

    @Test("detects an open notification", arguments: ["due", "sent", "unknown", "planned"])
    func openCapture(state: String) throws {
        #expect(try broken { $0.captures[0].state = state }.contains(.everyAttemptEnds))
    }

    @Test("detects an approval without the card's cryptogram, online and offline")
    func unproven() throws {
        #expect(try broken { $0.cryptograms.removeAll { $0.kind == .approved } } == [.approvalsAreProven])
        #expect(
            try broken { record in
                let place = try #require(record.cryptograms.firstIndex { $0.kind == .approved && $0.minorUnits == 700 })
                record.cryptograms[place].kind = .declined
            } == [.approvalsAreProven], "offline")
        #expect(try broken { $0.cryptograms.removeAll { $0.kind == .asksIssuer } } == [.approvalsAreProven])
    }

    @Test("detects a cryptogram that is used for two payments")
    func usedTwice() throws {
        let amount = try Money("7.00", currency: .usDollar)
        let found = try broken { record in
            for place in record.cryptograms.indices { record.cryptograms[place].minorUnits = 700 }
            for place in record.attempts.indices { record.attempts[place].amount = amount }
            let lastFour = record.cryptograms.last?.lastFour
            record.cryptograms.removeAll { $0.kind == .approved && $0.lastFour != lastFour }
        }
        #expect(found.contains(.approvalsAreProven))
    }

    @Test("detects a swipe without the issuer's approval")
    func unapprovedSwipe() throws {
        let found = try broken { record in
            let payment = try #require(record.payments.first { $0.card?.entryMode == "swipe" })
            let key = try #require(record.attempts.first { $0.payment == payment.id }).key
            record.book.removeAll { $0.key.rawValue == key }
        }
        #expect(found == [.approvalsAreProven])
    }

    @Test("accepts the same amount, in minor units, by two applications of a card")
    func equalCryptograms() throws {
        let record = try record(
            [DraftEntry("configuration", ["currency": "KWD"]), DraftEntry("card", "next-application")], "connect",
            ["pay": ["amount": "1.051"]], ["pay": ["amount": "10.51", "currency": "USD"]])
        #expect(record.attempts.map(\.state) == ["captured", "captured"])
        #expect(InvariantCheck(record).violations == [])
    }

    // MARK: The store

    /// An order that is paid and partly refunded, one that awaits its payment, and a payment of as much without one.
    private func shop(_ plant: (inout SessionRecord) throws -> Void) throws -> Set<Invariant> {
        var record = try record(
            [DraftEntry("site", ["unpaid": ["25.00", "90.00"]])], "connect", ["pay": ["order": "1"]],
            ["refund": ["amount": "5.00"]], ["pay": ["amount": "90.00"]])
        #expect(InvariantCheck(record).violations == [])
        #expect(record.refundNotices.map(\.state) == ["confirmed"])
        try plant(&record)
        return Set(InvariantCheck(record).violations.map(\.invariant))
    }

    @Test("detects a refund that the store has twice, not, or with another amount")
    func storeRefunds() throws {
        #expect(try shop { $0.refundNotices = [] } == [.booksAgree])
        #expect(try shop { $0.refundNotices[0].minorUnits = 400 } == [.booksAgree])
        #expect(try shop { $0.refundNotices[0].minorUnits = 600 } == [.booksAgree])
        #expect(try shop { $0.refundNotices[0].state = "conflict" } == [])
        #expect(try shop { $0.refundNotices += [$0.refundNotices[0]] } == [.booksAgree])
        #expect(try shop { $0.refundNotices[0].minorUnits = 200 } == [.booksAgree])
        for state in ["due", "sent", "unknown"] {
            #expect(try shop { $0.refundNotices[0].state = state } == [.everyAttemptEnds])
        }
    }

    @Test("accepts a refund that a store with old data has again for each lost answer, and not more often")
    func oldData() throws {
        func old(_ minorUnits: Int64, lost: Int) throws -> Set<Invariant> {
            try shop { record in
                let order = try #require(record.payments.first?.orderID)
                (record.hadOldData, record.lostRefunds) = (true, Array(repeating: order, count: lost))
                record.refundNotices[0].minorUnits = minorUnits
            }
        }
        #expect(try old(500, lost: 0) == [])
        #expect(try old(250, lost: 0) == [.booksAgree])
        #expect(try old(250, lost: 1) == [])
        #expect(try old(200, lost: 1) == [.booksAgree])
        #expect(try old(200, lost: 2) == [])
        #expect(try old(600, lost: 2) == [.booksAgree], "less than the till notified")
        let other = try shop { record in
            (record.hadOldData, record.lostRefunds, record.refundNotices[0].minorUnits) = (true, [77], 250)
        }
        #expect(other == [.booksAgree], "of another order")
    }

    @Test("detects a missing notification also when a part was given back")
    func partlyRefunded() throws {
        #expect(try shop { $0.captures = [] }.contains(.everyAttemptEnds))
        #expect(try shop { $0.captures[0].state = "planned" }.contains(.everyAttemptEnds))
    }

    @Test("detects a conflict without a cause: the order awaits this payment")
    func causeless() throws {
        let found = try shop { record in
            let order = try #require(record.storeOrders.first { $0.needsPayment })
            record.payments[1].orderID = order.id
            record.captures.append(
                SessionRecord.Capture(payment: record.payments[1].id, state: "conflict", intent: "pi_1"))
        }
        #expect(found == [.everyAttemptEnds])
    }

    @Test("detects a session that had begun and has no results")
    func breakdown() throws {
        #expect(try broken { $0.breakdown = "the database is unreadable" } == [.theTillRecovers])
        #expect(try broken { $0.refusal = "no such card" } == [])
    }

    @Test("detects secrets, leaks, a stuck session, and a till that does not recover")
    func rest() throws {
        #expect(try broken { $0.leaks = [SessionRecord.Leak(secret: "PIN", place: "events")] } == [.noSecretIsTold])
        #expect(try broken { $0.openResources.openHandles = 1 } == [.nothingIsLeftOpen])
        #expect(try broken { $0.openResources.claimedReaders = 1 } == [.nothingIsLeftOpen])
        #expect(try broken { $0.openResources.waitingTasks = 1 } == [.nothingIsLeftOpen])
        #expect(try broken { $0.openResources.processes = 1 } == [.nothingIsLeftOpen])
        #expect(try broken { $0.openFiles = ["till.sqlite"] } == [.nothingIsLeftOpen])
        #expect(try broken { $0.stuckStep = "pay 1.00 USD" } == [.nothingHangs])
        #expect(
            try broken { $0.steps[0].errorCode = "internal" } == [.everyActionIsAnswered], "nobody answered")
        #expect(
            try broken { record in
                let place = try #require(record.steps.firstIndex { $0.word == "recover" })
                record.steps[place].errorCode = "journal"
            } == [.theTillRecovers])
    }

    @Test("accepts the error of an ordinary step")
    func ordinaryErrors() throws {
        #expect(try broken { $0.steps[0].errorCode = "reader_not_found" } == [])
    }
}
