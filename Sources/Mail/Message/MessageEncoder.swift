public import Determinism

/// Makes messages of what they say: gives them a date, a name and boundaries.
public struct MessageEncoder: Sendable {
    private let time: any TimeSource
    private let random: any RandomSource

    /// - Parameters:
    ///   - time: for the date.
    ///   - random: for the message's name and its boundaries.
    public init(time: any TimeSource, random: any RandomSource) { (self.time, self.random) = (time, random) }

    /// The message. The same time and random bytes give the same message.
    public func encode(_ message: MailMessage) -> EncodedMessage {
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
            // Nobody's out-of-office reply is to answer it (RFC 3834 §5).
            HeaderField("Auto-Submitted", "auto-generated"),
            HeaderField("MIME-Version", "1.0"),
        ]
        return EncodedMessage(
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

    /// Has `=_` in it, which is in no line of base64 or quoted-printable (RFC 2045 §6.7).
    private func boundary() -> String { "=_\(token())" }

    private func token() -> String {
        random.bytes(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
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
        let zone = (offsetSeconds < 0 ? "-" : "+") + pad(minutes / 60) + pad(minutes % 60)
        return "\(days[date.weekday - 1]), \(pad(date.day)) \(months[date.month - 1]) \(pad(date.year, 4)) "
            + "\(pad(date.hour)):\(pad(date.minute)):\(pad(date.second)) \(zone)"
    }

    private static func pad(_ number: Int, _ width: Int = 2) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
