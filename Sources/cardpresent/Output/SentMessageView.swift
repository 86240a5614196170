/// A message that was handed over, without the addresses of those who get it.
struct SentMessageView: Encodable, Sendable {
    var messageID: String
    var payment: String
    var recipients: Int
    var bytes: Int
    @Nullable var file: String?
    @Nullable var program: String?

    init(messageID: String, payment: String, recipients: Int, bytes: Int, file: String?, program: String?) {
        (self.messageID, self.payment, self.recipients, self.bytes) = (messageID, payment, recipients, bytes)
        (self.file, self.program) = (file, program)
    }

    var line: String {
        let place = program.map { "handed to \($0)" } ?? "written to \(file ?? "-")"
        return "receipt of \(payment) \(place): \(messageID)\n"
    }
}
