import Money
import SmartCard
import Text

/// The decoder's state: the input, its context, and the first problem.
struct Reading {
    let bytes: [UInt8]
    let context: EMVDecodingContext
    /// The list that the command's data answers; nil if it is not known.
    let requestedList: DataObjectList?
    private(set) var problem: DecodingProblem?

    init(_ bytes: [UInt8], brand: CardBrand?, requestedList: DataObjectList? = nil) {
        (self.bytes, self.requestedList) = (bytes, requestedList)
        context = EMVDecodingContext(bytes, brand: brand, answering: requestedList)
    }

    /// Records the problem that stops decoding. The first one is kept.
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

    /// Returns a part of a value without a tag.
    func part(_ name: String, _ range: Range<Int>, _ meaning: String? = nil) -> DecodedValue {
        DecodedValue(
            name: name, offset: range.lowerBound, length: range.count, hex: bytes[range].hexadecimal, meaning: meaning)
    }

    /// Returns a part with named bits.
    func part(_ name: String, _ range: Range<Int>, bits table: BitTable) -> DecodedValue {
        var value = part(name, range)
        value.flags = table.flags(of: bytes[range])
        return value
    }

    /// Returns a part with arbitrary content, withheld if it may contain an account number.
    func freePart(_ name: String, _ range: Range<Int>) -> DecodedValue {
        var value = part(name, range)
        if CardDataMask.mayHoldAccountNumber(bytes[range]) { value.withhold("it may hold an account number") }
        return value
    }
}

extension DecodedValue {
    /// Removes the digits of the value.
    mutating func withhold(_ reason: String) {
        (hex, isMasked) = (nil, true)
        meaning = "not shown: " + reason
    }
}
