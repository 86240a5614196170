import Determinism
import TestDoubles
import Testing
import Text

@testable import TerminalServer

/// Connections that end, lie, or wait, and tills that want the same terminal.
@Suite("Connections of ZVT tills", .timeLimit(.minutes(12)))
struct ZVTConnectionTests {
    /// With this amount no card is presented.
    private static let waitingSale = WireTill.sale(1266)
    private static let nothingPaid = [WireTill.acknowledgment, "061e0183"]

    // MARK: Two tills, and an abort

    @Test func `a second till waits until the command of the first ends`() async throws {
        let server = try await ZVTServer.test()
        var (first, second) = (try await WireTill(server), try await WireTill(server))
        try await first.send(Self.waitingSale)
        #expect(try await first.receive() == WireTill.acknowledgment)
        for command in [WireTill.sale(1250), "0501050000000302", WireTill.repeatReceipt, WireTill.registration] {
            #expect(try await second.command(command) == [WireTill.pleaseWait])
        }
        // The other till's abort ends nothing.
        #expect(try await second.command("06b000") == [WireTill.pleaseWait])
        let ended = try await first.command("06b000")
        #expect(ended.status.contains("276c"))
        #expect(ended.last == "061e016c")
        #expect(try await second.last() == Self.nothingPaid)
        #expect(try await second.command(WireTill.sale(1250)).last == "060f00")
        await server.stop()
    }

    @Test func `tills that say nothing lock no other out: the one that is silent longest goes`() async throws {
        let server = try await ZVTServer.test()
        var busy = try await WireTill(server)
        try await busy.send(Self.waitingSale)
        #expect(try await busy.receive() == WireTill.acknowledgment)
        var silent: [WireTill] = []
        for _ in 0..<15 {
            var till = try await WireTill(server)
            #expect(try await till.command("06f000") == ["848300"])
            silent.append(till)
        }
        #expect(try await silent[0].command("06f000") == ["848300"])
        var late = try await WireTill(server)
        #expect(try await late.command(WireTill.sale(1250)) == [WireTill.pleaseWait])
        #expect(try await silent[1].receive() == nil)
        #expect(try await silent[0].command("06f000") == ["848300"])
        #expect(try await busy.command("06b000").last == "061e016c")
        await server.stop()
    }

    // MARK: Lost connections

    @Test func `a payment whose result did not arrive is taken back`() async throws {
        let server = try await ZVTServer.test()
        var till = try await WireTill(server)
        _ = try await till.command(WireTill.sale(1250), until: "040f")
        till.close()
        var again = try await WireTill(server)
        #expect(try await again.last() == Self.nothingPaid)
        #expect(try await again.command("065003000000").status.contains("04000000000000"))
        await server.stop()
    }

    @Test func `a payment whose result arrived is found again`() async throws {
        let server = try await ZVTServer.test()
        var till = try await WireTill(server)
        try await till.register()
        let paid = try await till.command(WireTill.sale(1250), until: "060f")
        till.close()
        var again = try await WireTill(server)
        try await again.register()
        #expect(try await again.last().status == paid.status)
        await server.stop()
    }

    @Test(arguments: [(1297, false), (1298, true)])
    func `an amount cuts the connection`(cents: Int, isPaid: Bool) async throws {
        let server = try await ZVTServer.test()
        var till = try await WireTill(server)
        try await till.register()
        let messages = try await till.command(WireTill.sale(cents))
        #expect(messages.contains { $0.hasPrefix("060f") } == false)
        #expect(messages.status.isEmpty == !isPaid)
        var again = try await WireTill(server)
        try await again.register()
        let last = try await again.last()
        #expect(isPaid ? last.status == messages.status : last == Self.nothingPaid)
        await server.stop()
    }

    @Test func `a till that leaves before the card is read has not paid`() async throws {
        let server = try await ZVTServer.test()
        let till = try await WireTill(server)
        try await till.send(Self.waitingSale)
        till.close()
        var again = try await WireTill(server)
        #expect(try await again.last() == Self.nothingPaid)
        await server.stop()
    }

    // MARK: Wrong and slow bytes

    @Test func `a length above the limit ends the connection`() async throws {
        let server = try await ZVTServer.test()
        var till = try await WireTill(server)
        try await till.send("0601ffffff" + "04000000001250")
        #expect(try await till.receive() == nil)
        var again = try await WireTill(server)
        #expect(try await again.last() == Self.nothingPaid)
        await server.stop()
    }

    @Test(arguments: [
        // Fields that are longer than the message, no digits, a field and a command that are not known.
        ("0601050400000012", "849a00"), ("06010704000000001a50", "849a00"), ("060103630000", "848300"),
        ("06c000", "848300"), ("0601050603820fff", "849a00"),
    ])
    func `a broken command is refused, and the connection stays`(command: String, answer: String) async throws {
        let server = try await ZVTServer.test()
        var till = try await WireTill(server)
        #expect(try await till.command(command) == [answer])
        #expect(try await till.last() == Self.nothingPaid)
        await server.stop()
    }

    @Test func `bytes may come one by one, and several commands at once`() async throws {
        let server = try await ZVTServer.test()
        var till = try await WireTill(server)
        var digits = WireTill.sale(1250)[...]
        while !digits.isEmpty {
            try await till.send(String(digits.prefix(2)))
            digits = digits.dropFirst(2)
        }
        // The command is taken; those behind it wait.
        try await till.send(String(repeating: "050100", count: 500))
        var answers: [String] = []
        while answers.count < 501, let message = try await till.receive() {
            if message == WireTill.acknowledgment || message == WireTill.pleaseWait { answers.append(message) }
        }
        #expect(answers == [WireTill.acknowledgment] + [String](repeating: WireTill.pleaseWait, count: 500))
        await server.stop()
    }

    // MARK: Time-outs

    @Test func `the rest of a message has five seconds`() async throws {
        let time = ManualTimeSource()
        let server = try await ZVTServer.test(time: time)
        var till = try await WireTill(server)
        try await till.send("06010c0400")
        await time.untilTaskSleeps(.seconds(5))
        time.advance(by: .seconds(5))
        #expect(try await till.receive() == nil)
        await server.stop()
    }

    @Test func `a result that is not acknowledged in five seconds is taken back`() async throws {
        let time = ManualTimeSource()
        let server = try await ZVTServer.test(time: time)
        var till = try await WireTill(server)
        let messages = try await till.command(WireTill.sale(1250), until: "040f")
        #expect(messages.status.contains("2700"))
        await time.untilTaskSleeps(.seconds(5))
        time.advance(by: .seconds(5))
        #expect(try await till.receive() == nil)
        var again = try await WireTill(server)
        #expect(try await again.last() == Self.nothingPaid)
        await server.stop()
    }

    @Test func `a request ends when nobody presents a card in three minutes`() async throws {
        let time = ManualTimeSource()
        let server = try await ZVTServer.test(time: time)
        var till = try await WireTill(server)
        try await till.send(Self.waitingSale)
        #expect(try await till.receive() == WireTill.acknowledgment)
        // The time counts from the step that is shown last, also to a till that does not want to see it.
        #expect(try await till.command("06f000") == ["848300"])
        await time.untilTaskSleeps(.seconds(180))
        time.advance(by: .seconds(180))
        #expect(try await till.receive()?.contains("276c") == true)
        try await till.send(WireTill.acknowledgment)
        #expect(try await till.receive() == "061e016c")
        await server.stop()
    }

    @Test func `a till that waits for a card is shown so again every ten seconds`() async throws {
        let time = ManualTimeSource()
        let server = try await ZVTServer.test(time: time)
        var till = try await WireTill(server)
        _ = try await till.command(WireTill.registration)
        try await till.send(Self.waitingSale)
        #expect(try await till.receive() == WireTill.acknowledgment)
        for _ in 0..<3 {
            #expect(try await till.receive() == "04ff010a")
            try await till.send(WireTill.acknowledgment)
            await time.untilTaskSleeps(.seconds(10))
            // The till's answer has to arrive before its time is over.
            #expect(try await till.command("06f000") == ["848300"])
            time.advance(by: .seconds(10))
        }
        await server.stop()
    }
}
