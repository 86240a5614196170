/// How the transaction was decided, in two characters (tag 8A; EMV Book 4 annex A6; ISO 8583 DE 39).
public struct AuthorisationResponseCode: Hashable, Sendable, CustomStringConvertible {
    /// Two ASCII letters or digits.
    public let bytes: [UInt8]

    /// - Returns: nil when `bytes` are not two ASCII letters or digits.
    public init?(bytes: [UInt8]) {
        let isAlphanumeric = bytes.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        }
        guard bytes.count == 2, isAlphanumeric else { return nil }
        self.bytes = bytes
    }

    private init(letter: Character, digit: Character) {
        bytes = Array("\(letter)\(digit)".utf8)
    }

    public static let offlineApproved = Self(letter: "Y", digit: "1")
    public static let offlineDeclined = Self(letter: "Z", digit: "1")
    public static let unableToGoOnlineApproved = Self(letter: "Y", digit: "3")
    public static let unableToGoOnlineDeclined = Self(letter: "Z", digit: "3")

    /// What an issuer's code means to the terminal.
    public enum Meaning: Hashable, Sendable { case approval, referral, decline }

    /// 00, 10 and 11 approve, 01 and 02 refer to the issuer by telephone, every other one declines.
    public var meaning: Meaning {
        switch description {
        case "00", "10", "11": .approval
        case "01", "02": .referral
        default: .decline
        }
    }

    public var description: String { String(decoding: bytes, as: UTF8.self) }
}
