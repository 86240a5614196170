public import Determinism
import Text

/// A message: a plain text, optionally the same as HTML, and attachments.
public struct MailMessage: Hashable, Sendable {
    public var from: Mailbox
    public var to: [Mailbox]
    public var subject: String
    /// The plain text, for every mail program.
    public var text: String
    /// The same in HTML; nil for none.
    public var page: String?
    public var attachments: [MailAttachment]

    /// Describes a message. `page` is the same text as HTML; nil sends the plain text alone.
    public init(
        from: Mailbox, to: [Mailbox], subject: String, text: String, page: String? = nil,
        attachments: [MailAttachment] = []
    ) {
        (self.from, self.to, self.subject) = (from, to, subject)
        (self.text, self.page, self.attachments) = (text, page, attachments)
    }
}

/// A file attached to a message.
public struct MailAttachment: Hashable, Sendable {
    /// Letters, digits, dots, hyphens and underscores.
    public let name: String
    /// Its media type, for example `application/pdf`.
    public let type: String
    public let bytes: [UInt8]

    /// - Parameters:
    ///   - name: the file name. Other characters become underscores.
    ///   - type: the media type: the same characters, a slash and a plus sign.
    ///   - bytes: the content.
    public init(name: String, type: String, bytes: [UInt8]) {
        self.name = Self.tame(name, allowing: "._-")
        self.type = Self.tame(type, allowing: "._-/+")
        self.bytes = bytes
    }

    private static func tame(_ text: String, allowing others: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    switch scalar {
                    case "0"..."9", "A"..."Z", "a"..."z": scalar
                    default: others.unicodeScalars.contains(scalar) ? scalar : "_"
                    }
                }))
    }
}

/// A message as sent or stored in a file (RFC 5322, RFC 2045): ASCII, in lines of at most 998 characters.
public struct EncodedMail: Hashable, Sendable {
    /// The unique identifier of the message, with its angle brackets.
    public let messageID: String
    /// The message in lines that end with CR and LF.
    public let bytes: [UInt8]

    /// The message in lines that end with LF, as Unix programs expect.
    public var systemBytes: [UInt8] { bytes.filter { $0 != 0x0D } }
}

/// Encodes messages: adds a date, a message ID and boundaries.
public struct MessageEncoder: Sendable {
    private let time: any TimeSource
    private let random: any RandomSource

    /// - Parameters:
    ///   - time: for the date.
    ///   - random: for the message ID and the boundaries.
    public init(time: any TimeSource, random: any RandomSource) { (self.time, self.random) = (time, random) }

    /// Encodes a message. The same time and random bytes give the same bytes.
    public func encode(_ message: MailMessage) -> EncodedMail {
        let moment = time.now()
        let offset = time.offsetSeconds(at: moment)
        let compact = moment.civil(offsetSeconds: 0).description.filter { $0 != "-" && $0 != ":" }
        let messageID = "<\(compact).\(token())@\(message.from.address.domain)>"
        let fields = [
            HeaderField("Date", Self.date(moment.civil(offsetSeconds: offset), offsetSeconds: offset)),
            HeaderField("From", Self.words(of: message.from)),
            HeaderField("To", Self.words(of: message.to)),
            HeaderField("Subject", HeaderText.unstructured(message.subject)),
            HeaderField("Message-ID", messageID),
            // Suppresses automatic replies (RFC 3834 §5).
            HeaderField("Auto-Submitted", "auto-generated"),
            HeaderField("MIME-Version", "1.0"),
        ]
        return EncodedMail(
            messageID: messageID, bytes: Array(fields.map(\.text).joined().utf8) + body(of: message).bytes)
    }

    private func body(of message: MailMessage) -> BodyPart {
        let text = BodyPart.text(message.text, subtype: "plain")
        let words =
            message.page.map { page in
                BodyPart.multipart(
                    subtype: "alternative", boundary: boundary(), parts: [text, .text(page, subtype: "html")])
            } ?? text
        guard !message.attachments.isEmpty else { return words }
        return .multipart(
            subtype: "mixed", boundary: boundary(), parts: [words] + message.attachments.map(BodyPart.attachment))
    }

    /// Contains `=_`, which occurs in no line of Base64 or quoted-printable (RFC 2045 §6.7).
    private func boundary() -> String { "=_\(token())" }

    private func token() -> String {
        random.bytes(16).lowercaseHexadecimal
    }

    private static func words(of mailbox: Mailbox) -> [String] {
        guard let name = mailbox.name, !name.isEmpty else { return [mailbox.address.description] }
        return HeaderText.phrase(name) + ["<\(mailbox.address)>"]
    }

    private static func words(of mailboxes: [Mailbox]) -> [String] {
        mailboxes.enumerated().flatMap { index, mailbox in
            var words = words(of: mailbox)
            if index < mailboxes.count - 1, let last = words.popLast() { words.append(last + ",") }
            return words
        }
    }

    private static let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// `Fri, 02 Jan 2026 12:00:00 +0000` (RFC 5322 §3.3).
    private static func date(_ date: CivilDate, offsetSeconds: Int) -> String {
        let minutes = abs(offsetSeconds) / 60
        let zone = (offsetSeconds < 0 ? "-" : "+") + (minutes / 60).zeroPadded(to: 2) + (minutes % 60).zeroPadded(to: 2)
        return
            "\(days[date.weekday - 1]), \(date.day.zeroPadded(to: 2)) \(months[date.month - 1]) \(date.year.zeroPadded(to: 4)) "
            + "\(date.timeText) \(zone)"
    }
}
