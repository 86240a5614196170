import Money
import SmartCard
import Text

/// The data of a command that answers a data object list of the card, one value behind the other (EMV Book 3 §5.4).
extension Reading {
    /// Adds the values of a command's data: by the stated list, otherwise by a list that most cards have, if the values
    /// fit it.
    ///
    /// - Parameters:
    ///   - whole: the data, as it is shown without a list.
    ///   - range: the place of the values.
    mutating func addRequestedValues(to whole: inout DecodedValue, in range: Range<Int>) {
        guard let list = requestedList else {
            if let values = usualValues(in: range) { show(values, in: range, of: &whole) }
            return
        }
        guard list.filledLength == range.count else {
            return stop(
                at: range.lowerBound,
                "the data object list asks for \(list.filledLength) bytes, and the command has \(range.count)")
        }
        show(values(of: list.entries, from: range.lowerBound), in: range, of: &whole)
    }

    private func show(_ values: [DecodedValue], in range: Range<Int>, of whole: inout DecodedValue) {
        whole.children = values
        // The digits of the whole would reveal a masked value.
        whole.isMasked = values.contains(where: \.isMasked)
        (whole.hex, whole.meaning) = (whole.isMasked ? nil : bytes[range].hexadecimal, nil)
    }

    private mutating func values(of list: [DataObjectList.Entry], from start: Int) -> [DecodedValue] {
        var start = start
        var values: [DecodedValue] = []
        for entry in list {
            values.append(element(entry.tag, start: start, value: start..<(start + entry.length)))
            start += entry.length
        }
        return values
    }

    // MARK: Without a list

    /// What the cryptogram of every payment system covers (EMV Book 2 §8.1.1), up to the unpredictable number, in the
    /// order of most lists.
    private static let usual: [DataObjectList.Entry] = [
        .init(tag: EMVTag.amount, length: 6), .init(tag: EMVTag.amountOther, length: 6),
        .init(tag: EMVTag.terminalCountry, length: 2), .init(tag: EMVTag.verificationResults, length: 5),
        .init(tag: EMVTag.currency, length: 2), .init(tag: EMVTag.date, length: 3),
        .init(tag: EMVTag.transactionType, length: 1),
    ]

    /// Such lists: CDOL1, CDOL2, and a PDOL, which a contactless card may have.
    private static let usualLists: [[DataObjectList.Entry]] = [
        usual, [.init(tag: EMVTag.responseCode, length: 2)] + usual, [.init(tag: 0x9F66, length: 4)] + usual,
    ]

    /// Returns the values of a usual list, and what follows them; nil if the data does not fit. Amounts, codes, and
    /// dates are no account number, although their digits often look like one.
    private mutating func usualValues(in range: Range<Int>) -> [DecodedValue]? {
        for list in Self.usualLists {
            let rest = range.lowerBound + list.reduce(0) { $0 + $1.length }
            // The unpredictable number follows.
            guard rest + 4 <= range.upperBound else { continue }
            var values = values(of: list, from: range.lowerBound)
            guard values.allSatisfy({ fits($0) }) else { continue }
            // A card with another list may ask for its account number here.
            if CardDataMask.mayHoldAccountNumber(bytes[rest..<range.upperBound]) {
                return values + [freePart("unpredictable number and more data", rest..<range.upperBound)]
            }
            values.append(element(EMVTag.unpredictableNumber, start: rest, value: rest..<(rest + 4)))
            if rest + 4 < range.upperBound { values.append(part("more data", (rest + 4)..<range.upperBound)) }
            return values
        }
        return nil
    }

    /// Returns whether a value is one that its element has in practice.
    private func fits(_ value: DecodedValue) -> Bool {
        let content = bytes[value.offset..<(value.offset + value.length)]
        let number = BinaryCodedDecimal.decode(content).map { UInt16(clamping: $0) }
        let isKnown =
            switch value.tag {
            case EMVTag.terminalCountry: number.map { (1...999).contains($0) }
            case EMVTag.currency: number.map { Currency(numericCode: $0) != nil }
            case EMVTag.transactionType: Self.transactionTypes[content.first ?? 0xFF] != nil
            case EMVTag.responseCode: value.meaning != nil
            default: true
            }
        return value.problems.isEmpty && !value.isMasked && isKnown ?? false
    }
}
