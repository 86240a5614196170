import CardSecrets

extension MessageCodec {
    /// Writes a message.
    ///
    /// Values must have the exact length of their fields. With a MAC, the bit of field 64 or 128 is set, and zeros
    /// stand in the field until ``EncodedMessage/seal(with:)`` puts in the MAC of ``EncodedMessage/covered``.
    ///
    /// - Parameters:
    ///   - message: the message.
    ///   - header: what precedes it; nil for the header of the profile.
    ///   - hasMAC: whether a MAC follows.
    /// - Returns: the bytes, without a frame. They may have card data: wipe them after use.
    /// - Throws: ``MessageError``; its offsets are those in the bytes that would have been written.
    public func encode(
        _ message: ISOMessage, header: [UInt8]? = nil, hasMAC: Bool = false
    ) throws(MessageError) -> EncodedMessage {
        var output: [UInt8] = []
        output.reserveCapacity(256 + 3 * message.slots.reduce(0) { $0 + Int($1.count) })
        do throws(MessageError) {
            return try write(message, header ?? self.header.bytes, hasMAC, &output)
        } catch {
            output.wipe()
            throw error
        }
    }

    private func write(
        _ message: ISOMessage, _ header: [UInt8], _ hasMAC: Bool, _ output: inout [UInt8]
    ) throws(MessageError) -> EncodedMessage {
        guard header.count == self.header.count else { throw MessageError(.header, at: 0, .wrongHeader) }
        guard message.type.version == version.digit else {
            throw MessageError(
                .messageType, at: header.count, .wrongVersion(message.type.version, expected: version.digit))
        }
        var set = message.fields
        if hasMAC { insertMAC(into: &set) }
        let hasTertiary = set.words.tertiary != 0
        guard !hasTertiary || encoding.tertiaryBitmap != .none else {
            let first = set.first { $0 > 128 } ?? 129
            throw MessageError(part(first), at: header.count, .unknownField(first))
        }
        if hasTertiary { set.insert(65) }
        if set.words.secondary != 0 || encoding.alwaysSecondaryBitmap { set.insert(1) }
        let last = set.contains(1) ? 128 : 64

        output.append(contentsOf: header)
        append(message.type, to: &output)
        append(word: set.words.primary, to: &output)
        if set.contains(1) { append(word: set.words.secondary, to: &output) }
        if hasTertiary, encoding.tertiaryBitmap == .afterSecondary { append(word: set.words.tertiary, to: &output) }
        set.remove(1)

        var (coverage, mac): (Range<Int>?, (count: Int, isHexadecimal: Bool, page: [UInt8])?)
        var slots = message.slots[...]
        while let field = set.popFirst() {
            if field == 65, hasTertiary {
                if encoding.tertiaryBitmap == .asField65 { append(word: set.words.tertiary, to: &output) }
                continue
            }
            let rule = rules[field]
            guard rule.isDefined else { throw MessageError(part(field), at: output.count, .unknownField(field)) }
            let isMAC = field == last && (rule.form == .raw || rule.form == .hex)
            if hasMAC, isMAC {
                if slots.first.map({ Int($0.field) }) == field { slots.removeFirst() }
                append(length: rule.maximum, rule, to: &output)
                coverage = header.count..<output.count
                mac = (rule.maximum, rule.form == .hex, pages[rule.page.place].bytes)
                output.append(contentsOf: repeatElement(0, count: rule.maximum * (rule.form == .hex ? 2 : 1)))
                continue
            }
            guard let slot = slots.popFirst(), Int(slot.field) == field else { continue }
            let (start, count) = (Int(slot.start), Int(slot.count))
            let problem: MessageProblem? =
                if slot.isSecret {
                    message.secrets[start].bytes.withUnsafeBytes { append($0, rule, to: &output) }
                } else {
                    message.plain.withUnsafeBytes { plain in
                        append(UnsafeRawBufferPointer(rebasing: plain[start..<start + count]), rule, to: &output)
                    }
                }
            if let problem { throw MessageError(part(field), at: output.count, error(problem, field)) }
            if isMAC { coverage = header.count..<output.count - count * (rule.form == .hex ? 2 : 1) }
        }
        return EncodedMessage(bytes: output, macCoverage: coverage, mac: mac)
    }

    /// Adds the field of the MAC, which is the last one of the last bitmap.
    private func insertMAC(into set: inout FieldSet) {
        let hasSecondary =
            set.subtracting(FieldSet([128])).words.secondary != 0 || set.words.tertiary != 0
            || encoding.alwaysSecondaryBitmap
        set.remove(64)
        set.remove(128)
        set.insert(hasSecondary ? 128 : 64)
    }

    private func append(_ type: MessageType, to output: inout [UInt8]) {
        switch encoding.messageType {
        case .bcd: output.append(contentsOf: [UInt8(type.packed >> 8), UInt8(type.packed & 0xFF)])
        case .ascii, .ebcdic:
            let zero: UInt8 = encoding.messageType == .ebcdic ? 0xF0 : 0x30
            for shift in stride(from: 12, through: 0, by: -4) {
                output.append(zero | UInt8(type.packed >> shift & 0xF))
            }
        }
    }

    private func append(word: UInt64, to output: inout [UInt8]) {
        switch encoding.bitmap {
        case .binary:
            for shift in stride(from: 56, through: 0, by: -8) {
                output.append(UInt8(truncatingIfNeeded: word >> shift))
            }
        case .hexAscii, .hexEbcdic:
            let page = pages[encoding.bitmap == .hexAscii ? 0 : 1].bytes
            for shift in stride(from: 60, through: 0, by: -4) {
                output.append(page[Int(UInt8.hexadecimalDigit(UInt8(word >> shift & 0xF)))])
            }
        }
    }

    /// Appends the length of a field; nothing for a fixed one.
    private func append(length count: Int, _ rule: FieldRule, to output: inout [UInt8]) {
        guard rule.lengthDigits > 0 else { return }
        var length = count
        if rule.form == .hex, rule.counts == .digits { length = count * 2 }
        if rule.form == .packed, rule.counts == .bytes { length = (count + 1) / 2 }
        switch rule.lengthEncoding {
        case .ascii, .ebcdic:
            let zero: UInt8 = rule.lengthEncoding == .ebcdic ? 0xF0 : 0x30
            var unit = Self.powersOfTen[rule.lengthDigits - 1]
            while unit > 0 {
                output.append(zero + UInt8(length / unit % 10))
                unit /= 10
            }
        case .bcd:
            for place in (0..<rule.lengthBytes).reversed() {
                let two = length / Self.powersOfTen[2 * place] % 100
                output.append(UInt8((two / 10) << 4 | two % 10))
            }
        case .binary:
            for place in (0..<rule.lengthBytes).reversed() {
                output.append(UInt8(truncatingIfNeeded: length >> (8 * place)))
            }
        }
    }

    private static let powersOfTen = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000]

    /// Appends a field with its length.
    ///
    /// - Returns: why it cannot be written.
    private func append(
        _ value: UnsafeRawBufferPointer, _ rule: FieldRule, to output: inout [UInt8]
    ) -> MessageProblem? {
        if rule.lengthDigits == 0, value.count != rule.maximum { return .length(value.count) }
        if value.count > rule.maximum || value.count < rule.minimum { return .length(value.count) }
        append(length: value.count, rule, to: &output)
        switch rule.form {
        case .raw: output.append(contentsOf: value)
        case .hex:
            let page = pages[rule.page.place].bytes
            for byte in value {
                output.append(page[Int(UInt8.hexadecimalDigit(byte >> 4))])
                output.append(page[Int(UInt8.hexadecimalDigit(byte & 0xF))])
            }
        case .characters: return appendCharacters(value, rule, to: &output)
        case .packed: return appendPacked(value, rule, to: &output)
        case .signedPacked:
            guard let sign = value.first, sign == UInt8(ascii: "C") || sign == UInt8(ascii: "D") else { return .sign }
            output.append(pages[rule.page.place].bytes[Int(sign)])
            return appendPacked(UnsafeRawBufferPointer(rebasing: value.dropFirst()), rule, to: &output)
        }
        return nil
    }

    private func appendCharacters(
        _ value: UnsafeRawBufferPointer, _ rule: FieldRule, to output: inout [UInt8]
    ) -> MessageProblem? {
        var value = value
        let page = pages[rule.page.place].bytes
        if rule.isSigned {
            guard let sign = value.first, sign == UInt8(ascii: "C") || sign == UInt8(ascii: "D") else { return .sign }
            output.append(page[Int(sign)])
            value = UnsafeRawBufferPointer(rebasing: value.dropFirst())
        }
        let kinds = CharacterSet8.ofCharacter
        for character in value {
            guard kinds[Int(character)] & rule.allowed != 0 else { return .character }
            let written = rule.writesLetterD && rule.isTrack && character == UInt8(ascii: "=") ? 0x44 : character
            output.append(rule.isTranslated ? page[Int(written)] : written)
        }
        return nil
    }

    private func appendPacked(
        _ value: UnsafeRawBufferPointer, _ rule: FieldRule, to output: inout [UInt8]
    ) -> MessageProblem? {
        let isOdd = !value.count.isMultiple(of: 2)
        var high: UInt8? = isOdd && rule.odd.side == .left ? rule.odd.digit : nil
        for character in value {
            let digit = character &- 0x30
            guard digit <= (rule.isTrack ? 0xF : 9) else { return .character }
            if let first = high {
                output.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        if let first = high { output.append(first << 4 | rule.odd.digit) }
        return nil
    }

    private func error(_ problem: MessageProblem, _ field: Int) -> MessageRule {
        let rule = rules[field]
        switch problem {
        case .sign: return .noSign
        case .character:
            let attribute = table[field]?.attribute ?? .ans
            return attribute == .n || attribute == .signed ? .notADigit : .wrongCharacter(attribute)
        case .length(let count):
            if rule.lengthDigits == 0 { return .wrongLength(count, expected: rule.maximum) }
            if count > rule.maximum { return .tooLong(count, maximum: rule.maximum) }
            return .tooShort(count, minimum: rule.minimum)
        }
    }
}

/// Why a value cannot be written.
private enum MessageProblem {
    case length(Int)
    case character
    case sign
}
