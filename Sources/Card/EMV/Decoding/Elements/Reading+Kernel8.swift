import SmartCard
import Text

/// Data elements of kernel 8, and those of contact cards that it uses otherwise (EMV Contactless Book C-8 annex A).
extension Reading {
    /// The rule for a value that kernel 8 lays out otherwise than a contact card, if it is one of kernel 8; nil leaves
    /// it to the common rule.
    func kernel8Rule(_ tag: BERTag, _ range: Range<Int>) -> ElementReading? {
        let value = bytes[range]
        switch tag {
        case EMVTag.verificationResults where context.isKernel8 || Kernel8Format.isOf(results: value):
            return .bits(.kernel8VerificationResults)
        case EMVTag.interchangeProfile where context.isKernel8 || Kernel8Format.isOf(profile: value):
            return .bits(.kernel8InterchangeProfile)
        case EMVTag.capabilities where context.isKernel8 || Kernel8Format.isOf(capabilities: value):
            return .bits(.kernel8Capabilities)
        case EMVTag.cvmResults where context.isKernel8: return .deviceVerificationResults
        default: return nil
        }
    }

    /// What a value of a contact card's layout would mean for kernel 8, where the value alone does not tell; nil if it
    /// tells.
    func otherMeaning(_ tag: BERTag, _ range: Range<Int>) -> String? {
        guard !context.isKernel8, !context.isContact else { return nil }
        switch (tag, Array(bytes[range])) {
        case (EMVTag.interchangeProfile, [0x01, 0x00]), (EMVTag.interchangeProfile, [0x01, 0x01]):
            return "with kernel 8 (contactless): local authentication supported, not CDA"
        case (EMVTag.verificationResults, let value) where value.count == 5 && value[4] & 0x80 != 0:
            return "or, with kernel 8 (contactless), the format of its results"
        case (EMVTag.cvmResults, [0x01, 0x00, 0x02]):
            return "of a tapped card: the device verified its owner"
        default: return nil
        }
    }

    /// 9F34 of a tapped card: method 01 is the device's verification.
    func deviceVerificationResults(_ value: inout DecodedValue, _ range: Range<Int>) {
        verificationResults(&value, range)
        guard range.count == 3, bytes[range.lowerBound] & 0x3F == 0x01, !value.children.isEmpty else { return }
        value.children[0].meaning = "CDCVM: the device verified its owner"
    }

    /// 9F8108. Bytes 3 to 5 have no known meaning.
    func restartIndicator(_ value: inout DecodedValue, _ range: Range<Int>) {
        let start = range.lowerBound
        guard range.count >= 2 else { return }
        let interfaces: [UInt8: String] = [1: "chip with contacts", 2: "magnetic stripe", 0x0F: "no preference"]
        let action =
            switch bytes[start] >> 4 {
            case 2: "restart at B"
            case 3: "try another interface: " + (interfaces[bytes[start] & 0x0F] ?? "none named")
            default: "no restart"
            }
        let message = bytes[start + 1]
        value.children = [
            part("action", start..<(start + 1), action),
            part("message", (start + 1)..<(start + 2), message == 0 ? "none" : ContactlessMessageWords.words(message)),
        ]
        if range.count > 2 { value.children.append(part("without a known meaning", (start + 2)..<range.upperBound)) }
    }

    /// 9F8205 and 9F8219: message, status, hold time, and the languages of the card.
    func interfaceRequest(_ value: inout DecodedValue, _ range: Range<Int>) {
        let start = range.lowerBound
        guard range.count == 13 else { return }
        let statuses = [
            "not ready", "idle", "ready to read", "processing", "card read successfully", "processing error",
        ]
        let status = Int(bytes[start + 1])
        let hold = BinaryCodedDecimal.decode(bytes[(start + 2)..<(start + 5)])
        let languages = bytes[(start + 5)..<range.upperBound].prefix { $0 != 0 }
        value.children = [
            part("message", start..<(start + 1), ContactlessMessageWords.words(bytes[start])),
            part(
                "status", (start + 1)..<(start + 2),
                status < statuses.count ? statuses[status] : status == 0xFF ? "not applicable" : "reserved"),
            part("hold time", (start + 2)..<(start + 5), hold.map { "\($0 * 100) ms" } ?? "not decimal digits"),
            part(
                "languages", (start + 5)..<range.upperBound, languages.isEmpty ? "none" : self.languages(languages)),
        ]
    }

    /// 9F8204: the errors of levels 1 to 3, a status word, and the message.
    func errorIndication(_ value: inout DecodedValue, _ range: Range<Int>) {
        let start = range.lowerBound
        guard range.count == 6 else { return }
        let levels: [[UInt8: String]] = [
            [0: "no error", 1: "time-out", 2: "transmission error", 3: "protocol error"],
            [
                0: "no error", 0x01: "card data missing", 0x03: "status bytes", 0x04: "parsing error",
                0x06: "card data error", 0x0F: "terminal data error", 0x10: "decryption failed",
                0x12: "IAD-MAC failed", 0x13: "EDA-MAC failed",
            ],
            [0: "no error", 1: "time-out", 3: "transaction data missing"],
        ]
        value.children = levels.enumerated().map { level, words in
            let place = start + level
            return part("level \(level + 1)", place..<(place + 1), words[bytes[place]] ?? "reserved")
        }
        value.children += [
            part("status word", (start + 3)..<(start + 5)),
            part("message", (start + 5)..<range.upperBound, ContactlessMessageWords.words(bytes[start + 5])),
        ]
    }

    /// 9F821D: identifiers of messages.
    func messageIdentifiers(_ value: inout DecodedValue, _ range: Range<Int>) {
        value.children = range.map { part("message", $0..<($0 + 1), ContactlessMessageWords.words(bytes[$0])) }
    }

    /// Tag 96 (EMV Contactless Book B §3.4.1.4 table 3-7): the kernel, and in byte 4 whether the reader has kernel 8.
    func terminalKernel(_ value: inout DecodedValue, _ range: Range<Int>) {
        value.meaning = kernelIdentifier(bytes[range])
        guard range.count == 8 else { return }
        let table = BitTable([
            [nil, nil, nil, nil, nil, nil, nil, nil],
            ["the reader has kernel 8", "kernel 8 may run this transaction", nil, nil, nil, nil, nil, nil],
        ])
        // The bytes before and after the flags belong to the identifier.
        value.flags = table.flags(of: [0, bytes[range.lowerBound + 3]])
            .map { DecodedValue.Flag(byte: 4, mask: $0.mask, name: $0.name) }
    }
}

/// Tells the formats of kernel 8 from those of contact cards by the value alone.
enum Kernel8Format {
    /// Bit 80 of byte 5 is the format of kernel 8. On contact cards it says that the default TDOL was used: kernel 8
    /// says with each of its results, too, whether relay resistance was performed.
    static func isOf(results value: some Collection<UInt8>) -> Bool {
        guard value.count == 5, let last = value.dropFirst(4).first else { return false }
        return last & 0x80 != 0 && [0x01, 0x02].contains(last & 0x03)
    }

    /// Contact cards have nothing in bits 0E of byte 2, and kernel 8 only bit 01 in byte 1.
    static func isOf(profile value: some Collection<UInt8>) -> Bool {
        guard value.count == 2, let first = value.first, let second = value.dropFirst().first else { return false }
        return first & 0xFE == 0 && second & 0x0E != 0 && second & 0xF0 == 0
    }

    /// Bit 10 of byte 3, local authentication, is reserved for contact cards.
    static func isOf(capabilities value: some Collection<UInt8>) -> Bool {
        value.count == 3 && (value.dropFirst(2).first ?? 0) & 0x10 != 0
    }
}

/// The names of the messages of contactless readers (EMV Contactless Book A §7.1). The till's texts are those of its
/// language.
enum ContactlessMessageWords {
    static func words(_ identifier: UInt8) -> String { names[identifier] ?? "message of the kernel" }

    private static let names: [UInt8: String] = [
        0x03: "approved", 0x07: "not authorised", 0x09: "enter PIN", 0x0F: "processing error", 0x10: "remove card",
        0x14: "welcome", 0x15: "present card", 0x16: "processing", 0x17: "card read OK, please remove card",
        0x18: "insert or swipe card", 0x19: "present one card only", 0x1A: "approved, please sign",
        0x1B: "authorising, please wait", 0x1C: "insert, swipe, or try another card", 0x1D: "insert card",
        0x1E: "clear display", 0x20: "see phone", 0x21: "present card again", 0xFF: "none",
    ]
}
