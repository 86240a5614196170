import CardSecrets
import Cryptography
import EMV
import ISO8583
import MagneticStripe
import Payments
import SmartCard
import Text

/// Puts the data of a presented card into a message: fields 2, 14, 35, 45, 52, 53, and 55. Card number, tracks, and PIN
/// go from one memory for secrets to another.
struct CardFields {
    let profile: MessageProfile

    /// - Parameters:
    ///   - card: the card.
    ///   - message: the message.
    ///   - allowed: the fields of the message in the profile.
    /// - Throws: ``HostFailure/notSent(_:)``
    func set(
        _ card: borrowing PresentedCard, in message: inout ISOMessage, _ allowed: FieldSet
    ) throws(HostFailure) {
        switch card {
        case .chip(let chip):
            if allowed.contains(2) { message.set(primaryAccountNumber: chip.pan) }
            if allowed.contains(14), chip.expiry.count == 2 { message.set(14, bytes: Self.digits(of: chip.expiry)) }
            if allowed.contains(35) { Self.setTrackTwo(chip.trackTwo, in: &message) }
            if allowed.contains(55) { set(chip.iccData, for: "request", in: &message) }
            try set(chip.pinBlock, in: &message, allowed)
        case .stripe(let stripe):
            if allowed.contains(2) { message.set(primaryAccountNumber: stripe.card.pan) }
            if allowed.contains(14) { message.set(14, bytes: Self.digits(of: stripe.card.expiry.encoded)) }
            if allowed.contains(35) { Self.setTrackTwo(stripe.card.trackTwo, in: &message) }
            if allowed.contains(45) { Self.setTrackOne(stripe.card.trackOne, in: &message) }
            try set(stripe.pinBlock, in: &message, allowed)
        }
    }

    /// Returns the values of fields 2, 14, 35, and 45 of a card, as far as it has them.
    func values(of card: KeptCard) -> [Int: SecretValue] {
        var values: [Int: SecretValue] = [
            2: card.pan.withDigits { digits in
                SecretValue(
                    SensitiveBytes(count: digits.count) { buffer in
                        for index in digits.indices { buffer[index] = digits[index] | 0x30 }
                    })
            }
        ]
        if card.expiry.count == 2 {
            var digits = card.expiry.withUnsafeBytes { Self.digits(of: [UInt8]($0)) }
            values[14] = SecretValue(SensitiveBytes(wiping: &digits))
        }
        if !card.trackTwo.isEmpty { values[35] = SecretValue(Self.characters(of: card.trackTwo)) }
        if !card.trackOne.isEmpty { values[45] = SecretValue(card.trackOne.duplicate()) }
        return values
    }

    private static func setTrackOne(_ track: borrowing SensitiveBytes?, in message: inout ISOMessage) {
        switch track {
        case .some(let bytes): message.set(45, secret: bytes.duplicate())
        case .none: break
        }
    }

    private static func setTrackTwo(_ track: borrowing SensitiveBytes?, in message: inout ISOMessage) {
        switch track {
        case .some(let bytes): message.set(35, secret: Self.characters(of: bytes))
        case .none: break
        }
    }

    /// Sets field 55 to those of the data objects that the profile has for a message, in its order.
    func set(_ objects: [BERTLV], for name: String, in message: inout ISOMessage) {
        var bytes: [UInt8] = []
        for tag in profile.values.chip[name] ?? [] {
            if let object = objects.first(where: { $0.tag.rawValue == tag }) { bytes += object.encoded }
        }
        guard !bytes.isEmpty else { return }
        message.set(55, bytes: bytes)
        bytes.wipe()
    }

    /// Two digits of each byte.
    private static func digits(of bytes: [UInt8]) -> [UInt8] {
        bytes.flatMap { [$0 >> 4 | 0x30, $0 & 0xF | 0x30] }
    }

    /// Returns track 2 equivalent data (tag 57) as the characters of field 35: without the pad, and with `=` between
    /// card number and expiration date.
    private static func characters(of equivalent: borrowing SensitiveBytes) -> SensitiveBytes {
        equivalent.withUnsafeBytes { bytes in
            var characters: [UInt8] = []
            characters.reserveCapacity(bytes.count * 2)
            defer { characters.wipe() }
            for byte in bytes {
                characters.append(Self.character(byte >> 4))
                characters.append(Self.character(byte & 0xF))
            }
            if let pad = characters.firstIndex(of: 0) { characters.removeSubrange(pad...) }
            return SensitiveBytes(characters)
        }
    }

    /// The character of four bits: a digit, the separator, or zero for the pad.
    private static func character(_ nibble: UInt8) -> UInt8 {
        switch nibble {
        case 0xD: UInt8(ascii: "=")
        case 0xF: 0
        default: nibble | 0x30
        }
    }

    /// The terminal's PIN pad enciphers under DUKPT, so only a profile with the same scheme can have its block.
    private func set(
        _ pin: EncipheredPINBlock?, in message: inout ISOMessage, _ allowed: FieldSet
    ) throws(HostFailure) {
        guard let pin else { return }
        guard allowed.contains(52), let rule = profile.security.pin else {
            throw .notSent(.pin("the profile '\(profile.name)' has none"))
        }
        switch rule.scheme {
        case .masterSession where pin.keySerialNumber.isEmpty:
            guard pin.block.count == profile.table[52]?.length.maximum else {
                throw .notSent(.pin("the PIN block has \(pin.block.count) bytes"))
            }
            return message.set(52, bytes: pin.block)
        case .masterSession:
            throw .notSent(
                .pin(
                    "the profile '\(profile.name)' wants it under the key '\(rule.key)', and there is none: name a key "
                        + "file or a token in host.keys"))
        case .dukptTDES where pin.block.count != 8, .dukptAES where pin.block.count != 16:
            let scheme = rule.scheme == .dukptAES ? "aes" : "tdes"
            throw .notSent(.pin("the profile '\(profile.name)' needs the setting terminal.pin.scheme: \(scheme)"))
        case .dukptTDES, .dukptAES: break
        }
        guard let field = profile.security.keySerialNumberField, let format = profile.table[field] else {
            throw .notSent(.pin("the profile '\(profile.name)' has no field for the key serial number"))
        }
        message.set(52, bytes: pin.block)
        if format.attribute == .b {
            message.set(field, bytes: pin.keySerialNumber)
        } else {
            message.set(field, pin.keySerialNumber.hexadecimal)
        }
    }
}
