/// How a family of receipt printers is asked how it is, and whether it is done.
protocol PrinterDialogue: Sendable {
    /// Nil when the printer does not answer.
    func condition(_ conversation: inout PrinterConversation) async throws(PrinterLinkError) -> PrinterCondition?

    /// What the printer calls itself; nil when it does not say.
    func model(_ conversation: inout PrinterConversation) async throws(PrinterLinkError) -> String?

    /// What is to be sent behind a document to hear of its end; nil when the printer cannot tell.
    func mark(_ conversation: inout PrinterConversation) async throws(PrinterLinkError) -> PrinterMark?
}

extension PrinterFamily {
    var dialogue: any PrinterDialogue {
        switch self {
        case .epson: EpsonDialogue()
        case .star: StarDialogue()
        }
    }
}
