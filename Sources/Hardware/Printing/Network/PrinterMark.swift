/// Bytes behind a document that make a printer say when it has printed everything before them.
struct PrinterMark: Sendable {
    let bytes: [UInt8]
    /// What else is sent each time that it is looked whether there is an answer; nil when the printer speaks by itself.
    let question: [UInt8]?
    /// Whether what was received since says so.
    let isAnswered: @Sendable ([UInt8]) -> Bool

    init(bytes: [UInt8], question: [UInt8]? = nil, _ isAnswered: @escaping @Sendable ([UInt8]) -> Bool) {
        (self.bytes, self.question, self.isAnswered) = (bytes, question, isAnswered)
    }
}
