internal import SmartCard

/// Made-up card data in place of what was masked, with the lengths and the structure of the real one's.
struct CardFilling: Sendable {
    /// One digit a byte, with a right check digit.
    let pan: [UInt8]
    /// YYMMDD, one digit a byte.
    private let expiry: [UInt8]

    private static let longestPAN = 19
    /// A number with only the track's data to tell its length.
    private static let usualPAN = 16

    /// - Parameters:
    ///   - lastFour: what a receipt shows of the number; nil when it is not known.
    ///   - isExpired: whether the card was out of date.
    ///   - exchanges: where the length of the number is found.
    init(lastFour: String?, isExpired: Bool, exchanges: [RecordedExchange]) {
        var count = Self.usualPAN
        search: for exchange in exchanges {
            guard case .answered(let answer, _) = exchange.outcome,
                let value = (try? BERTLV.parse(answer.bytes))?.first(0x5A)?.value, (4...10).contains(value.count)
            else { continue }
            count = min(value.count * 2, Self.longestPAN)
            break search
        }
        // ISO/IEC 7812-1 leaves what begins with 9 to national bodies: nobody's card has such a number.
        var digits: [UInt8] = [9] + [UInt8](repeating: 0, count: count - 5)
        digits += lastFour.map { $0.utf8.map { $0 &- 0x30 } } ?? [0, 0, 0, 0]
        let sum = digits.reversed().enumerated().reduce(0) { sum, entry in
            let doubled = Int(entry.element) * (entry.offset % 2 == 1 ? 2 : 1)
            return sum + doubled / 10 + doubled % 10
        }
        // The fifth digit from the end counts as it is.
        digits[count - 5] = UInt8((10 - (sum - Int(digits[count - 5])) % 10) % 10)
        pan = digits
        expiry = isExpired ? [0, 1, 0, 1, 3, 1] : [4, 9, 1, 2, 3, 1]
    }

    /// The answer without gaps, as a card gives it that supports no offline data authentication.
    func answer(_ answer: MaskedBytes, to command: CommandAPDU) -> [UInt8] {
        var bytes = answer.bytes
        fill(&bytes, answer.isHidden, 0..<bytes.count, depth: 8)
        switch command.ins {
        case CardInstruction.getProcessingOptions.rawValue: return Self.withoutOfflineAuthentication(bytes)
        case CardInstruction.generateAC.rawValue: return Self.withPlainCryptogram(bytes)
        default: return bytes
        }
    }

    private func fill(_ bytes: inout [UInt8], _ isHidden: [Bool], _ range: Range<Int>, depth: Int) {
        guard depth > 0, let objects = Self.objects(bytes, range) else { return }
        for object in objects {
            if object.tag.isConstructed {
                fill(&bytes, isHidden, object.value, depth: depth - 1)
            } else if isHidden[object.value].contains(true) {
                let value = value(of: object.tag, count: object.value.count)
                for (index, byte) in zip(object.value, value) where isHidden[index] { bytes[index] = byte }
            }
        }
    }

    private static func objects(_ bytes: [UInt8], _ range: Range<Int>) -> [BERTLVReader.Object]? {
        var reader = BERTLVReader(range)
        var objects: [BERTLVReader.Object] = []
        do throws(BERTLVError) {
            while let object = try reader.next(in: bytes.span) { objects.append(object) }
        } catch { return nil }
        return objects
    }

    private func value(of tag: BERTag, count: Int) -> [UInt8] {
        switch tag {
        case 0x5A: Self.padded(TestPAN.pack(pan), count, 0xFF)
        case 0x57, 0x9F6B:
            // Number, separator, YYMM, service code, and zeros for what follows.
            Self.padded(
                TestPAN.pack(pan + [0x0D] + expiry.prefix(4) + [2, 0, 1] + (pan.count % 2 == 0 ? [] : [0])), count, 0)
        case 0x5F24, 0x59: Self.padded(TestPAN.pack(expiry), count, 0)
        case 0x5F20, 0x9F0B: Self.padded(Array("TEST/CARD".utf8), count, UInt8(ascii: " "))
        case 0x9F1F: [UInt8](repeating: UInt8(ascii: "0"), count: count)
        default: [UInt8](repeating: 0, count: count)
        }
    }

    private static func padded(_ bytes: [UInt8], _ count: Int, _ filler: UInt8) -> [UInt8] {
        Array(bytes.prefix(count)) + [UInt8](repeating: filler, count: max(0, count - bytes.count))
    }

    /// SDA, DDA and CDA in the first byte of tag 82.
    private static let offlineAuthentication: UInt8 = 0x61

    /// The certificates are masked, so that nothing can be verified with them.
    private static func withoutOfflineAuthentication(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        guard let template = objects(bytes, 0..<bytes.count)?.first else { return bytes }
        let inner =
            template.tag == 0x77 ? objects(bytes, template.value)?.first { $0.tag == 0x82 }?.value : template.value
        if let place = inner?.first { bytes[place] &= ~offlineAuthentication }
        return bytes
    }

    /// A cryptogram that was inside a signature (CDA) stands for itself.
    private static func withPlainCryptogram(_ bytes: [UInt8]) -> [UInt8] {
        guard let template = try? BERTLV.parse(bytes).first, template.tag == 0x77,
            template.children.first(0x9F26) == nil
        else { return bytes }
        let children = template.children.filter { $0.tag != 0x9F4B } + [BERTLV(0x9F26, [UInt8](repeating: 0, count: 8))]
        return BERTLV(0x77, children: children).encoded
    }
}
