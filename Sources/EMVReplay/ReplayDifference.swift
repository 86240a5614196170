public import SmartCard

/// A place where the kernel and the recorded terminal part.
public struct ReplayDifference: Hashable, Sendable {
    /// Where the recorded terminal stood: a line of the trace; nil behind its end.
    public let line: Int?
    /// EMV's name of the command.
    public let command: String
    public let kind: Kind

    /// What is different.
    public enum Kind: Hashable, Sendable {
        /// One data object of a command.
        case value(tag: BERTag, name: String?, recorded: String, kernel: String)
        /// The data field, or a parameter byte, of a command whose list is not known.
        case bytes(recorded: String, kernel: String)
        /// Another cryptogram was asked for.
        case cryptogram(recorded: String, kernel: String)
        /// The recorded terminal sent the command, the kernel did not.
        case onlyRecorded
        /// The kernel sent the command, and the trace has no answer to it.
        case onlyKernel
    }

    /// Whether card and issuer could tell the two terminals apart by it. A read more or less they cannot,
    /// nor a PIN block, which is enciphered with new padding each time.
    public var matters: Bool {
        switch kind {
        case .value, .bytes, .cryptogram: true
        case .onlyRecorded, .onlyKernel:
            ["GENERATE AC", "EXTERNAL AUTHENTICATE", "INTERNAL AUTHENTICATE", "VERIFY", "GET PROCESSING OPTIONS"]
                .contains(command)
        }
    }
}
