import EMV
import Foundation
import Glibc
import PCSC
import SmartCard
import Testing

extension WithPCSCD {
    /// The simulated card behind pcscd and its virtual reader, where every PC/SC program finds it.
    @Suite("A simulated card in pcscd")
    struct PCSCTests {
        private let scratch: Scratch
        private let virtual: VirtualReader

        init() throws {
            scratch = try Scratch()
            virtual = try VirtualReader()
        }

        /// The reader, with a card in it.
        private func reader() async throws -> PCSCReader {
            let reader = try await PCSCReader.open(VirtualReader.name)
            try #require(await reader.waitForCard(present: true, timeout: .seconds(10)))
            return reader
        }

        private func openSCTool(_ arguments: [String]) throws -> ProgramResult {
            try #require(
                FileManager.default.isExecutableFile(atPath: "/usr/bin/opensc-tool"),
                "opensc is missing: run Scripts/setup")
            return try Child(
                program: "/usr/bin/opensc-tool", arguments, in: scratch, environment: virtual.environment
            ).result()
        }

        @Test(arguments: [
            (card: "visa-credit", atr: "3b:60:00:00", label: "VISA CREDIT"),
            (card: "t1-card", atr: "3b:e0:00:00:81:31:fe:45:eb", label: "VISA CREDIT"),
        ])
        func `opensc-tool sees the answer to reset and selects the application`(
            card: String, atr: String, label: String
        ) async throws {
            let child = try virtual.card(card, in: scratch)
            let reader = try await reader()
            let shown = try openSCTool(
                [
                    "-r", "0", "-c", "default", "-a", "-s", "00A4040007A000000003101000", "-s",
                    "00A404000AFFFFFFFFFFFFFFFFFFFF00",
                ])
            #expect(shown.status == 0, "\(shown.error)")
            #expect(shown.output.hasPrefix(atr + "\n"))
            #expect(shown.output.contains("(SW1=0x90, SW2=0x00):\n6F "))
            #expect(shown.output.contains("(SW1=0x6A, SW2=0x82)"))
            child.send(SIGTERM)
            #expect(try child.result().status == 0)
            #expect(try await reader.waitForCard(present: false, timeout: .seconds(10)))
            await reader.close()
            let emptied = try openSCTool(["-l"])
            #expect(emptied.output.contains("No              \(VirtualReader.name)"), "\(emptied.output)")
        }

        @Test(arguments: ["visa-credit", "t1-card", "mastercard-credit"])
        func `a payment through PC/SC is approved`(
            name: String
        ) async throws {
            let child = try virtual.card(name, ["--trace", scratch.file("trace"), "--seed", "7"], in: scratch)
            let reader = try await reader()
            let channel = try await reader.powerOn()
            #expect(channel.transmissionProtocol == (name == "t1-card" ? 1 : 0))
            let outcome = try await Terminal(profile: name).pay(with: channel)
            #expect(outcome.decision == .approvedOnline, "\(outcome)")
            #expect(outcome.cryptogram?.type == .tc)
            await reader.close()
            child.send(SIGINT)
            #expect(try child.result().status == 0)
            let trace = try scratch.text("trace")
            #expect(trace.contains(#"{"c":"80AE80"#) && trace.contains(#"{"c":"80AE40"#))
            for pan in ["4761739001010010", "4761739001010085", "5413330089010012"] { #expect(!trace.contains(pan)) }
        }

        @Test func `with T=0 the program receives 61xx and 6Cxx`() async throws {
            let child = try virtual.card("visa-credit", in: scratch)
            try await reader().close()
            let card = try await PCSCContext.establish().connect(VirtualReader.name)
            let select: [UInt8] = [0x00, 0xA4, 0x04, 0x00, 0x07, 0xA0, 0x00, 0x00, 0x00, 0x03, 0x10, 0x10]
            let announced = try await card.transmit(select)
            #expect(announced.count == 2 && announced[0] == 0x61)
            let fetched = try await card.transmit([0x00, 0xC0, 0x00, 0x00, announced[1]])
            #expect(fetched.count == Int(announced[1]) + 2 && fetched.suffix(2) == [0x90, 0x00])
            _ = try await card.transmit([0x80, 0xA8, 0x00, 0x00, 0x02, 0x83, 0x00])
            let corrected = try await card.transmit([0x00, 0xB2, 0x01, 0x0C, 0x00])
            #expect(corrected.count == 2 && corrected[0] == 0x6C)
            let record = try await card.transmit([0x00, 0xB2, 0x01, 0x0C, corrected[1]])
            #expect(record.count == Int(corrected[1]) + 2)
            try await card.disconnect(.unpower)
            child.send(SIGTERM)
            #expect(try child.result().status == 0)
        }

        @Test func `a mute card is not reported as inserted, and pcscd keeps working`() throws {
            let child = try virtual.card("mute", in: scratch)
            #expect(child.wait { child.output.contains("the card does not answer") })
            let shown = try openSCTool(["-l"])
            #expect(shown.output.contains("No              \(VirtualReader.name)"), "\(shown.output)")
            child.send(SIGTERM)
            #expect(try child.result().status == 0)
        }
    }
}
