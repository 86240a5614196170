import Amounts
import CardSecrets
import Determinism
import EMV
import EMVReplay
import Foundation
import SmartCard
import Testing

/// A recorded card that was made by others, with a payment system of its own.
struct CardReplayTests {
    static let today = CivilDate(year: 2026, month: 1, day: 1)

    /// The certification authority of the recorded card's payment system (project emvpt,
    /// scheme_ca_public_keys_test.yaml: RID AFFFFFFFFF, index 92).
    static let authority: CAPublicKey? = try? CAPublicKey(
        rid: [0xAF, 0xFF, 0xFF, 0xFF, 0xFF], index: 0x92,
        modulus: bytes(
            """
            BF08CA64EA24B2644772CA60DAE61A68DE449A1F43503A1025103BDE7487FF2D60E23AF37400BBB6A8075C79EB38D775ED5F251E
            15268128CA152DC5F33E017F14AE11FA2E07298F559387F4F47997DB09AEE867712E56545825C4B12A197C8ABE68E7E24A20B871
            7453733D0BF12F3CF8AA89CB9BD07A2468B6132410C1E62FD1DFEC2C5D7C35B5475C520783E01E549F4C44DECBC2A0587763851738
            E4CAF22EB0E8747DBF828C2207FECE8460030F
            """), exponent: [3], checksum: nil)

    static func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.compactMap(\.hexDigitValue).map(UInt8.init)
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    private func lines() throws -> [String] {
        let url = try #require(
            Bundle.module.url(forResource: "invented-scheme-dda", withExtension: "jsonl", subdirectory: "Traces"))
        return try String(contentsOf: url, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    private func replay(
        _ lines: [String], _ overrides: CardReplay.Overrides = CardReplay.Overrides()
    ) async throws -> CardReplayReport {
        let trace = try CardTrace(jsonLines: lines.joined(separator: "\n"), file: "trace")
        let terminal = TerminalConfiguration.standard
            .adding(certificationAuthorityKeys: [try #require(Self.authority)])
        return try await CardReplay(trace, terminal: terminal, overrides: overrides).run(date: Self.today)
    }

    @Test func `amount, date and unpredictable number are read out of the trace`() async throws {
        let report = try await replay(try lines())

        #expect(report.request.amount.description == "1.00 EUR")
        #expect(report.request.date == CivilDate(year: 2020, month: 7, day: 24))
        #expect(report.outcome.unpredictableNumber == [0x01, 0x23, 0x45, 0x67])
    }

    @Test func `the kernel gets through a card that others recorded`() async throws {
        let report = try await replay(try lines())

        #expect(report.outcome.application?.aid == [0xAF, 0xFF, 0xFF, 0xFF, 0xFF, 0x12, 0x34])
        #expect(report.outcome.pan?.lastFour == "5608")
        // The card had expired two years before the recording, whose terminal did not look.
        #expect(report.outcome.verificationResults.contains(.expiredApplication))
        #expect(report.outcome.cryptogram?.counter == 0x00F3)
    }

    @Test func `dump`() async throws {
        let report = try await replay(try lines())
        print(
            report.outcome.decision, report.outcome.verificationResults, report.outcome.statusInformation,
            report.outcome.cvmResults)
        for difference in report.differences { print(difference) }
    }
}
