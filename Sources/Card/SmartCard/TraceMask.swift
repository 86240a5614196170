import CardSecrets
import Text

/// Masks card data in commands and responses, and remembers the card data that it has seen.
struct TraceMask: ~Copyable {
    /// PAN, account number (IBAN), expiry date, tracks 1 to 3 and their parts, names, PIN data, and the ICC public key
    /// certificates, from which anyone can recover the PAN. The list includes the ISO/IEC 7816-6 equivalents and the
    /// tags of contactless kernels.
    private static let sensitiveTags: Set<BERTag> = [
        0x56, 0x57, 0x58, 0x59, 0x5A, 0x5B, 0x5F20, 0x5F21, 0x5F22, 0x5F23, 0x5F24, 0x5F53, 0x99, 0x9F0B, 0x9F1F,
        0x9F20, 0x9F2D, 0x9F46, 0x9F6B, 0xDF812A, 0xDF812B,
    ]
    /// VERIFY, CHANGE REFERENCE DATA (PIN CHANGE/UNBLOCK), RESET RETRY COUNTER, each also with data objects.
    private static let pinInstructions: Set<UInt8> = [0x20, 0x21, 0x24, 0x25, 0x2C, 0x2D]
    /// WRITE RECORD, UPDATE BINARY, PUT DATA, UPDATE RECORD, each also with data objects: an issuer may write card data
    /// that was not seen before.
    private static let writingInstructions: Set<UInt8> = [0xD2, 0xD6, 0xD7, 0xDA, 0xDB, 0xDC, 0xDD]
    /// GET CHALLENGE and INTERNAL AUTHENTICATE, whose response data is not BER-TLV.
    private static let plainInstructions: Set<UInt8> = [0x84, 0x88]
    private static let maximumDepth = 16

    /// The card data seen so far.
    private var seen: [SeenCardData] = []

    mutating func text(of command: CommandAPDU) -> String {
        // Part by part: encoding the whole command would make another copy of a PIN.
        command.bytesBeforeData.hexadecimal + Self.text(command.data, hidden(in: command))
            + command.bytesAfterData.hexadecimal
    }

    private mutating func hidden(in command: CommandAPDU) -> [Bool] {
        let data = command.data
        if Self.pinInstructions.contains(command.ins) { return Array(repeating: true, count: data.count) }
        guard Self.writingInstructions.contains(command.ins) else { return occurrences(in: data) }
        var sensitive: [(tag: BERTag, value: ArraySlice<UInt8>)] = []
        // PUT DATA names the object in P1 and P2. A message authentication code may follow the objects.
        let tag = BERTag(rawValue: UInt32(command.p1) << 8 | UInt32(command.p2))
        if command.ins == 0xDA, Self.sensitiveTags.contains(tag) { sensitive.append((tag, data[...])) }
        _ = Self.collect(data, 0..<data.count, Self.maximumDepth, &sensitive)
        return hidden(in: data, sensitive)
    }

    mutating func text(of response: ResponseAPDU, to command: CommandAPDU) -> String {
        let data = response.data
        let status = response.status.description
        var sensitive: [(tag: BERTag, value: ArraySlice<UInt8>)] = []
        let isTLV = Self.collect(data, 0..<data.count, Self.maximumDepth, &sensitive)
        let isUnderstood = isTLV && Self.isExpected(data, to: command)
        let hidden = hidden(in: data, sensitive)
        guard isUnderstood || Self.plainInstructions.contains(command.ins) else {
            return String(repeating: "**", count: data.count) + status
        }
        return Self.text(data, hidden) + status
    }

    /// Remembers the sensitive values in `data`, and returns for each byte whether it belongs to one of them or to card
    /// data seen before.
    private mutating func hidden(
        in data: [UInt8], _ sensitive: [(tag: BERTag, value: ArraySlice<UInt8>)]
    ) -> [Bool] {
        for (tag, value) in sensitive { learn(tag, value) }
        var hidden = occurrences(in: data)
        for (_, value) in sensitive {
            for index in value.indices { hidden[index] = true }
        }
        return hidden
    }

    /// Whether the first tag is one that the command returns.
    private static func isExpected(_ data: [UInt8], to command: CommandAPDU) -> Bool {
        var reader = BERTLVReader(0..<data.count)
        guard !data.isEmpty, let tag = try? reader.nextTag(in: data.span) else { return data.isEmpty }
        return switch command.ins {
        case 0xB2: tag == 0x70
        case 0xA8: tag == 0x77 || tag == 0x80
        case 0xCA: tag.rawValue == UInt32(command.p1) << 8 | UInt32(command.p2)
        default: true
        }
    }

    /// Finds the sensitive values at any depth.
    ///
    /// - Returns: whether all of the bytes are BER-TLV.
    private static func collect(
        _ bytes: [UInt8], _ range: Range<Int>, _ depth: Int,
        _ sensitive: inout [(tag: BERTag, value: ArraySlice<UInt8>)]
    ) -> Bool {
        guard depth > 0 else { return false }
        var reader = BERTLVReader(range)
        do throws(BERTLVError) {
            while let object = try reader.next(in: bytes.span) {
                if sensitiveTags.contains(object.tag) {
                    sensitive.append((object.tag, bytes[object.value]))
                } else if object.tag.isConstructed {
                    guard collect(bytes, object.value, depth - 1, &sensitive) else { return false }
                }
            }
        } catch { return false }
        return true
    }

    private mutating func learn(_ tag: BERTag, _ value: ArraySlice<UInt8>) {
        let halves = Self.halves(value)
        switch tag {
        case 0x5A: learnNumber(halves.prefix { $0 <= 9 })
        case 0x57, 0x9F6B:
            learnNumber(halves.prefix { $0 <= 9 })
            // Without the filler.
            if let last = halves.lastIndex(where: { $0 != 0x0F }) { remember(halves[...last]) }
        case 0x56:
            // Format code, PAN in ASCII, separator.
            learnNumber(value.dropFirst().prefix { (0x30...0x39).contains($0) }.map { $0 & 0x0F }[...])
            remember(halves[...])
        case 0x5F24, 0x59:
            // YYMMDD: short, but it is a date, and a DOL may ask for it.
            if halves.count == 6, halves.allSatisfy({ $0 <= 9 }), Set(halves).count > 1 { add(halves) }
        // The PAN in a certificate occurs again only in the same certificate, which is masked by its tag.
        case 0x9F46, 0x9F2D: break
        default: remember(halves[...])
        }
    }

    private mutating func learnNumber(_ digits: ArraySlice<UInt8>) {
        guard digits.count >= 8, Set(digits).count > 1 else { return }
        add(Array(digits))
        add(digits.flatMap { [3, $0] })
    }

    /// Data other than a PAN is masked again only if it is long and varied enough not to match other bytes by accident.
    private mutating func remember(_ halves: ArraySlice<UInt8>) {
        guard halves.count >= 8, Set(halves).count > 2 else { return }
        add(Array(halves))
    }

    private mutating func add(_ pattern: [UInt8]) {
        let isKnown = seen.contains { known in known.halves.withUnsafeBytes { $0.elementsEqual(pattern) } }
        if !isKnown { seen.append(SeenCardData(pattern)) }
    }

    /// Returns for each byte whether a half of it belongs to card data seen before.
    private func occurrences(in data: [UInt8]) -> [Bool] {
        var hidden = Array(repeating: false, count: data.count)
        let halves = Self.halves(data[...])
        for known in seen where known.halves.count <= halves.count {
            known.halves.withUnsafeBytes { pattern in
                for start in 0...(halves.count - pattern.count) {
                    var same = 0
                    while same < pattern.count, halves[start + same] == pattern[same] { same += 1 }
                    guard same == pattern.count else { continue }
                    for index in (start / 2)...((start + pattern.count - 1) / 2) { hidden[index] = true }
                }
            }
        }
        return hidden
    }

    private static func halves(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var halves: [UInt8] = []
        halves.reserveCapacity(2 * bytes.count)
        for byte in bytes {
            halves.append(byte >> 4)
            halves.append(byte & 0x0F)
        }
        return halves
    }

    /// Returns the bytes as hexadecimal digits, with stars for the hidden ones, whose digits are never made.
    private static func text(_ bytes: [UInt8], _ hidden: [Bool]) -> String {
        var digits: [UInt8] = []
        digits.reserveCapacity(2 * bytes.count)
        for (byte, isHidden) in zip(bytes, hidden) {
            digits.append(isHidden ? UInt8(ascii: "*") : digit(byte >> 4))
            digits.append(isHidden ? UInt8(ascii: "*") : digit(byte & 0x0F))
        }
        return String(decoding: digits, as: UTF8.self)
    }

    private static func digit(_ half: UInt8) -> UInt8 {
        half < 10 ? UInt8(ascii: "0") + half : UInt8(ascii: "A") + half - 10
    }
}

/// Card data in a box, so that a list can hold it.
private final class SeenCardData: Sendable {
    /// One half byte a byte.
    let halves: SensitiveBytes

    init(_ halves: [UInt8]) { self.halves = SensitiveBytes(halves) }
}
