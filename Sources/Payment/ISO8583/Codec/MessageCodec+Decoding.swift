import CardSecrets
import Text

extension MessageCodec {
    /// Reads one whole message with its header.
    ///
    /// - Parameters:
    ///   - bytes: the content of a frame.
    ///   - showsPlaces: whether the result has the places of the fields.
    /// - Returns: the message.
    /// - Throws: ``MessageError``
    public func decode(_ bytes: [UInt8], showsPlaces: Bool = false) throws(MessageError) -> DecodedMessage {
        try decode(bytes.span, showsPlaces: showsPlaces)
    }

    /// Reads one whole message with its header.
    public func decode(_ bytes: Span<UInt8>, showsPlaces: Bool = false) throws(MessageError) -> DecodedMessage {
        var position = header.count
        guard bytes.count >= position else {
            throw MessageError(.header, at: bytes.count, .truncated(missing: position - bytes.count))
        }
        guard position == 0 || header.accepts(bytes.extracting(0..<position)) else {
            throw MessageError(.header, at: 0, .wrongHeader)
        }
        let type = try messageType(bytes, &position)
        var result = DecodedMessage(message: ISOMessage(type))
        if position > 0 { result.header = (0..<header.count).map { bytes[$0] } }
        result.message.reserve(bytes.count)
        var set = try bitmaps(bytes, &position)
        var scratch = SecretScratch()
        defer { scratch.bytes.wipe() }
        let last = set.words.secondary != 0 || set.contains(1) ? 128 : 64
        set.remove(1)
        if encoding.tertiaryBitmap == .afterSecondary { set.remove(65) }
        while let field = set.popFirst() {
            let start = position
            if field == 65, encoding.tertiaryBitmap == .asField65 {
                set.words.tertiary = try bitmapWord(3, bytes, &position)
                if showsPlaces {
                    result.places.append(FieldPlace(field: 65, offset: start, count: position - start))
                }
                continue
            }
            let rule = rules[field]
            guard rule.isDefined else { throw MessageError(part(field), at: start, .unknownField(field)) }
            let count = try length(of: field, rule, bytes, &position)
            if field == last, rule.form == .raw || rule.form == .hex {
                result.macCoverage = header.count..<position
            }
            if rule.isSecret {
                scratch.reserve(2 * count + 1)
                try value(of: field, rule, count, bytes, &position, &scratch.bytes)
                result.message.append(field, secret: scratch.take())
            } else {
                try result.message.append(field) { (plain) throws(MessageError) in
                    try value(of: field, rule, count, bytes, &position, &plain)
                }
            }
            if showsPlaces {
                result.places.append(FieldPlace(field: field, offset: start, count: position - start))
            }
        }
        guard position == bytes.count else {
            throw MessageError(.end, at: position, .leftOver(bytes.count - position))
        }
        return result
    }

    private func messageType(_ bytes: Span<UInt8>, _ position: inout Int) throws(MessageError) -> MessageType {
        let start = position
        let count = encoding.messageType == .bcd ? 2 : 4
        guard bytes.count - start >= count else {
            throw MessageError(.messageType, at: start, .truncated(missing: count - (bytes.count - start)))
        }
        var packed: UInt16 = 0
        if encoding.messageType == .bcd {
            packed = UInt16(bytes[start]) << 8 | UInt16(bytes[start + 1])
        } else {
            let zero: UInt8 = encoding.messageType == .ebcdic ? 0xF0 : 0x30
            for place in start..<start + 4 {
                let digit = bytes[place] &- zero
                guard digit <= 9 else { throw MessageError(.messageType, at: place, .notADigit) }
                packed = packed << 4 | UInt16(digit)
            }
        }
        guard let type = MessageType(packed: packed) else {
            throw MessageError(.messageType, at: start, .noMessageType)
        }
        guard type.version == version.digit else {
            throw MessageError(.messageType, at: start, .wrongVersion(type.version, expected: version.digit))
        }
        position += count
        return type
    }

    /// Reads the primary bitmap and those that it announces at once.
    private func bitmaps(_ bytes: Span<UInt8>, _ position: inout Int) throws(MessageError) -> FieldSet {
        var set = FieldSet()
        set.words.primary = try bitmapWord(1, bytes, &position)
        if set.contains(1) { set.words.secondary = try bitmapWord(2, bytes, &position) }
        if set.contains(65), encoding.tertiaryBitmap == .afterSecondary {
            set.words.tertiary = try bitmapWord(3, bytes, &position)
        }
        return set
    }

    private func bitmapWord(
        _ number: Int, _ bytes: Span<UInt8>, _ position: inout Int
    ) throws(MessageError) -> UInt64 {
        let start = position
        let count = encoding.bitmap == .binary ? 8 : 16
        guard bytes.count - start >= count else {
            throw MessageError(.bitmap(number), at: start, .truncated(missing: count - (bytes.count - start)))
        }
        position += count
        var word: UInt64 = 0
        switch encoding.bitmap {
        case .binary:
            for place in start..<position { word = word << 8 | UInt64(bytes[place]) }
        case .hexAscii, .hexEbcdic:
            let page = pages[encoding.bitmap == .hexAscii ? 0 : 1].characters
            for place in start..<position {
                guard let digit = UInt8(hexadecimalDigit: page[Int(bytes[place])]) else {
                    throw MessageError(.bitmap(number), at: place, .notHexadecimal)
                }
                word = word << 4 | UInt64(digit)
            }
        }
        return word
    }

    /// Reads the length of a field, and checks it.
    ///
    /// - Returns: the length in digits, characters, or bytes of the value; for digits whose length counts bytes, twice
    ///   the bytes.
    private func length(
        of field: Int, _ rule: FieldRule, _ bytes: Span<UInt8>, _ position: inout Int
    ) throws(MessageError) -> Int {
        guard rule.lengthDigits > 0 else { return rule.maximum }
        let start = position
        let count = rule.lengthBytes
        guard bytes.count - start >= count else {
            throw MessageError(part(field), at: start, .truncated(missing: count - (bytes.count - start)))
        }
        position += count
        var length = 0
        switch rule.lengthEncoding {
        case .ascii, .ebcdic:
            let zero: UInt8 = rule.lengthEncoding == .ebcdic ? 0xF0 : 0x30
            for place in start..<position {
                let digit = bytes[place] &- zero
                guard digit <= 9 else { throw MessageError(part(field), at: place, .lengthIsNoNumber) }
                length = length * 10 + Int(digit)
            }
        case .bcd:
            for place in start..<position {
                let (high, low) = (bytes[place] >> 4, bytes[place] & 0xF)
                guard high <= 9, low <= 9 else { throw MessageError(part(field), at: place, .lengthIsNoNumber) }
                length = length * 100 + Int(high * 10 + low)
            }
        case .binary:
            for place in start..<position { length = length << 8 | Int(bytes[place]) }
        }
        guard length <= rule.longestLength else {
            throw MessageError(part(field), at: start, .tooLong(length, maximum: rule.longestLength))
        }
        if rule.form == .hex, rule.counts == .digits {
            guard length.isMultiple(of: 2) else { throw MessageError(part(field), at: start, .oddLength(length)) }
            length /= 2
        }
        if rule.form == .packed, rule.counts == .bytes { length *= 2 }
        guard length >= rule.minimum else {
            throw MessageError(part(field), at: start, .tooShort(length, minimum: rule.minimum))
        }
        return length
    }

    /// Reads the value of a field and appends its characters or bytes.
    private func value(
        of field: Int, _ rule: FieldRule, _ count: Int, _ bytes: Span<UInt8>, _ position: inout Int,
        _ value: inout [UInt8]
    ) throws(MessageError) {
        let start = position
        let size =
            switch rule.form {
            case .characters, .raw: count
            case .packed: (count + 1) / 2
            case .hex: count * 2
            case .signedPacked: 1 + count / 2
            }
        guard bytes.count - start >= size else {
            throw MessageError(part(field), at: start, .truncated(missing: size - (bytes.count - start)))
        }
        position += size
        switch rule.form {
        case .raw: for place in start..<position { value.append(bytes[place]) }
        case .hex:
            let page = pages[rule.page.place].characters
            var place = start
            while place < position {
                guard let high = UInt8(hexadecimalDigit: page[Int(bytes[place])]) else {
                    throw MessageError(part(field), at: place, .notHexadecimal)
                }
                guard let low = UInt8(hexadecimalDigit: page[Int(bytes[place + 1])]) else {
                    throw MessageError(part(field), at: place + 1, .notHexadecimal)
                }
                value.append(high << 4 | low)
                place += 2
            }
        case .characters: try characters(field, rule, bytes, start, position, &value)
        case .packed: try packed(field, rule, count, bytes, start, &value)
        case .signedPacked:
            value.append(try sign(field, pages[rule.page.place].characters[Int(bytes[start])], at: start))
            try packed(field, rule, count - 1, bytes, start + 1, &value)
        }
    }

    private func characters(
        _ field: Int, _ rule: FieldRule, _ bytes: Span<UInt8>, _ start: Int, _ end: Int, _ value: inout [UInt8]
    ) throws(MessageError) {
        var start = start
        if rule.isSigned, start < end {
            value.append(try sign(field, pages[rule.page.place].characters[Int(bytes[start])], at: start))
            start += 1
        }
        let kinds = CharacterSet8.ofCharacter
        let page = pages[rule.page.place].characters
        for place in start..<end {
            var character = bytes[place]
            if rule.isTranslated { character = page[Int(character)] }
            if kinds[Int(character)] & rule.allowed == 0 {
                guard rule.isTrack, character == UInt8(ascii: "D") else {
                    throw MessageError(part(field), at: place, wrong(rule, field))
                }
                character = UInt8(ascii: "=")
            }
            value.append(character)
        }
    }

    private func wrong(_ rule: FieldRule, _ field: Int) -> MessageRule {
        let attribute = table[field]?.attribute ?? .ans
        return attribute == .n || attribute == .signed ? .notADigit : .wrongCharacter(attribute)
    }

    private func sign(_ field: Int, _ character: UInt8, at offset: Int) throws(MessageError) -> UInt8 {
        guard character == UInt8(ascii: "C") || character == UInt8(ascii: "D") else {
            throw MessageError(part(field), at: offset, .noSign)
        }
        return character
    }

    /// Reads packed digits. The half byte that fills an odd number of them must be the right one.
    private func packed(
        _ field: Int, _ rule: FieldRule, _ count: Int, _ bytes: Span<UInt8>, _ start: Int, _ value: inout [UInt8]
    ) throws(MessageError) {
        var (first, end) = (0, count)
        let size = (count + 1) / 2
        if !count.isMultiple(of: 2) {
            let pad = rule.odd.side == .left ? bytes[start] >> 4 : bytes[start + size - 1] & 0xF
            guard pad == rule.odd.digit else {
                let place = rule.odd.side == .left ? start : start + size - 1
                throw MessageError(part(field), at: place, .wrongPad(pad, expected: rule.odd.digit))
            }
            if rule.odd.side == .left { (first, end) = (1, count + 1) }
        } else if rule.counts == .bytes, rule.lengthDigits > 0, rule.odd.digit > 9, count > 0 {
            // The length does not tell whether there is a pad, but the pad is no digit.
            if rule.odd.side == .right, bytes[start + size - 1] & 0xF == rule.odd.digit { end -= 1 }
            if rule.odd.side == .left, bytes[start] >> 4 == rule.odd.digit { first += 1 }
        }
        for place in first..<end {
            let byte = bytes[start + place / 2]
            let digit = place.isMultiple(of: 2) ? byte >> 4 : byte & 0xF
            guard digit <= 9 || rule.isTrack else {
                throw MessageError(part(field), at: start + place / 2, .notADigit)
            }
            // The half bytes A to F of a track are the characters `:;<=>?`, so that D is the separator.
            value.append(0x30 + digit)
        }
    }
}

/// Memory for a secret that is being decoded, which is wiped before anything else gets it.
private struct SecretScratch {
    var bytes: [UInt8] = []

    /// Makes room before anything secret is in the memory, so that no unwiped copy is left behind.
    mutating func reserve(_ count: Int) {
        bytes.wipe()
        bytes.removeAll(keepingCapacity: true)
        bytes.reserveCapacity(count)
    }

    mutating func take() -> SecretValue {
        let secret = SecretValue(
            SensitiveBytes(count: bytes.count) { memory in
                bytes.withUnsafeBytes { memory.copyMemory(from: $0) }
            })
        bytes.wipe()
        bytes.removeAll(keepingCapacity: true)
        return secret
    }
}

extension FieldSet {
    /// Removes the lowest field, and returns it.
    mutating func popFirst() -> Int? {
        if words.primary != 0 {
            let zeros = words.primary.leadingZeroBitCount
            words.primary &= ~(1 << UInt64(63 - zeros))
            return zeros + 1
        }
        if words.secondary != 0 {
            let zeros = words.secondary.leadingZeroBitCount
            words.secondary &= ~(1 << UInt64(63 - zeros))
            return zeros + 65
        }
        guard words.tertiary != 0 else { return nil }
        let zeros = words.tertiary.leadingZeroBitCount
        words.tertiary &= ~(1 << UInt64(63 - zeros))
        return zeros + 129
    }
}
