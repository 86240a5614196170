internal import SmartCard

extension Reading {
    /// EMV Book 3 §10.5 and annex C3.
    func verificationList(_ value: inout DecodedValue, _ range: Range<Int>) {
        guard let list = CVMList(Array(bytes[range])) else {
            return value.problems.append("not two amounts of four bytes and rules of two")
        }
        let start = range.lowerBound
        for (name, place) in [("amount X", start), ("amount Y", start + 4)] {
            let amount = amount(binary: bytes[place..<(place + 4)], in: context.applicationCurrency)
            value.children.append(part(name, place..<(place + 4), amount))
        }
        for (index, rule) in list.rules.enumerated() {
            let place = start + 8 + index * 2
            let next = rule.continuesOnFailure ? "otherwise the next rule" : "otherwise verification fails"
            value.children.append(
                part(
                    "rule \(index + 1)", place..<(place + 2),
                    "\(Self.words(method: rule.methodByte)), \(Self.words(condition: rule.conditionByte)); \(next)"))
        }
    }

    /// EMV Book 4 annex A4.
    func verificationResults(_ value: inout DecodedValue, _ range: Range<Int>) {
        let start = range.lowerBound
        guard range.count == 3 else { return }
        let results: [UInt8: String] = [
            0: "unknown: signature, online PIN, or nothing performed", 1: "failed", 2: "successful",
        ]
        value.children = [
            part("method", start..<(start + 1), Self.words(method: bytes[start])),
            part("condition", (start + 1)..<(start + 2), Self.words(condition: bytes[start + 1])),
            part("result", (start + 2)..<(start + 3), results[bytes[start + 2]] ?? "reserved"),
        ]
    }

    private static func words(method: UInt8) -> String {
        switch method & 0x3F {
        case 0x00: "fail cardholder verification"
        case 0x01: "plaintext PIN verified by the card"
        case 0x02: "enciphered PIN verified online"
        case 0x03: "plaintext PIN verified by the card, and signature"
        case 0x04: "enciphered PIN verified by the card"
        case 0x05: "enciphered PIN verified by the card, and signature"
        case 0x06: "face verified by the card"
        case 0x07: "face verified online"
        case 0x08: "finger verified by the card"
        case 0x09: "finger verified online"
        case 0x0A: "palm verified by the card"
        case 0x0B: "palm verified online"
        case 0x0C: "iris verified by the card"
        case 0x0D: "iris verified online"
        case 0x0E: "voice verified by the card"
        case 0x0F: "voice verified online"
        case 0x1E: "signature"
        case 0x1F: "no CVM required"
        case 0x20...0x2F: "method of the payment system (\([method & 0x3F].hexadecimal))"
        case 0x30...0x3E: "method of the issuer (\([method & 0x3F].hexadecimal))"
        case 0x3F: "no CVM performed"
        default: "reserved method (\([method & 0x3F].hexadecimal))"
        }
    }

    private static func words(condition: UInt8) -> String {
        switch condition {
        case 0x00: "always"
        case 0x01: "if unattended cash"
        case 0x02: "if neither cash nor cashback"
        case 0x03: "if the terminal supports it"
        case 0x04: "if manual cash"
        case 0x05: "if with cashback"
        case 0x06: "if in the application currency and under X"
        case 0x07: "if in the application currency and over X"
        case 0x08: "if in the application currency and under Y"
        case 0x09: "if in the application currency and over Y"
        case 0x80...0xFF: "by a condition of the payment system (\([condition].hexadecimal))"
        default: "by a reserved condition (\([condition].hexadecimal))"
        }
    }
}
