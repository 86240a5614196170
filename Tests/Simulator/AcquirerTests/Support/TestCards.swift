import CardSecrets
import Cryptography
import Determinism
import EMV
import MagneticStripe
import SmartCard
import Testing

@testable import Simulator

/// What simulated cards put into messages.
struct TestCards: Sendable {
    let keys: TestKeys

    /// Track 2 of a card in characters, as field 35 has it.
    func track(_ name: String) throws -> SensitiveBytes {
        let profile = try #require(try CardProfileLibrary.profile(name).stripe)
        let bytes = try #require(try SimulatedMagneticStripe(profile, keys: keys).tracks[1]?.copy())
        let track = try AccountTrack(.two, TrackDelivery(SensitiveBytes(bytes), .characters))
        return track.content.duplicate()
    }

    /// A PIN block of a PIN pad for a card.
    func pinBlock(_ pin: String, card: String, isAES: Bool) throws -> EncipheredPINBlock {
        let profile = try #require(try CardProfileLibrary.profile(card).stripe)
        let pad = try SimulatedPINPad(
            keys: keys, scheme: isAES ? .aes : .tripleDES, counter: 1, random: SeededRandomSource(seed: 1))
        let digits = pin.utf8.map { $0 & 0xF }
        let number = try PrimaryAccountNumber(digits: profile.pan.copy().map { $0 | 0x30 })
        return try pad.encipher(SensitiveBytes(digits), pan: number)
    }

    /// The digits of the card number of `visa-credit`.
    static let pan = "4761739001010010"

    /// Field 55 of a request by `visa-credit`: 12.50 US dollars, with a genuine cryptogram.
    func chipData(counter: UInt8 = 1, without: BERTag? = nil, isGenuine: Bool = true) throws -> [UInt8] {
        let application = IssuerApplicationData(
            version: .cvn10, derivationKeyIndex: 1, results: CardVerificationResults(first: .arqc))
        var objects: [BERTag: [UInt8]] = [
            0x9F02: [0, 0, 0, 0, 0x12, 0x50], 0x9F03: [0, 0, 0, 0, 0, 0], 0x9F1A: [0x08, 0x40],
            0x95: [0, 0, 0, 0x80, 0], 0x5F2A: [0x08, 0x40], 0x9A: [0x26, 0x01, 0x02], 0x9C: [0],
            0x9F37: [0xA1, 0xB2, 0xC3, 0xD4], 0x82: [0x39, 0], 0x9F36: [0, counter], 0x9F10: application.encoded,
            0x5F34: [1],
        ]
        let number = try PrimaryAccountNumber(digits: Array(Self.pan.utf8))
        let key = try CryptogramVersion.cvn10.masterKey(
            issuerMasterKey: keys.withMasterKeys(.tripleDES) { $0.applicationCryptogram.duplicate() }, pan: number,
            panSequenceNumber: 1)
        var cryptogram = try ApplicationCryptogram.compute(
            ApplicationCryptogram.Input { objects[$0] }, masterKey: key)
        if !isGenuine { cryptogram[0] ^= 1 }
        objects[0x9F26] = cryptogram
        if let without { objects[without] = nil }
        return objects.sorted { $0.key < $1.key }.flatMap { BERTLV.encode($0.key, $0.value) }
    }
}
