import Determinism
import Testing
import Text

@testable import TerminalServer

/// Payments over a real connection, with the cards and the issuer behind it.
@Suite("Payments over ZVT", .timeLimit(.minutes(12)))
struct ZVTPaymentTests {
    @Test func `the same seed and commands give the same bytes`() async throws {
        var runs: [[String]] = []
        for _ in 0..<2 {
            let server = try await ZVTServer.test(seed: 7)
            var till = try await WireTill(server)
            var messages = try await till.command(WireTill.registration)
            for cents in [1250, 1251, 1267, 1269, 1268] { messages += try await till.command(WireTill.sale(cents)) }
            messages += try await till.command("065003000000")
            runs.append(messages)
            till.close()
            await server.stop()
        }
        #expect(runs[0] == runs[1])
        #expect(runs[0].contains { $0.hasPrefix("06d3") })
    }

    @Test func `a sale shows what the cardholder does`() async throws {
        let server = try await ZVTServer.test()
        var till = try await WireTill(server)
        #expect(try await till.command(WireTill.registration).last?.hasPrefix("060f") == true)
        let plain = try await till.command(WireTill.sale(1250))
        #expect(plain.steps == ["0a", "0e", "04", "4b"])
        #expect(plain.status.contains("2700" + "04000000001250"))
        #expect(plain.last == "060f00")
        let withPIN = try await till.command(WireTill.sale(1269))
        #expect(withPIN.steps == ["0a", "0e", "01", "15", "01", "04", "4b"])
        #expect(withPIN.last == "060f00")
        await server.stop()
    }

    @Test(arguments: [(1251, "33"), (1205, "05"), (1268, "a3"), (1292, "a3"), (1270, "66")])
    func `what is not approved has a code, and is not charged`(cents: Int, code: String) async throws {
        let server = try await ZVTServer.test()
        var till = try await WireTill(server)
        let messages = try await till.command(WireTill.sale(cents))
        #expect(messages.status.contains("27" + code), "\(messages)")
        #expect(messages.last == "061e01" + code)
        #expect(try await till.last() == [WireTill.acknowledgment, "061e0183"])
        await server.stop()
    }

    @Test func `a receipt is reversed once, with its amount, and in its batch`() async throws {
        let server = try await ZVTServer.test()
        var till = try await WireTill(server)
        _ = try await till.command(WireTill.sale(1250))
        let wrong = "06300d00000087000104000000001300"
        #expect(try await till.command(wrong).last == "061e01b5")
        let reversed = try await till.command(WireTill.reversal(1))
        #expect(reversed.status.contains("2700" + "04000000001250" + "0b000002" + "37000001"), "\(reversed)")
        #expect(try await till.command(WireTill.reversal(1)).last == "061e01b4")
        #expect(try await till.command(WireTill.reversal(9)).last == "061e01b5")
        _ = try await till.command(WireTill.sale(2000))
        #expect(try await till.command("065003000000").status.contains("2700" + "04000000002000"))
        #expect(try await till.command(WireTill.reversal(3)).last == "061e01b5")
        #expect(try await till.command("065003000000").status.contains("2700" + "04000000000000"))
        await server.stop()
    }

    @Test func `money goes back to a card that has paid here, and not more`() async throws {
        let server = try await ZVTServer.test()
        var till = try await WireTill(server)
        let refund = "06310d00000004000000000500490978"
        #expect(try await till.command(refund).last == "061e01b5")
        _ = try await till.command(WireTill.sale(900))
        let messages = try await till.command(refund)
        #expect(messages.status.contains("2700" + "04000000000500"))
        #expect(try await till.command(refund).last == "061e01b5")
        // What was given back in part is not taken back as a whole.
        #expect(try await till.command(WireTill.reversal(1)).last == "061e01b5")
        await server.stop()
    }

    @Test func `a held amount is charged in part, less an amount, or released`() async throws {
        let server = try await ZVTServer.test()
        var till = try await WireTill(server)
        let hold = "06220a04000000005000490978"
        #expect(try await till.command(hold).status.contains("2700"))
        #expect(try await till.command("06240a87000104000000006000").last == "061e01c3")
        let captured = try await till.command("06240a87000104000000004000")
        #expect(captured.status.contains("2700" + "04000000004000"), "\(captured)")
        #expect(try await till.command("06240a87000104000000001000").last == "061e01b5")
        _ = try await till.command(hold)
        let less = try await till.command("06230a87000304000000001000")
        #expect(less.status.contains("2700" + "04000000004000"), "\(less)")
        _ = try await till.command(hold)
        #expect(try await till.command("062503870005").last == "060f00")
        let day = try await till.command("065003000000").status
        #expect(day.contains("04000000008000"), "\(day)")
        await server.stop()
    }

    @Test func `the terminal prints when the till does not`() async throws {
        let (printed, news) = AsyncStream.makeStream(of: Void.self)
        let server = try await ZVTServer.test(onPrint: { news.yield() })
        var till = try await WireTill(server)
        // 88: print commands, but no payment receipts at the till.
        _ = try await till.command("060006000000880978")
        let messages = try await till.command(WireTill.sale(1250))
        #expect(messages.filter { $0.hasPrefix("06d") }.isEmpty)
        news.finish()
        var receipts = 0
        for await _ in printed { receipts += 1 }
        #expect(receipts == 2)
        await server.stop()
    }
}
