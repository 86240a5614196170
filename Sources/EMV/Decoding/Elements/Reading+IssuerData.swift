internal import SmartCard

/// What an issuer and its card tell each other.
extension Reading {
    /// Tag 91: an ARPC of method 1 with its response code, or one of method 2 with a card status update
    /// (EMV Book 2 §8.2).
    func issuerAuthenticationData(_ value: inout DecodedValue, _ range: Range<Int>) {
        let start = range.lowerBound
        if range.count == 10, let code = responseCode(bytes[(start + 8)..<range.upperBound]) {
            value.children = [
                part("ARPC, method 1", start..<(start + 8)),
                part("authorisation response code", (start + 8)..<range.upperBound, code),
            ]
        } else {
            value.children = [
                part("ARPC, method 2", start..<(start + 4)), cardStatusUpdate(at: (start + 4)..<(start + 8)),
            ]
            if range.count > 8 {
                value.children.append(freePart("proprietary authentication data", (start + 8)..<range.upperBound))
            }
        }
    }

    func cardStatusUpdate(at range: Range<Int>) -> DecodedValue {
        var update = part("card status update", range, bits: .cardStatusUpdate)
        if range.count != 4 {
            (update.flags, update.problems) = ([], ["the length is 4 by the rules"])
            if CardDataMask.mayHoldAccountNumber(bytes[range]) { update.withhold("it may hold an account number") }
        }
        return update
    }

    /// Tag 9F5B: five bytes a script (EMV Book 4 annex A5).
    func scriptResults(_ value: inout DecodedValue, _ range: Range<Int>) {
        guard range.count.isMultiple(of: 5) else {
            return value.problems.append("not five bytes a script")
        }
        for (index, place) in stride(from: range.lowerBound, to: range.upperBound, by: 5).enumerated() {
            let first = bytes[place]
            let command = first & 0x0F
            let result =
                switch first >> 4 {
                case 0: "not performed"
                case 1: command == 0 ? "failed, at which command is not told" : "failed at command \(command)"
                case 2: "successful"
                default: "reserved result"
                }
            value.children.append(part("script \(index + 1)", place..<(place + 5), result))
        }
    }

    /// Tag 9F10: each payment system has layouts of its own, told apart by brand, length and marks.
    func issuerApplicationData(_ value: inout DecodedValue, _ range: Range<Int>) {
        let start = range.lowerBound
        guard let layout = IssuerApplicationDataLayout(bytes[range], brand: context.brand) else {
            return free(&value, range)
        }
        value.meaning = layout.name
        for field in layout.fields {
            let place = (start + field.range.lowerBound)..<(start + field.range.upperBound)
            let data = bytes[place]
            switch field.content {
            case .keyIndex: value.children.append(part("derivation key index", place, counter(data)))
            case .version(let words): value.children.append(part("cryptogram version number", place, words))
            case .results(let table):
                value.children.append(
                    table.map { part("card verification results", place, bits: $0) }
                        ?? part("card verification results", place))
            case .known(let name): value.children.append(part(name, place))
            case .free(let name): value.children.append(freePart(name, place))
            }
        }
    }
}
