/// A message to people: a text, the same as a page where there is one, and files.
public struct MailMessage: Hashable, Sendable {
    public var from: Mailbox
    public var to: [Mailbox]
    public var subject: String
    /// What every mail program can show.
    public var text: String
    /// The same in HTML; nil for none.
    public var page: String?
    public var attachments: [MailAttachment]

    public init(
        from: Mailbox, to: [Mailbox], subject: String, text: String, page: String? = nil,
        attachments: [MailAttachment] = []
    ) {
        (self.from, self.to, self.subject) = (from, to, subject)
        (self.text, self.page, self.attachments) = (text, page, attachments)
    }
}
