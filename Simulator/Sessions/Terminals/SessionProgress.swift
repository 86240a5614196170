public import Terminal

extension SessionEvent {
    /// The steps of a payment that a till can be shown for this event, in order.
    public var terminalSteps: [TerminalProgress] {
        switch (kind, detail) {
        case (.cardInserted, _), (.cardSwiped, _): [.cardPresented]
        case (.kernel, "choosing_application"): [.choosingApplication]
        case (.kernel, "entering_pin"): [.enteringPIN]
        case (.kernel, "entering_pin again"): [.wrongPIN, .enteringPIN]
        case (.authorizing, _): [.authorizing]
        case (.host, "authorize unanswered"): [.recovering]
        case (.removeCard, _): [.removingCard]
        default: []
        }
    }
}
