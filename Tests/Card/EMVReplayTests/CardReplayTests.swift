import CardSecrets
import Determinism
import EMV
import Foundation
import Money
import SmartCard
import Testing

@testable import EMVReplay

/// A recorded third-party card with its own payment system.
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

        #expect(report.request.amount.description == "0.01 EUR")
        #expect(report.request.date == CivilDate(year: 2020, month: 7, day: 24))
        #expect(report.outcome.unpredictableNumber == [0x01, 0x23, 0x45, 0x67])
    }

    // EMV Book 2 §6.5: a card that others made, with the key of its payment system, proves by its signature over the
    // unpredictable number that it is genuine
    // EMV Book 2 §6.4: the key of that card is recovered from the certificates of its issuer
    @Test func `a recorded card of a third party passes DDA`() async throws {
        let outcome = try await replay(try lines()).outcome

        #expect(outcome.offlineAuthentication.method == .dda)
        #expect(outcome.offlineAuthentication.result == .passed)
        #expect(outcome.decision == .approvedOnline)
        #expect(outcome.cvmResults.bytes == [0x44, 0x03, 0x02])
        #expect(outcome.cryptogram?.counter == 0x00F3)
        #expect(outcome.pan?.lastFour == "5608")
    }

    @Test func `the report shows the first difference between kernel and recorded terminal`() async throws {
        let report = try await replay(try lines())

        // The recorded terminal did not look at dates and floor limit, and called the payment by another type.
        #expect(!report.agrees)
        let results = report.differences.first { $0.line == 27 }
        #expect(results?.command == "GENERATE AC")
        #expect(
            results?.kind
                == .value(
                    tag: 0x95, name: "terminal verification results", recorded: "0000000000", kernel: "00C0008000"))
        #expect(Set(report.differences.filter(\.matters).compactMap(\.line)) == [27, 30])
    }

    // EMV Book 2 §6.2: without the certification authority's key DDA fails
    @Test func `without the payment system's key the signature counts as failed`() async throws {
        let trace = try CardTrace(jsonLines: try lines().joined(separator: "\n"), file: "trace")
        let report = try await CardReplay(trace, terminal: .standard).run(date: Self.today)

        #expect(report.outcome.verificationResults.contains(.ddaFailed))
        #expect(report.outcome.offlineAuthentication.result == .failed)
    }

    // EMV Book 2 §6.5.2: one changed byte in keys, certificates or signature fails DDA
    @Test(arguments: [15, 17, 19, 23])
    func `a changed byte in the recorded keys and signatures is found`(line: Int) async throws {
        var lines = try lines()
        // The last byte before the status word.
        let changed = lines[line - 1].replacingOccurrences(of: #"9000"}"#, with: #"@"}"#)
        let at = try #require(changed.firstIndex(of: "@"))
        let before = changed.index(before: at)
        lines[line - 1] =
            String(changed[..<before]) + (changed[before] == "0" ? "1" : "0") + #"9000"}"#
        let outcome = try await replay(lines).outcome

        #expect(outcome.offlineAuthentication.result == .failed)
    }

    @Test func `a trace that ends early ends the transaction, and no trap`() async throws {
        let lines = try lines()
        for count in 2..<lines.count {
            guard let trace = try? CardTrace(jsonLines: lines.prefix(count).joined(separator: "\n"), file: "trace"),
                let report = try? await CardReplay(
                    trace, terminal: .standard,
                    overrides: CardReplay.Overrides(amount: Money(minorUnits: 1, currency: .usDollar))
                ).run(date: Self.today)
            else { continue }
            if report.outcome.cryptogram == nil { #expect(!report.outcome.decision.isApproved) }
        }
    }

    @Test func `each command gets the unpredictable number that its own recording has`() async throws {
        let changed = try lines().map { line in
            line.hasPrefix(#"{"c":"80AE80"#)
                ? line.replacingOccurrences(of: "0123456700\"", with: "89ABCDEF00\"") : line
        }
        let report = try await replay(changed)

        #expect(report.outcome.offlineAuthentication.result == .passed)
        #expect(report.causeOfFailedSignature == nil)
        // The second GENERATE AC has the first number again.
        #expect(report.outcome.unpredictableNumber == [0x01, 0x23, 0x45, 0x67])
        for difference in report.differences {
            if case .value(tag: 0x9F37, _, _, _) = difference.kind { Issue.record("\(difference)") }
        }
    }

    @Test func `terminal data of the recording is sent as it was, also what the kernel would not send`() async throws {
        // CDOL1 asks for four bytes of 9F4E and for 9F53 too, and the terminal sent bytes that are no text.
        let changed = try lines().map { line in
            guard line.hasPrefix(#"{"c":"80AE80"#) else {
                return line.replacingOccurrences(of: "703E9F42", with: "70449F42")
                    .replacingOccurrences(
                        of: "8C159F02069F03069F1A0295055F2A029A039C019F3704",
                        with: "8C1B9F02069F03069F1A0295055F2A029A039C019F37049F4E049F5301")
            }
            return line.replacingOccurrences(of: "80AE80001D", with: "80AE800022")
                .replacingOccurrences(of: "0123456700\"", with: "01234567C3A9FF005200\"")
        }
        let report = try await replay(changed)

        #expect(report.outcome.decision == .approvedOnline)
        for difference in report.differences {
            if case .value(let tag, _, _, _) = difference.kind { #expect(![0x9F4E, 0x9F53].contains(tag)) }
            if case .bytes = difference.kind { Issue.record("\(difference)") }
        }
    }

    @Test func `the report says which difference makes a signature fail`() async throws {
        let report = try await replay(
            try lines(), CardReplay.Overrides(unpredictableNumber: [0xFF, 0xFF, 0xFF, 0xFF]))

        #expect(report.outcome.offlineAuthentication.result == .failed)
        let cause = try #require(report.causeOfFailedSignature)
        #expect(cause.command == "INTERNAL AUTHENTICATE")
        #expect(
            cause.kind
                == .value(tag: 0x9F37, name: "unpredictable number", recorded: "01234567", kernel: "FFFFFFFF"))
        // Without the key nothing of the replay is to blame.
        let trace = try CardTrace(jsonLines: try lines().joined(separator: "\n"), file: "trace")
        let other = try await CardReplay(trace, terminal: .standard).run(date: Self.today)
        #expect(other.causeOfFailedSignature == nil)
    }

    // EMV Book 3 §7.5: tags of the payment system in the records of a recorded card do not end the transaction
    @Test func `a recorded card with 9F5A and 9F5B is not refused for them`() async throws {
        let changed = try lines().map { line in
            line.replacingOccurrences(of: "703E9F42", with: "70529F5A01029F5B0D313233343536373839303132339F42")
        }
        let report = try await replay(changed)
        #expect(report.outcome.decision == .approvedOnline)
    }

    @Test func `the caller's amount holds against the trace's`() async throws {
        let report = try await replay(
            try lines(), CardReplay.Overrides(amount: try Money(minorUnits: 500, currency: try Currency(code: "EUR"))))

        #expect(report.request.amount.minorUnits == 500)
        #expect(
            report.differences.contains { difference in
                if case .value(tag: 0x9F02, _, recorded: "000000000001", kernel: "000000000500") = difference.kind {
                    true
                } else {
                    false
                }
            })
    }
}
