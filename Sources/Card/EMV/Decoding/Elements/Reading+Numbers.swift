import Money
import SmartCard

extension Reading {
    func amount(decimal value: ArraySlice<UInt8>, in currency: Currency?) -> String? {
        BinaryCodedDecimal.decode(value).flatMap { amount($0, in: currency) }
    }

    func amount(binary value: ArraySlice<UInt8>, in currency: Currency?) -> String? {
        value.count <= 4 ? amount(value.reduce(0) { $0 << 8 | UInt64($1) }, in: currency) : nil
    }

    private func amount(_ number: UInt64, in currency: Currency?) -> String? {
        guard let currency, let units = Int64(exactly: number),
            let money = try? Money(minorUnits: units, currency: currency)
        else { return "\(number) minor units" }
        return money.description
    }

    func currency(_ value: ArraySlice<UInt8>) -> String {
        let number = BinaryCodedDecimal.decode(value) ?? 0
        guard number <= 999, let currency = Currency(numericCode: UInt16(number)) else {
            return "no currency of ISO 4217"
        }
        let decimals = currency.exponent
        return "\(currency.code), " + (decimals == 0 ? "no decimals" : "\(decimals) decimals")
    }

    func currencies(_ value: ArraySlice<UInt8>) -> String {
        stride(from: value.startIndex, to: value.endIndex - 1, by: 2).map { currency(value[$0...($0 + 1)]) }
            .joined(separator: "; ")
    }

    func country(_ value: ArraySlice<UInt8>) -> String {
        CountryCode.text(UInt16(clamping: BinaryCodedDecimal.decode(value) ?? 0))
    }

    func date(_ value: ArraySlice<UInt8>, _ problems: inout [String]) -> String? {
        guard let date = EMVDate(bytes: Array(value)) else {
            problems.append("not a valid date")
            return nil
        }
        return "\(date.year)-" + twoDigits(date.month) + "-" + twoDigits(date.day)
    }

    func time(_ value: ArraySlice<UInt8>, _ problems: inout [String]) -> String? {
        let number = Int(BinaryCodedDecimal.decode(value) ?? .max >> 1)
        let (hour, minute, second) = (number / 10_000, number / 100 % 100, number % 100)
        guard hour <= 23, minute <= 59, second <= 59 else {
            problems.append("not a valid time")
            return nil
        }
        return twoDigits(hour) + ":" + twoDigits(minute) + ":" + twoDigits(second)
    }

    private func twoDigits(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }

    func counter(_ value: ArraySlice<UInt8>) -> String? {
        value.count <= 4 ? String(value.reduce(0) { $0 << 8 | Int($1) }) : nil
    }

    /// EMV Book 4 annex A1.
    func terminalType(_ value: ArraySlice<UInt8>, _ problems: inout [String]) -> String? {
        guard let type = value.first.flatMap({ TerminalType(rawValue: $0) }) else {
            problems.append("not a terminal type")
            return nil
        }
        let connectivity =
            switch type.connectivity {
            case .onlineOnly: "online only"
            case .offlineWithOnline: "offline with online capability"
            case .offlineOnly: "offline only"
            }
        let operators: [UInt8: String] = [1: "financial institution", 2: "merchant", 3: "cardholder"]
        return (type.isAttended ? "attended" : "unattended") + ", \(connectivity), run by the "
            + (operators[type.rawValue >> 4] ?? "")
    }

    /// EMV Book 4 annex A6; ISO 8583 DE 39.
    func responseCode(_ value: ArraySlice<UInt8>) -> String? {
        guard let code = AuthorizationResponseCode(bytes: Array(value)) else { return nil }
        let words =
            switch code.description {
            case "Y1": "offline approved"
            case "Z1": "offline declined"
            case "Y2": "approved after a referral by the card"
            case "Z2": "declined after a referral by the card"
            case "Y3": "unable to go online, offline approved"
            case "Z3": "unable to go online, offline declined"
            default:
                switch code.meaning {
                case .approval: "approved by the issuer"
                case .referral: "refer to the issuer"
                case .decline: "declined by the issuer"
                }
            }
        return "\(code): \(words)"
    }

    func languages(_ value: ArraySlice<UInt8>) -> String? {
        guard let text = printable(value) else { return nil }
        let codes = stride(from: 0, to: text.count, by: 2).map { text.dropFirst($0).prefix(2) }
        return codes.joined(separator: ", ")
    }

    /// Contactless Book B §3.3.2.5; the low bits of the first byte are the kernel's number.
    func kernelIdentifier(_ value: ArraySlice<UInt8>) -> String? {
        let kernels: [UInt8: String] = [
            1: "JCB or Visa, legacy", 2: "Mastercard", 3: "Visa", 4: "American Express", 5: "JCB", 6: "Discover",
            7: "UnionPay", 8: "EMV common kernel",
        ]
        return value.first.map { first in
            let number = first & 0x3F
            return first >> 6 == 0
                ? "kernel \(number)" + (kernels[number].map { ": " + $0 } ?? "") : "kernel \(number), domestic"
        }
    }

    /// EMV Book 3 annex D.
    func logEntry(_ value: ArraySlice<UInt8>) -> String? {
        guard value.count == 2, let file = value.first, let records = value.last else { return nil }
        return "file \(file), \(records) records"
    }

    /// ISO 8583:1987 DE 3, first two digits.
    static let transactionTypes: [UInt8: String] = [
        0x00: "purchase", 0x01: "cash", 0x09: "purchase with cashback", 0x17: "cash disbursement", 0x20: "refund",
        0x21: "deposit", 0x30: "available funds inquiry", 0x31: "balance inquiry", 0x40: "transfer", 0x50: "payment",
    ]

    /// ISO 8583:1987 DE 22, first two digits.
    static let entryModes: [UInt8: String] = [
        0x00: "unknown", 0x01: "keyed", 0x02: "magnetic stripe", 0x03: "bar code", 0x04: "optical characters",
        0x05: "chip", 0x07: "contactless chip", 0x10: "credentials on file",
        0x80: "magnetic stripe instead of the chip",
        0x90: "magnetic stripe, whole track", 0x91: "contactless magnetic stripe mode",
        0x95: "chip, CVV may not be checked", 0x99: "as in the original transaction",
    ]

    /// EMV Book 3 annex G.
    static let accountTypes: [UInt8: String] = [
        0x00: "default account", 0x10: "savings", 0x20: "cheque or debit", 0x30: "credit",
    ]
}
