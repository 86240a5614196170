import CardSecrets
import Determinism
import EMV
import ISO8583
import Money
import Payments
import Simulator
import SmartCard
import Text

/// Chip sales of one simulated card, ready to be sent: each has a genuine cryptogram, and its neighbors have other
/// amounts.
///
/// The currency is not that of the card's account, so that the issuer approves any number of them.
final class ChipSales: Sendable {
    private static let card = "visa-credit"
    private static let expiry: [UInt8] = [0x35, 0x12]
    private static let sequenceNumber: UInt8 = 1
    private static let currencyCode = "EUR"
    static let merchant = "MERCHANT0000001"

    let profile: MessageProfile
    private let codec: MessageCodec
    private let pan: PrimaryAccountNumber
    private let masterKey: SensitiveBytes
    private let currency: Currency
    /// The clock of all messages.
    private let moment: Timestamp

    /// - Throws: `BenchmarkError`, and errors of the test keys.
    init(_ profileName: String = "iso87-ascii") throws {
        guard let profile = MessageProfile.shipped(profileName) else {
            throw BenchmarkError("\(profileName): no such profile")
        }
        let keys = try TestKeys.embedded()
        var digits: [UInt8] = []
        defer { digits.wipe() }
        try CardProfileLibrary.profile(Self.card).forEachAccountNumber { pan in
            digits = pan.withDigits { bytes in bytes.map { $0 | 0x30 } }
        }
        let pan = try PrimaryAccountNumber(digits: digits)
        let issuerKey = keys.withMasterKeys(.tripleDES) { $0.applicationCryptogram.duplicate() }
        let masterKey = try CryptogramVersion.cvn18.masterKey(
            issuerMasterKey: issuerKey, pan: pan, panSequenceNumber: Self.sequenceNumber)
        let currency = try Currency(code: Self.currencyCode)
        (self.profile, codec, self.currency) = (profile, profile.makeCodec(), currency)
        moment = SystemTimeSource().now()
        self.pan = pan
        self.masterKey = masterKey
    }

    /// The amount of a sale: 1.00 to 99.99.
    func amount(_ number: Int) throws -> Money {
        try Money(minorUnits: 100 + Int64(number % 9_900), currency: currency)
    }

    /// The data of field 55, as a kernel has them for a host.
    func objects(_ number: Int) throws -> [BERTLV] {
        let application = IssuerApplicationData(
            version: .cvn18, derivationKeyIndex: 1, results: CardVerificationResults(first: .arqc))
        let date = moment.civil(offsetSeconds: 0)
        let units = try amount(number).minorUnits
        let day = (date.year % 100 * 100 + date.month) * 100 + date.day
        var values: [BERTag: [UInt8]] = [
            0x9F02: Self.packed(units, digits: 12), 0x9F03: Self.packed(0, digits: 12),
            0x9F1A: [0x08, 0x40], 0x95: [0, 0, 0, 0x80, 0], 0x5F2A: Self.packed(Int64(currency.numericCode), digits: 4),
            0x9A: Self.packed(Int64(day), digits: 6), 0x9C: [0], 0x9F37: Self.bytes(UInt32(truncatingIfNeeded: number)),
            0x82: [0x39, 0], 0x9F36: Array(Self.bytes(UInt32(number % 65_535 + 1)).suffix(2)),
            0x9F10: application.encoded, 0x9F27: [0x80], 0x9F33: [0xE0, 0xF8, 0xC8], 0x9F34: [0x1E, 0x03, 0x00],
            0x9F35: [0x22], 0x84: [0xA0, 0, 0, 0, 0x03, 0x10, 0x10], 0x5F34: [Self.sequenceNumber],
        ]
        let input = try ApplicationCryptogram.Input { values[$0] }
        values[0x9F26] = try ApplicationCryptogram.compute(input, masterKey: masterKey)
        return values.sorted { $0.key < $1.key }.map { BERTLV($0.key, $0.value) }
    }

    /// The card as the reader service gives it to a host.
    func card(_ objects: [BERTLV]) -> PresentedCard {
        .chip(
            OnlineAuthorizationRequest(
                pan: pan.duplicate(), trackTwo: nil, panSequenceNumber: Self.sequenceNumber, expiry: Self.expiry,
                iccData: objects, pinBlock: nil))
    }

    /// The frame of a sale, with the fields that a till sends.
    func frame(_ number: Int, terminal: String, trace: Int) throws -> [UInt8] {
        guard let form = profile.messages[.sale] else { throw BenchmarkError("the profile has no sale") }
        var message = ISOMessage(form.type)
        message.set(primaryAccountNumber: pan)
        var values = common(terminal: terminal, trace: trace)
        values[3] = profile.values.processing["sale"]
        values[4] = try amount(number).minorUnits.zeroPadded(to: 12)
        values.merge([
            14: "3512", 18: "5999", 22: "051", 23: "001", 25: "00", 42: Self.merchant,
            43: "Corner Shop              Springfield  US", 49: currency.numericCode.zeroPadded(to: 3),
        ]) { $1 }
        for (field, value) in values.sorted(by: { $0.key < $1.key }) { message.set(field, value) }
        message.set(55, bytes: try objects(number).flatMap(\.encoded))
        return try frame(message)
    }

    /// The frame of a sign-on.
    func signOn(terminal: String, trace: Int) throws -> [UInt8] {
        guard let form = profile.messages[.signOn] else { throw BenchmarkError("the profile has no sign-on") }
        var message = ISOMessage(form.type)
        for (field, value) in common(terminal: terminal, trace: trace).sorted(by: { $0.key < $1.key }) {
            message.set(field, value)
        }
        if let code = form.code { message.set(70, code) }
        return try frame(message)
    }

    /// Fails unless an answer, without its length, approves.
    func checkApproval(_ answer: [UInt8]) throws {
        let message = try codec.decode(answer).message
        guard message.text(of: 39) == "00" else {
            throw BenchmarkError("\(message.type) with \(message.text(of: 39) ?? "no code"), not approved")
        }
    }

    private func common(terminal: String, trace: Int) -> [Int: String] {
        let local = MessageDates.local(moment.civil(offsetSeconds: 0), profile.version)
        var values = [
            7: MessageDates.transmission(moment), 11: trace.zeroPadded(to: 6), 12: local.field12, 24: "001",
            41: terminal,
        ]
        values[13] = local.field13
        return values
    }

    private func frame(_ message: ISOMessage) throws -> [UInt8] {
        guard let frame = profile.frame.frame(try codec.encode(message).bytes) else {
            throw BenchmarkError("a message is too long for its frame")
        }
        return frame
    }

    private static func packed(_ number: Int64, digits: Int) -> [UInt8] {
        [UInt8](hexadecimal: number.zeroPadded(to: digits)) ?? []
    }

    private static func bytes(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
