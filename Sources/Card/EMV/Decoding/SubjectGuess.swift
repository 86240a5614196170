import SmartCard

/// Guesses the kind of data from its content.
enum SubjectGuess {
    /// - Returns: nil if the bytes match no known format.
    static func subject(of bytes: [UInt8]) -> DecodingSubject? {
        guard let first = bytes.first else { return nil }
        if isResponse(bytes, 0..<bytes.count) { return .response }
        // A data object list can also be parsed as nested data objects, which real data rarely is.
        if isList(bytes) { return .dol }
        if isTLV(bytes) { return .tlv }
        if first == 0x3B || first == 0x3F, (try? ATR(bytes)) != nil { return .atr }
        if isCommand(bytes) { return .command }
        if commandLength(of: bytes) != nil { return .exchange }
        if first == 0x3B || first == 0x3F { return .atr }
        // No length of a data object starts with such a byte.
        if hasKnownHeader(bytes), bytes[1] > 0x83 { return .command }
        return beginsWithKnownTag(bytes, 0..<bytes.count) ? .tlv : nil
    }

    /// Returns the length of a command at the start if the rest looks like its response.
    static func commandLength(of bytes: [UInt8]) -> Int? {
        guard hasKnownHeader(bytes), bytes.count > 6 else { return nil }
        let data = 5 + Int(bytes[4])
        // With data and Le; with data; without data and with Le. The longest match is the most likely.
        let fitting = [data + 1, data, 5].filter { length in
            length < bytes.count && (try? CommandAPDU(bytes: Array(bytes[..<length]))) != nil
        }
        return fitting.first { isResponse(bytes, $0..<bytes.count) }
            ?? fitting.first { endsWithStatusWord(bytes, $0..<bytes.count) }
    }

    private static func isCommand(_ bytes: [UInt8]) -> Bool {
        hasKnownHeader(bytes) && (try? CommandAPDU(bytes: bytes)) != nil
    }

    private static func hasKnownHeader(_ bytes: [UInt8]) -> Bool {
        bytes.count >= 4 && EMVInstruction(class: bytes[0], code: bytes[1]) != nil
    }

    /// Returns whether the bytes are a status word, alone or after one known data object.
    private static func isResponse(_ bytes: [UInt8], _ range: Range<Int>) -> Bool {
        guard endsWithStatusWord(bytes, range) else { return false }
        guard range.count > 2 else { return true }
        let data = range.lowerBound..<(range.upperBound - 2)
        var reader = BERTLVReader(data)
        guard let object = try? reader.next(in: bytes.span), object.value.upperBound == data.upperBound else {
            return false
        }
        return DataElement.described(object.tag) != nil
    }

    private static func endsWithStatusWord(_ bytes: [UInt8], _ range: Range<Int>) -> Bool {
        guard range.count >= 2 else { return false }
        let (sw1, sw2) = (bytes[range.upperBound - 2], bytes[range.upperBound - 1])
        return sw1 == 0x90 && sw2 == 0 || range.count == 2 && ((0x61...0x6E).contains(sw1) || sw1 == 0x6F && sw2 == 0)
            || sw1 == 0x62 || sw1 == 0x63
    }

    private static func isTLV(_ bytes: [UInt8]) -> Bool {
        guard bytes.first != 0, beginsWithKnownTag(bytes, 0..<bytes.count) else { return false }
        var reader = BERTLVReader(0..<bytes.count)
        do throws(BERTLVError) {
            while let object = try reader.next(in: bytes.span) {
                // Proprietary tags occur beside known ones, not alone.
                guard !object.tag.isConstructed || areObjects(bytes, object.value) else { return false }
            }
            return true
        } catch { return false }
    }

    private static func areObjects(_ bytes: [UInt8], _ range: Range<Int>) -> Bool {
        var reader = BERTLVReader(range)
        do throws(BERTLVError) {
            while try reader.next(in: bytes.span) != nil {}
            return true
        } catch { return false }
    }

    private static func beginsWithKnownTag(_ bytes: [UInt8], _ range: Range<Int>) -> Bool {
        var reader = BERTLVReader(range)
        guard let tag = try? reader.nextTag(in: bytes.span) else { return false }
        return DataElement.described(tag) != nil
    }

    /// Returns whether the bytes are at least two known tags, each with a valid length.
    private static func isList(_ bytes: [UInt8]) -> Bool {
        guard let list = try? DataObjectList(bytes), list.entries.count >= 2 else { return false }
        return list.entries.allSatisfy { entry in
            DataElement.described(entry.tag)?.lengths.contains(entry.length) ?? false
        }
    }
}
