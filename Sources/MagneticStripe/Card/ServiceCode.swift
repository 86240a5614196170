/// What a card may be used for, and how: three digits behind the expiry date (ISO/IEC 7813).
public struct ServiceCode: Hashable, Sendable, CustomStringConvertible {
    /// Where the card may be used: the first digit.
    public enum Interchange: Hashable, Sendable {
        case international
        case national
        /// Nowhere but where issuer and acquirer have agreed on it.
        case bilateral
        case test
        /// A digit that the standard keeps for later.
        case reserved
    }

    /// Who authorises: the second digit.
    public enum Authorization: Hashable, Sendable {
        /// By the usual rules.
        case normal
        /// The issuer, online.
        case issuer
        /// The issuer, online, except where issuer and acquirer have agreed otherwise.
        case issuerUnlessAgreed
        case reserved
    }

    /// What may be bought: the third digit.
    public enum Services: Hashable, Sendable {
        case unrestricted
        case goodsAndServices
        case cash
        case atm
        case reserved
    }

    /// Whether a PIN is asked for: the third digit.
    public enum PIN: Hashable, Sendable {
        case notAsked
        /// Where there is a PIN pad.
        case whereFeasible
        case required
    }

    /// 0...999
    public let number: Int

    /// - Returns: nil when the number has more than three digits.
    public init?(_ number: Int) {
        guard (0...999).contains(number) else { return nil }
        self.number = number
    }

    /// Whether the card has a chip, which has to be used where it can be: first digit 2 or 6.
    public var hasChip: Bool { [2, 6].contains(number / 100) }

    public var interchange: Interchange {
        switch number / 100 {
        case 1, 2: .international
        case 5, 6: .national
        case 7: .bilateral
        case 9: .test
        default: .reserved
        }
    }

    public var authorization: Authorization {
        switch number / 10 % 10 {
        case 0: .normal
        case 2: .issuer
        case 4: .issuerUnlessAgreed
        default: .reserved
        }
    }

    public var services: Services {
        switch number % 10 {
        case 0, 1, 6: .unrestricted
        case 2, 5, 7: .goodsAndServices
        case 3: .atm
        case 4: .cash
        default: .reserved
        }
    }

    public var pin: PIN {
        switch number % 10 {
        case 0, 3, 5: .required
        case 6, 7: .whereFeasible
        default: .notAsked
        }
    }

    /// The three digits.
    public var description: String {
        let digits = String(number)
        return String(repeating: "0", count: 3 - digits.count) + digits
    }
}
