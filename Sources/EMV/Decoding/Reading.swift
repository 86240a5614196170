internal import Amounts
internal import SmartCard

/// The bytes that are being decoded, what is known of the whole of them, and the first thing that is wrong.
struct Reading {
    let bytes: [UInt8]
    let context: DecodingContext
    private(set) var problem: DecodingProblem?

    init(_ bytes: [UInt8], brand: CardBrand?) {
        self.bytes = bytes
        context = DecodingContext(bytes, brand: brand)
    }

    /// Notes why the reading ends; what is noted first stays.
    mutating func stop(at offset: Int, _ reason: String) {
        if problem == nil { problem = DecodingProblem(offset: offset, reason: reason) }
    }

    mutating func values(as subject: DecodingSubject) -> [DecodedValue] {
        switch subject {
        case .tlv: return objects(in: 0..<bytes.count)
        case .atr: return answerToReset()
        case .dol:
            let list = list(in: 0..<bytes.count)
            problem = list.problem
            return list.entries
        case .command: return wholeCommand(in: 0..<bytes.count)
        case .response: return response(in: 0..<bytes.count, to: nil).map { [$0] } ?? []
        case .exchange: return exchange()
        case .cardStatusUpdate: return [cardStatusUpdate(at: 0..<bytes.count)]
        case .value(let tag): return [element(tag, start: 0, value: 0..<bytes.count)]
        }
    }

    /// A part of a value that has no tag.
    func part(_ name: String, _ range: Range<Int>, _ meaning: String? = nil) -> DecodedValue {
        DecodedValue(
            name: name, offset: range.lowerBound, length: range.count, hex: bytes[range].hexadecimal, meaning: meaning)
    }

    /// A part whose bits mean something.
    func part(_ name: String, _ range: Range<Int>, bits table: BitTable) -> DecodedValue {
        var value = part(name, range)
        value.flags = table.flags(of: bytes[range])
        return value
    }

    /// A part that may hold whatever its author put there: it is shown unless it looks like an account number.
    func freePart(_ name: String, _ range: Range<Int>) -> DecodedValue {
        var value = part(name, range)
        if CardDataMask.mayHoldAccountNumber(bytes[range]) { value.withhold("it may hold an account number") }
        return value
    }
}

extension DecodedValue {
    /// Leaves the digits of the value out.
    mutating func withhold(_ reason: String) {
        (hex, isMasked) = (nil, true)
        meaning = "not shown: " + reason
    }
}
