public import Terminal

extension TerminalFailure {
    /// The failure that a payment's error code of the journal tells, such as `card_removed`.
    ///
    /// - Parameter code: `Payment.errorCode`.
    public init(errorCode code: String?) {
        self =
            switch code {
            case "card_removed": .cardRemoved
            case "card_not_read", "swipe_not_read", "chip_card_swiped", "card_timeout": .cardUnreadable
            case "host_failed", "host_unreachable", "host_timeout": .hostUnreachable
            case "reader_failed", "reader_unplugged", "reader_not_found", "no_reader": .readerDefective
            default: .internalError
            }
    }
}
