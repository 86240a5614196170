/// Who runs the terminal, whether somebody attends it, and whether it goes online (tag 9F35, EMV Book 4
/// annex A1).
public struct TerminalType: RawRepresentable, Hashable, Sendable {
    /// Two BCD digits: 11...16, 21...26 or 34...36.
    public let rawValue: UInt8

    public init?(rawValue: UInt8) {
        switch rawValue {
        case 0x11...0x16, 0x21...0x26, 0x34...0x36: self.rawValue = rawValue
        default: return nil
        }
    }

    /// Where the terminal takes its decisions.
    public enum Connectivity: Hashable, Sendable { case onlineOnly, offlineWithOnline, offlineOnly }

    public var connectivity: Connectivity {
        switch rawValue & 0x0F {
        case 1, 4: .onlineOnly
        case 3, 6: .offlineOnly
        default: .offlineWithOnline
        }
    }

    /// Whether somebody of the merchant stands beside the terminal.
    public var isAttended: Bool { rawValue & 0x0F <= 3 }

    /// Unattended, and run by a financial institution: an ATM, when it gives out cash.
    public var isUnattendedAtFinancialInstitution: Bool { (0x14...0x16).contains(rawValue) }

    private init(unchecked rawValue: UInt8) { self.rawValue = rawValue }

    /// 22: attended, merchant, offline with online capability.
    public static let attendedMerchant = TerminalType(unchecked: 0x22)
}
