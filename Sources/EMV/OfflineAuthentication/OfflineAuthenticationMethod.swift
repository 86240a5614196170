/// How the terminal makes sure, without asking anybody, that the card is genuine (EMV Book 3 §10.3).
public enum OfflineAuthenticationMethod: String, Hashable, Sendable {
    /// Card and terminal have no method in common.
    case none
    /// Static data authentication: the issuer signed the card's data (EMV Book 2 §5).
    case sda
    /// Dynamic data authentication: the card signs a number of the terminal (EMV Book 2 §6.5).
    case dda
    /// Combined data authentication: the card signs its cryptogram (EMV Book 2 §6.6).
    case cda

    /// The strongest method that both can.
    init(card: ApplicationInterchangeProfile, terminal: TerminalCapabilities) {
        self =
            if card.contains(.cda), terminal.contains(.cda) {
                .cda
            } else if card.contains(.dda), terminal.contains(.dda) {
                .dda
            } else if card.contains(.sda), terminal.contains(.sda) {
                .sda
            } else {
                .none
            }
    }

    /// The TVR bit that says that the method failed.
    var failure: TerminalVerificationResults {
        switch self {
        case .none: .offlineDataAuthenticationNotPerformed
        case .sda: .sdaFailed
        case .dda: .ddaFailed
        case .cda: .cdaFailed
        }
    }
}
