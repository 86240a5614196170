import Foundation
import Hardware
import Payments
import SimulatedTime
import Simulator
import Testing

@testable import Yosemite

/// Card numbers and PINs reach no file, no trace, no event, no error and no receipt.
@Suite(.simulatedTime) struct CardDataSecrecyTests {
    private static let pin: [UInt8] = [7, 3, 9, 1, 4, 6]
    private static let pinText = "739146"

    private func bytes(_ digits: String) -> Data {
        let values = digits.compactMap(\.hexDigitValue).map { UInt8($0) }
        return Data(stride(from: 0, to: values.count - 1, by: 2).map { values[$0] << 4 | values[$0 + 1] })
    }

    @Test(arguments: [
        ("visa-credit", "4761739001010010"), ("mastercard-credit", "5413330089010012"),
        ("pin-required", "4761739001010044"), ("pin-enciphered", "5413330089010038"),
        ("online-pin", "4761739001010051"), ("t1-card", "4761739001010085"), ("insufficient-funds", "4761739001010028"),
        ("offline-approve", "5413330089010020"),
    ])
    func `only the last four digits are stored`(card: String, pan: String) async throws {
        let till = try TestTill(card) {
            if card == "offline-approve" { $0.terminal = try .offlineCapable() }
            $0.faults = [IssuerFaultRule(.answerLost, messages: [.reverse, .advise], times: 1)]
            $0.change = { profile in
                profile.cardholder.pinEntries = [.digits(SealedBytes(Self.pin))]
                profile.account.onlinePIN = profile.account.onlinePIN.map { _ in SealedBytes(Self.pin) }
                for index in profile.applications.indices {
                    profile.applications[index].pin?.digits = SealedBytes(Self.pin)
                }
            }
        }
        let payment = try await till.pay()
        #expect(payment.card?.lastFour == String(pan.suffix(4)))
        let receipt: StoredReceipt = try await till.receipt { .loadReceipt(paymentID: payment.id, onCompletion: $0) }
        let text: String = try await till.receipt {
            .generateContent(receipt: receipt, copy: .merchant, width: 40, onCompletion: $0)
        }
        #expect(text.contains(String(pan.suffix(4))))
        let spoken =
            till.traceLines.joined(separator: "\n") + text + String(reflecting: till.events)
            + String(reflecting: payment) + String(reflecting: try await till.history(payment))
            + String(reflecting: try await till.issuer.ledger())
        let files = try till.database.bytes()
        #expect(files.count > 10_000)
        // Half of the number reveals as much as all of it.
        for secret in [String(pan.prefix(12)), String(pan.dropFirst(4)), Self.pinText] {
            #expect(!spoken.contains(secret))
            #expect(files.range(of: Data(secret.utf8)) == nil)
        }
        for secret in [bytes(pan), bytes("26" + Self.pinText + "FFFFFFFF"), bytes(pan + "D3512")] {
            #expect(files.range(of: secret) == nil)
        }
        let inASCII = pan.utf8.map { "3" + String($0 - 0x30) }.joined()
        #expect(!spoken.contains(inASCII))
    }

    @Test func `the search itself finds a planted number`() throws {
        let database = try TestDatabase()
        try Data("x4761739001010010".utf8).write(to: URL(fileURLWithPath: database.path))
        #expect(try database.bytes().range(of: Data("476173900101".utf8)) != nil)
    }
}
