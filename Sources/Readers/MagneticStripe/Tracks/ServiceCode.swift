import Text

/// The service code of a card: three digits after the expiration date (ISO/IEC 7813).
public struct ServiceCode: Hashable, Sendable, CustomStringConvertible {
    /// The area in which the card is valid: the first digit.
    public enum Interchange: Hashable, Sendable {
        case international
        case national
        /// Only under a bilateral agreement of issuer and acquirer.
        case bilateral
        case test
        /// Reserved by the standard.
        case reserved
    }

    /// The authorization processing: the second digit.
    public enum Authorization: Hashable, Sendable {
        /// By the usual rules.
        case normal
        /// The issuer, online.
        case issuer
        /// The issuer, online, except under a bilateral agreement.
        case issuerUnlessAgreed
        case reserved
    }

    /// The allowed services: the third digit.
    public enum Services: Hashable, Sendable {
        case unrestricted
        case goodsAndServices
        case cash
        case atm
        case reserved
    }

    /// The PIN requirement: the third digit.
    public enum PIN: Hashable, Sendable {
        case notAsked
        /// A PIN is required if there is a PIN pad.
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

    /// Whether the card has a chip, which must be used where possible: first digit 2 or 6.
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
        number.zeroPadded(to: 3)
    }
}
