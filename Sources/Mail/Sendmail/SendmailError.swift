/// Why the mail program did not take a message, or nobody knows whether it did.
public enum SendmailError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The program could not be run: what the system says about it.
    case notStarted(reason: String)
    /// Nothing was taken. `saying`: the program's last line.
    case refused(SendmailStatus, saying: String)
    /// It may have been taken, for some of the recipients or for all.
    case uncertain(SendmailStatus, saying: String)
    /// A signal ended the program: it may have taken the message before.
    case killed(signal: Int32)
    /// The program did not end in time, and was ended: it may have taken the message before.
    case noAnswer

    /// Whether the message may be on its way all the same. Whoever sends it again may send it twice.
    public var mayHaveBeenTaken: Bool {
        switch self {
        case .notStarted, .refused: false
        case .uncertain, .killed, .noAnswer: true
        }
    }

    public var description: String {
        switch self {
        case .notStarted(let reason): "it cannot be run: \(reason)"
        case .refused(let status, let saying), .uncertain(let status, let saying):
            "\(status)" + (saying.isEmpty ? "" : ": \(saying)")
        case .killed(let signal): "signal \(signal) ended it"
        case .noAnswer: "it did not end in time, and was ended"
        }
    }

    /// nil when the program has taken the message.
    ///
    /// - Parameters:
    ///   - status: what wait(2) says of the program's end.
    ///   - output: what the program has said.
    init?(status: Int32, saying output: [UInt8]) {
        // wait(2): the low seven bits are the signal, the next byte is the exit status.
        guard status & 0x7F == 0 else {
            self = .killed(signal: status & 0x7F)
            return
        }
        let status = SendmailStatus(code: status >> 8 & 0xFF)
        guard status.code != 0 else { return nil }
        let line = Self.lastLine(of: output)
        self = status.saysNothingWasTaken ? .refused(status, saying: line) : .uncertain(status, saying: line)
    }

    /// Without the addresses in it, which would get from an error into a log.
    private static func lastLine(of output: [UInt8]) -> String {
        let lines = String(decoding: output, as: UTF8.self).split(whereSeparator: \.isNewline)
        let scalars = (lines.last ?? "").unicodeScalars.filter { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format: false
            default: true
            }
        }
        let words = String(String.UnicodeScalarView(scalars.prefix(300))).split(separator: " ")
        return words.map { $0.contains("@") ? "(address)" : String($0) }.joined(separator: " ")
    }
}
