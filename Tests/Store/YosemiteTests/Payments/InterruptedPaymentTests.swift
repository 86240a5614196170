import Hardware
import Payments
import SimulatedTime
import Simulator
import Storage
import Testing

@testable import Yosemite

/// Cards and readers that are pulled out, at every command of a payment.
@Suite(.simulatedTime, .timeLimit(.minutes(10))) struct InterruptedPaymentTests {
    /// More commands than any payment here takes.
    private static let bound = 120

    /// The conditions that must always hold.
    private func check(
        _ payment: Payment, on till: TestTill, command: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let note: Comment = "command \(command)"
        if payment.outcome == .approved {
            #expect(payment.card?.cryptogramType == "TC", note, sourceLocation: sourceLocation)
        }
        let charged = try await till.charged()
        #expect(charged == (payment.outcome == .approved ? 1250 : 0), note, sourceLocation: sourceLocation)
        #expect(try await till.booksAgree(), note, sourceLocation: sourceLocation)
        let steps = try await till.story(payment).joined()
        #expect(!steps.contains("unknown"), note, sourceLocation: sourceLocation)
        // Approved by the host, but not completed: reversed.
        let answers = try await till.issuer.ledger().entries.filter { $0.kind == .authorization }
        if payment.outcome != .approved, !answers.isEmpty {
            #expect(payment.state == .reversed, note, sourceLocation: sourceLocation)
        }
    }

    @Test(arguments: [
        ("visa-credit", SimulatedReaderModel.shortAPDU), ("visa-credit", .tpdu), ("mastercard-credit", .extendedAPDU),
        ("issuer-script", .shortAPDU), ("pin-required", .shortAPDU), ("t1-card", .tpdu),
    ])
    func `removing the card at any block never charges without a TC`(
        card: String, model: SimulatedReaderModel
    ) async throws {
        var states: Set<String> = []
        for number in 1...Self.bound {
            let till = try TestTill(card) { $0.model = model }
            try await till.connect()
            till.reader.arm(.xfrBlock(number, .cardRemoved))
            let payment = try await till.collect()
            try await check(payment, on: till, command: number)
            states.insert(payment.state.rawValue)
            guard payment.errorCode == nil else {
                #expect(["card_removed", "card_not_read"].contains(payment.errorCode), "command \(number)")
                continue
            }
            // The card had returned everything that the payment needs.
            break
        }
        #expect(states == ["failed", "reversed", "captured"])
    }

    @Test(arguments: [SimulatedReaderModel.shortAPDU, .tpdu])
    func `unplugging the reader at any command never charges without a TC`(model: SimulatedReaderModel) async throws {
        var states: Set<String> = []
        for number in 1...Self.bound {
            let till = try TestTill { $0.model = model }
            try await till.connect()
            var lists = await till.service.connectedReaders.makeAsyncIterator()
            var events = await till.service.readerEvents.makeAsyncIterator()
            #expect(await lists.next()?.count == 1)
            till.reader.arm(.command(number, .unplugged))
            let payment = try await till.collect()
            try await check(payment, on: till, command: number)
            states.insert(payment.state.rawValue)
            if payment.outcome != .approved {
                #expect(payment.errorCode == "reader_unplugged", "command \(number)")
            }
            #expect(await lists.next() == [])
            var last: CardReaderEvent?
            repeat { last = await events.next() } while last != .disconnected(.unplugged)
            // The first that goes through is pulled out when it is to switch the card off.
            if payment.outcome == .approved { break }
        }
        #expect(states == ["failed", "reversed", "captured"])
    }

    @Test func `a reader that is plugged in again takes the next payment`() async throws {
        let till = try TestTill()
        try await till.connect()
        till.reader.arm(.xfrBlock(3, .unplugged))
        #expect(try await till.collect().errorCode == "reader_unplugged")
        for await readers in await till.service.connectedReaders where readers.isEmpty { break }
        till.reader.removeCard()
        till.bus.plug(till.reader)
        var found: [CardReader] = []
        for await readers in await till.service.discoveredReaders where !readers.isEmpty {
            found = readers
            break
        }
        let reader = try #require(found.first)
        _ = try await till.perform { .connect(reader: reader, onCompletion: $0) } as CardReader
        #expect(try await till.collect().outcome == .approved)
    }

    @Test func `without a reader a payment fails and is recorded`() async throws {
        let till = try TestTill()
        let payment = try await till.collect()
        #expect(payment.outcome == .failed)
        #expect(payment.errorCode == "no_reader")
    }

    @Test func `a payment without a card in time fails`() async throws {
        let till = try TestTill { $0.change = { $0.cardholder.insertsAfter = .seconds(90) } }
        let payment = try await till.pay()
        #expect(payment.outcome == .failed)
        #expect(payment.errorCode == "card_timeout")
    }
}
