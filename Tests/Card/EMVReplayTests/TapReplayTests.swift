import CardSecrets
import ContactlessKernel8
import Determinism
import EMV
import EntryPoint
import Foundation
import Money
import SmartCard
import Testing

@testable import EMVReplay

/// The tap of a kernel 8 of another make, with a card of this project: each command and each MAC is of both.
struct TapReplayTests {
    private static let today = CivilDate(year: 2026, month: 1, day: 1)
    private static let secret = "6B2A4C9D17F3E85A90C1D2B3A4958677E1F2031425364758697A8B9CADBECFD1"
    private static let name = "F0000000080101"

    private static func bytes(_ hex: String) -> [UInt8] { CardReplayTests.bytes(hex) }

    /// The settings of the foreign kernel that its commands do not show.
    private static let kernelData: [BERTag: [UInt8]] = {
        let text: [BERTag: String] = [
            0x9F40: "6000F0A001", 0x9F09: "0001", 0x9F_8206: "E0", 0x9F_8207: "44", 0x9F_8208: "08", 0x9F_821E: "18",
            0x9F_821F: "9F82049F821C9F821B", 0x9F_8212: "0D", 0x9F_8209: "1000", 0x9F_821A: "0000000000",
            0x9F_8214: "0032", 0x9F_8211: "000013", 0x9F_821D: "1820", 0x9F_8213: "0014", 0x9F_820D: "000000010000",
            0x9F_820E: "000000005000", 0x9F_8217: "012C", 0x9F_8218: "32", 0x9F_820A: "10", 0x9F_8221: "",
            0x9F_820B: "0000000000", 0x9F_820C: "8400000000", 0x9F_8215: "0012", 0x9F_8216: "0018",
            0x9F1D: "0000000000000000", 0x9F_820F: "01F4",
        ]
        return text.mapValues(bytes)
    }()

    private func lines() throws -> [String] {
        let url = try #require(
            Bundle.module.url(forResource: "kernel8-denom", withExtension: "jsonl", subdirectory: "Traces"))
        return try String(contentsOf: url, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    private func trace(_ lines: [String]) throws -> CardTrace {
        try CardTrace(jsonLines: lines.joined(separator: "\n"), file: "trace")
    }

    private func replay(
        _ lines: [String], _ overrides: CardReplay.Overrides = CardReplay.Overrides(),
        secret: String? = TapReplayTests.secret
    ) async throws -> TapReplayReport {
        let authority = try ECCAuthorityKey(
            rid: Self.bytes("F000000008"), index: 1, suite: .p256,
            key: Self.bytes("0726D2B6CA0EA6EE656981FE07A57F5340731BC576B5250B199215460D999184"), expiry: nil)
        var keys: (@Sendable () -> any RandomSource)?
        if let secret {
            let key: RecordedKernelKey = try #require(RecordedKernelKey(secret: Self.bytes(secret)))
            keys = { key }
        }
        let replay = TapReplay(
            try trace(lines), terminal: TerminalConfiguration.standard.adding(ellipticAuthorityKeys: [authority]),
            overrides: overrides,
            settings: { _, terminal in
                let set = terminal.applications.compactMap {
                    try? ReaderCombination(aid: $0.aid, kernel: .kernel8, kernelData: Self.kernelData)
                }
                return try? EntryPointConfiguration(terminal: terminal, combinations: [.goodsOrServices: set])
            }, keys: keys)
        return try await replay.run(date: Self.today)
    }

    // EMV Book C-8 state 29: one transaction, compared byte for byte with another implementation
    @Test func `a recorded tap of another kernel is replayed without a difference`() async throws {
        let report = try await replay(try lines())

        #expect(report.differences.isEmpty, "\(report.differences)")
        #expect(report.agrees)
        #expect(report.request.amount.description == "15.00 EUR")
        #expect(report.request.date == CivilDate(year: 2026, month: 11, day: 23))
        #expect(report.outcome?.outcome.status == .approved)
        #expect(report.outcome?.aid == Self.bytes(Self.name))
        #expect(report.kernel?.error == nil)
        #expect(report.kernel?.authentication == .succeeded)
        let record = try #require(report.record)
        #expect(record[EMVTag.verificationResults] == Self.bytes("0000000081"))
        #expect(record[EMVTag.cvmResults] == Self.bytes("1F0002"))
        #expect(record[EMVTag.applicationCryptogram] == Self.bytes("2624B651CFC6F1BB"))
        #expect(record[EMVTag.issuerApplicationData]?.suffix(8) == Self.bytes("245EF795395063FD")[...])
    }

    @Test func `the trace of a terminal that reads the directory is replayed from there`() async throws {
        let directory =
            "{\"c\":\"00A404000E325041592E5359532E444446303100\",\"r\":\"6F28840E325041592E5359532E4444463031A516BF0C1361114F07F00000"
            + "000801019F2A0108500254389000\"}"
        var told = try lines()
        told.insert(directory, at: 1)
        let report = try await replay(told)
        #expect(report.agrees && report.outcome?.outcome.status == .approved)
        #expect(report.differences.isEmpty, "\(report.differences)")
    }

    @Test func `other data of the caller is a difference, and the reason why the card's MAC fails`() async throws {
        let report = try await replay(
            try lines(), CardReplay.Overrides(amount: try Money(minorUnits: 1600, currency: try Currency(code: "EUR"))))

        #expect(!report.agrees)
        #expect(report.kernel?.error == .wrongEDAMAC)
        let cause = try #require(report.causeOfWrongMAC)
        #expect(cause.command == "GET PROCESSING OPTIONS")
        #expect(
            cause.kind
                == .value(
                    tag: 0x9F02, name: "amount authorised, numeric", recorded: "000000001500", kernel: "000000001600"))
        let number = try await replay(try lines(), CardReplay.Overrides(unpredictableNumber: [1, 2, 3, 4]))
        #expect(number.causeOfWrongMAC?.command == "GENERATE AC")
    }

    @Test func `without the kernel's key the records cannot be read, and the error says what to do`() async throws {
        await #expect(throws: CardReplayError.kernelKeyMissing) { _ = try await replay(try lines(), secret: nil) }
        await #expect(throws: CardReplayError.otherKernelKey) {
            _ = try await replay(try lines(), secret: "7B" + Self.secret.dropFirst(2))
        }
        await #expect(throws: CardReplayError.noKernelKey) { _ = try await replay(Array(try lines().prefix(2))) }
        for error in [CardReplayError.kernelKeyMissing, .otherKernelKey] {
            #expect(error.description.contains("--seed") && error.description.contains("--kernel-key"))
        }
        #expect(RecordedKernelKey(secret: [1]) == nil)
    }

    @Test func `a tapped card is not played by the contact kernel`() async throws {
        let trace = try trace(try lines())
        #expect(trace.isOfTap)
        await #expect(throws: CardReplayError.tapped) {
            _ = try await CardReplay(trace, terminal: .standard).run(date: Self.today)
        }
        // An application of another contactless kernel.
        let other = [
            "{\"c\":\"00A404000E325041592E5359532E444446303100\",\"r\":\"6F00" + "9000\"}",
            "{\"c\":\"00A4040007A000000003101000\",\"r\":\"6F108407A0000000031010A5059F38029A039000\"}",
            "{\"c\":\"80A8000005830326112300\",\"r\":\"770E8202000094080801010010010100" + "9000\"}",
        ]
        await #expect(throws: CardReplayError.otherKernel(aid: Self.bytes("A0000000031010"))) {
            _ = try await replay(["{\"amount\": \"1.00\", \"currency\": \"EUR\"}"] + other)
        }
    }

    @Test func `a trace that ends early ends the replay`() async throws {
        let report = try await replay(Array(try lines().dropLast()))
        #expect(!report.agrees)
        #expect(report.differences.last?.kind == .onlyKernel && report.differences.last?.command == "GENERATE AC")
        #expect(report.outcome?.outcome.status == .endApplication)
    }

    @Test func `the chip after a tap is a trace of its own`() throws {
        let chip = "{\"c\":\"00A404000E315041592E5359532E444446303100\",\"r\":\"6A82\"}"
        let both = try trace(try lines() + [chip])
        #expect(both.tap.exchanges.count == 6)
        #expect(both.chipAfterTap?.exchanges.count == 1)
        #expect(try trace([chip]).chipAfterTap == nil)
        #expect(!(try trace([chip])).isOfTap)
    }

    // EMV Book C-8 §5.2: the times of relay resistance are in no trace; what was repeated was too slow
    @Test func `an exchange of relay resistance data is replayed as it went`() async throws {
        // One single step of the foreign run: AIP 010B, and the answer to EXCHANGE RELAY RESISTANCE DATA.
        var told = try lines().map { line in
            line.replacing("8202010A", with: "8202010B").replacing("80AE400028", with: "80AE400028")
                .replacing("0000000081097826", with: "0000000082097826")
                .replacing("2624B651CFC6F1BB", with: "AE96C3EF74E7F332")
                .replacing("2565A8A19F53F58D", with: "84F33C09DCFB7D4F")
        }
        told.insert("{\"c\":\"80EA0000041122334400\",\"r\":\"800AA1A2A3A40000FFFF00129000\"}", at: 3)
        let report = try await replay(told)
        #expect(report.differences.isEmpty, "\(report.differences)")
        #expect(report.kernel?.error == nil)
        #expect(report.record?[EMVTag.issuerApplicationData]?.suffix(8) == Self.bytes("579B9CA7F2088C02")[...])
    }
}
